#include "reelhouse/snapshot/tag_store.h"

#include <algorithm>
#include <utility>

#include "reelhouse/base/text.h"
#include "reelhouse/io/location.h"

namespace reelhouse {
namespace {

constexpr std::string_view kPrefix = "tag-";
constexpr size_t kLongestFileName = 255;

// Numbers are allowed, as in pypaimon; a name becomes a part of one file name.
Status ValidateName(std::string_view name) {
  if (TrimmedView(name).empty()) return Status::Invalid("Tag name shouldn't be blank.");
  for (char c : name) {
    if (c == '/' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      return Status::Invalid("tag name ", QuoteForError(name), ": expected no '/' and no control characters");
    }
  }
  if (name.size() > kLongestFileName - kPrefix.size()) {
    return Status::Invalid("tag name ", QuoteForError(name), ": expected at most ", kLongestFileName - kPrefix.size(),
                           " bytes, found ", name.size());
  }
  return Status::OK();
}

std::string PathIn(std::string_view folder, std::string_view name) {
  return JoinLocation(folder, std::string(kPrefix) + std::string(name));
}

Status NotExist(std::string_view name) {
  return MakeError(ErrorKind::kTagNotExist, "Tag '" + std::string(name) + "' doesn't exist.");
}

}  // namespace

TagStore::TagStore(std::shared_ptr<FileStore> files, std::string table_path)
    : files_(std::move(files)), folder_(JoinLocation(table_path, "tag")) {}

Status TagStore::Create(std::string_view name, const Snapshot& snapshot) {
  ARROW_RETURN_NOT_OK(ValidateName(name));
  ARROW_ASSIGN_OR_RAISE(bool made, files_->CreateNoReplace(PathIn(folder_, name), snapshot.ToJsonText()));
  if (made) return Status::OK();
  return MakeError(ErrorKind::kTagAlreadyExist, "Tag '" + std::string(name) + "' already exists.");
}

Result<Snapshot> TagStore::Load(std::string_view name) {
  if (!ValidateName(name).ok()) return NotExist(name);
  const std::string path = PathIn(folder_, name);
  Result<std::string> text = files_->ReadAll(path);
  if (IsKind(text.status(), ErrorKind::kFileNotFound)) return NotExist(name);
  ARROW_RETURN_NOT_OK(text.status());
  return Snapshot::FromJsonText(*text, path);
}

Status TagStore::Delete(std::string_view name) {
  if (!ValidateName(name).ok()) return NotExist(name);
  const std::string path = PathIn(folder_, name);
  ARROW_ASSIGN_OR_RAISE(std::optional<FileEntry> entry, files_->Stat(path));
  if (!entry || entry->is_directory) return NotExist(name);
  return files_->Delete(path);
}

Result<std::vector<std::string>> TagStore::List() {
  ARROW_ASSIGN_OR_RAISE(std::vector<FileEntry> entries, files_->List(folder_));
  std::vector<std::string> names;
  for (const FileEntry& entry : entries) {
    if (entry.is_directory || !entry.name.starts_with(kPrefix) || entry.name.size() == kPrefix.size()) continue;
    names.push_back(entry.name.substr(kPrefix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace reelhouse
