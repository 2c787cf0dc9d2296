#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include "reelhouse/base/uuid.h"
#include "reelhouse/io/file_descriptor.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/io/local_input_file.h"
#include "reelhouse/io/local_output_file.h"
#include "reelhouse/io/location.h"

namespace reelhouse {
namespace {

std::string FolderOf(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string WithoutTrailingSlashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// A name beside `path` that no reader looks at. Cut so that a file with the longest name can have one too.
std::string TemporaryBeside(const std::string& path) {
  constexpr size_t kLongestName = 255;
  const std::string suffix = "." + NewUuid() + ".tmp";
  std::string name = "." + NameOf(path);
  name.resize(std::min(name.size(), kLongestName - suffix.size()));
  return JoinLocation(FolderOf(path), name + suffix);
}

bool LacksRenameNoReplace(int error) { return error == EINVAL || error == ENOSYS || error == ENOTSUP; }
bool LacksHardLinks(int error) { return error == EPERM || error == ENOSYS || error == ENOTSUP || error == EMLINK; }

FileEntry EntryOf(std::string name, const struct stat& attributes) {
  FileEntry entry;
  entry.name = std::move(name);
  entry.is_directory = S_ISDIR(attributes.st_mode);
  entry.size_bytes = entry.is_directory ? 0 : attributes.st_size;
  entry.modified_millis = static_cast<int64_t>(attributes.st_mtim.tv_sec) * 1000 + attributes.st_mtim.tv_nsec / 1000000;
  return entry;
}

// What an atomic move to a free name came to.
enum class MoveOutcome { kMoved, kNameTaken, kNoMeans };

// The file system may know only one of the two means: NFS has no renameat2 flags, FAT no hard links.
Result<MoveOutcome> MoveFileNoReplace(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return MoveOutcome::kMoved;
  if (errno == EEXIST) return MoveOutcome::kNameTaken;
  if (!LacksRenameNoReplace(errno)) return SystemError(to, "rename from " + from, errno);
  if (::link(from.c_str(), to.c_str()) != 0) {
    const int error = errno;
    // Over NFS the answer of a link that was made can get lost and its repetition says "exists": then both are one
    // file.
    std::error_code ignored;
    const bool made = error == EEXIST && std::filesystem::equivalent(from, to, ignored);
    if (!made) {
      if (error == EEXIST) return MoveOutcome::kNameTaken;
      if (LacksHardLinks(error)) return MoveOutcome::kNoMeans;
      return SystemError(to, "link from " + from, error);
    }
  }
  if (::unlink(from.c_str()) != 0 && errno != ENOENT) return SystemError(from, "remove", errno);
  return MoveOutcome::kMoved;
}

Status NoMeansError(const std::string& path) {
  return Status::IOError(path,
                         ": the file system can neither rename without replacing nor make hard links, so that nothing "
                         "can be created there safely beside other writers; use another file system");
}

class LocalFileStore final : public FileStore {
 public:
  explicit LocalFileStore(LocalFileStoreOptions options) : options_(options) {}

  Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInput(const std::string& location) override {
    ARROW_ASSIGN_OR_RAISE(std::string path, LocalPath(location));
    return LocalInputFile::Open(path);
  }

  Result<std::string> ReadAll(const std::string& location) override {
    ARROW_ASSIGN_OR_RAISE(std::string path, LocalPath(location));
    int64_t size_bytes = 0;
    ARROW_ASSIGN_OR_RAISE(FileDescriptor file, OpenRegularFile(path, &size_bytes));
    std::string content;
    try {
      content.resize(static_cast<size_t>(size_bytes));
    } catch (const std::exception&) {
      return Status::OutOfMemory(path, ": no memory for its ", size_bytes, " bytes");
    }
    int64_t got = ReadFully(file.number(), content.data(), size_bytes, 0);
    if (got < 0) return SystemError(path, "read", static_cast<int>(-got));
    content.resize(static_cast<size_t>(got));
    return content;
  }

  Result<std::unique_ptr<OutputFile>> Create(const std::string& location) override {
    ARROW_ASSIGN_OR_RAISE(std::string path, LocalPath(location));
    return CreateInFolder(path, options_.fsync);
  }

  Result<bool> CreateNoReplace(const std::string& location, std::string_view content) override {
    ARROW_ASSIGN_OR_RAISE(std::string path, LocalPath(location));
    struct stat attributes;
    if (::lstat(path.c_str(), &attributes) == 0) return false;
    ARROW_ASSIGN_OR_RAISE(std::string temporary, WriteTemporaryBeside(path, content, options_.fsync));
    Result<MoveOutcome> outcome = MoveFileNoReplace(temporary, path);
    if (!outcome.ok() || *outcome != MoveOutcome::kMoved) ::unlink(temporary.c_str());
    ARROW_RETURN_NOT_OK(outcome.status());
    if (*outcome == MoveOutcome::kNoMeans) return NoMeansError(path);
    if (*outcome == MoveOutcome::kNameTaken) return false;
    ARROW_RETURN_NOT_OK(SyncLocalFolder(FolderOf(path)));
    return true;
  }

  Status Replace(const std::string& location, std::string_view content) override {
    ARROW_ASSIGN_OR_RAISE(std::string path, LocalPath(location));
    ARROW_RETURN_NOT_OK(ReplaceFile(path, content, options_.fsync));
    return SyncLocalFolder(FolderOf(path));
  }

  Status ReplaceHint(const std::string& location, std::string_view content) override {
    ARROW_ASSIGN_OR_RAISE(std::string path, LocalPath(location));
    return ReplaceFile(path, content, /*fsync=*/false);
  }

  Status Delete(const std::string& location) override {
    ARROW_ASSIGN_OR_RAISE(std::string path, LocalPath(location));
    if (::unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return Status::OK();
    return SystemError(path, "remove", errno);
  }

  Status DeleteTree(const std::string& location) override {
    ARROW_ASSIGN_OR_RAISE(std::string path, LocalPath(location));
    path = WithoutTrailingSlashes(std::move(path));
    if (path == "/") return Status::Invalid("/: the root folder is not removed");
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (error && error.value() != ENOENT && error.value() != ENOTDIR) {
      return SystemError(path, "remove the folder", error.value());
    }
    return Status::OK();
  }

  Status MakeDirectories(const std::string& location) override {
    ARROW_ASSIGN_OR_RAISE(std::string path, LocalPath(location));
    std::vector<std::string> folders_to_sync;
    ARROW_RETURN_NOT_OK(MakeLocalFolders(WithoutTrailingSlashes(std::move(path)), &folders_to_sync));
    for (const std::string& folder : folders_to_sync) ARROW_RETURN_NOT_OK(SyncLocalFolder(folder));
    return Status::OK();
  }

  Result<bool> RenameNoReplace(const std::string& from_location, const std::string& to_location) override {
    ARROW_ASSIGN_OR_RAISE(std::string from, LocalPath(from_location));
    ARROW_ASSIGN_OR_RAISE(std::string to, LocalPath(to_location));
    from = WithoutTrailingSlashes(std::move(from));
    to = WithoutTrailingSlashes(std::move(to));
    struct stat attributes;
    if (::lstat(from.c_str(), &attributes) != 0) return SystemError(from, "rename", errno);
    if (S_ISDIR(attributes.st_mode)) {
      if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) != 0) {
        if (errno == EEXIST || errno == ENOTEMPTY) return false;
        if (errno == EINVAL && NameLiesBelow(to, from)) return SystemError(to, "rename from " + from, EINVAL);
        if (!LacksRenameNoReplace(errno)) return SystemError(to, "rename from " + from, errno);
        return Status::IOError(to, ": the file system cannot rename folder ", from,
                               " without replacing another; use another file system or another name");
      }
    } else {
      ARROW_ASSIGN_OR_RAISE(MoveOutcome outcome, MoveFileNoReplace(from, to));
      if (outcome == MoveOutcome::kNoMeans) return NoMeansError(to);
      if (outcome == MoveOutcome::kNameTaken) return false;
    }
    ARROW_RETURN_NOT_OK(SyncLocalFolder(FolderOf(to)));
    if (FolderOf(from) != FolderOf(to)) ARROW_RETURN_NOT_OK(SyncLocalFolder(FolderOf(from)));
    return true;
  }

  Result<std::vector<FileEntry>> List(const std::string& location) override {
    ARROW_ASSIGN_OR_RAISE(std::string path, LocalPath(location));
    std::vector<FileEntry> entries;
    std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
    if (folder == nullptr) {
      if (errno == ENOENT) return entries;
      return SystemError(path, "list", errno);
    }
    while (true) {
      errno = 0;
      const struct dirent* item = ::readdir(folder.get());
      if (item == nullptr) {
        if (errno != 0) return SystemError(path, "list", errno);
        return entries;
      }
      std::string name = item->d_name;
      if (name == "." || name == "..") continue;
      struct stat attributes;
      const int file = ::dirfd(folder.get());
      if (::fstatat(file, item->d_name, &attributes, 0) != 0 &&
          ::fstatat(file, item->d_name, &attributes, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) continue;  // removed while the folder was read
        return SystemError(JoinLocation(path, name), "stat", errno);
      }
      entries.push_back(EntryOf(std::move(name), attributes));
    }
  }

  Result<std::optional<FileEntry>> Stat(const std::string& location) override {
    ARROW_ASSIGN_OR_RAISE(std::string path, LocalPath(location));
    struct stat attributes;
    if (::stat(path.c_str(), &attributes) != 0) {
      if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
      return SystemError(path, "stat", errno);
    }
    return EntryOf(NameOf(WithoutTrailingSlashes(std::move(path))), attributes);
  }

  Status SyncDirectory(const std::string& location) override {
    ARROW_ASSIGN_OR_RAISE(std::string path, LocalPath(location));
    return SyncLocalFolder(path);
  }

 private:
  static bool NameLiesBelow(const std::string& path, const std::string& folder) {
    return path.starts_with(folder + "/");
  }

  Status SyncLocalFolder(const std::string& path) const {
    if (!options_.fsync) return Status::OK();
    int error = SyncFolder(path);
    return error == 0 ? Status::OK() : SystemError(path, "fsync of the folder", error);
  }

  // `folders_to_sync` gets the folders whose names list changed.
  Status MakeLocalFolders(const std::string& path, std::vector<std::string>* folders_to_sync) const {
    if (::mkdir(path.c_str(), 0777) == 0) {
      folders_to_sync->push_back(FolderOf(path));
      return Status::OK();
    }
    int error = errno;
    if (error == ENOENT && FolderOf(path) != path) {
      ARROW_RETURN_NOT_OK(MakeLocalFolders(WithoutTrailingSlashes(FolderOf(path)), folders_to_sync));
      if (::mkdir(path.c_str(), 0777) == 0) {
        folders_to_sync->push_back(FolderOf(path));
        return Status::OK();
      }
      error = errno;
    }
    // Read-only file systems answer EROFS even where the folder is there.
    struct stat attributes;
    if (::stat(path.c_str(), &attributes) == 0) {
      if (S_ISDIR(attributes.st_mode)) return Status::OK();
      return SystemError(path, "expected a folder", ENOTDIR);
    }
    return SystemError(path, "make the folder", error);
  }

  Status ReplaceFile(const std::string& path, std::string_view content, bool fsync) const {
    ARROW_ASSIGN_OR_RAISE(std::string temporary, WriteTemporaryBeside(path, content, fsync));
    if (::rename(temporary.c_str(), path.c_str()) == 0) return Status::OK();
    const int error = errno;
    ::unlink(temporary.c_str());
    return SystemError(path, "replace", error);
  }

  Result<std::unique_ptr<OutputFile>> CreateInFolder(const std::string& path, bool fsync) const {
    Result<std::unique_ptr<LocalOutputFile>> file = LocalOutputFile::Create(path, fsync, {});
    if (IsKind(file.status(), ErrorKind::kFileNotFound)) {
      std::vector<std::string> folders_to_sync;
      ARROW_RETURN_NOT_OK(MakeLocalFolders(WithoutTrailingSlashes(FolderOf(path)), &folders_to_sync));
      file = LocalOutputFile::Create(path, fsync, std::move(folders_to_sync));
    }
    ARROW_RETURN_NOT_OK(file.status());
    return std::unique_ptr<OutputFile>(std::move(*file));
  }

  Result<std::string> WriteTemporaryBeside(const std::string& path, std::string_view content, bool fsync) const {
    if (NameOf(path).empty()) return Status::Invalid(path, ": expected the name of a file, found a folder");
    std::string temporary = TemporaryBeside(path);
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<OutputFile> file, CreateInFolder(temporary, fsync));
    ARROW_RETURN_NOT_OK(file->Write(content.data(), static_cast<int64_t>(content.size())));
    ARROW_RETURN_NOT_OK(file->Finish());
    return temporary;
  }

  LocalFileStoreOptions options_;
};

}  // namespace

std::shared_ptr<FileStore> MakeLocalFileStore(LocalFileStoreOptions options) {
  return std::make_shared<LocalFileStore>(options);
}

}  // namespace reelhouse
