#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/io/interfaces.h>

#include "reelhouse/base/status.h"

namespace reelhouse {

struct FileEntry {
  std::string name;  ///< last path component
  bool is_directory = false;
  int64_t size_bytes = 0;
  int64_t modified_millis = 0;
};

/// A file being written. Unfinished means nothing is left behind: the destructor removes a file that was neither
/// finished nor discarded. Not thread safe.
class OutputFile : public arrow::io::OutputStream {
 public:
  /// Overwrites bytes before the current end (a header whose size is known late). Does not move Tell().
  virtual Status WriteAt(int64_t offset_bytes, const void* data, int64_t size_bytes) = 0;

  /// Appends a range of another local file by the fastest means of the system (copy_file_range, sendfile, copy).
  /// Fails with `expected n bytes, found m` if the source is shorter.
  virtual Status AppendRange(const std::string& source_path, int64_t offset_bytes, int64_t size_bytes) = 0;

  /// Makes everything written so far readable through the path (not yet durable).
  Status Flush() override = 0;

  /// Lets the system begin to bring what is written to the disk, without waiting for it. Files that are finished soon
  /// after each other then share the waits of the disk. A hint: it changes nothing else.
  virtual void StartSync() {}

  /// Syncs the content (where the store is durable) and closes. After this the file stays. If it fails, nothing stays.
  /// The name lasts a power loss only after SyncDirectory of its folder. Close(), as Arrow's writers call it, is the
  /// same for a file that is still open.
  virtual Status Finish() = 0;

  /// Closes and removes the file.
  virtual Status Discard() = 0;

  virtual const std::string& path() const = 0;
};

/// Files of one kind of storage, named by paths as users spell them (`/data/wh/..`, `wh/..`, `file:/data/..`,
/// `file:///data/..`). Thread safe. Missing files give ErrorKind::kFileNotFound; other failures are IOError with
/// errno text and the path.
class FileStore {
 public:
  virtual ~FileStore() = default;

  /// Random access to a whole file. The result is thread safe for ReadAt.
  virtual Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInput(const std::string& path) = 0;
  virtual Result<std::string> ReadAll(const std::string& path) = 0;

  /// A new file; its directories are made as needed; refused if the path exists.
  virtual Result<std::unique_ptr<OutputFile>> Create(const std::string& path) = 0;

  /// Writes a complete file with this content only if nothing has that name, atomically: true if this call made it,
  /// false if the name was taken. Readers see all bytes or no file. Durable (content and directory entry). After a
  /// failure the file may be there all the same (a folder that could not be synced, a lost answer): look before acting.
  virtual Result<bool> CreateNoReplace(const std::string& path, std::string_view content) = 0;

  /// Writes a complete file, replacing an older one atomically. Durable.
  virtual Status Replace(const std::string& path, std::string_view content) = 0;

  /// The same without waiting for the disk: after a power loss the file may be the older one, or empty. For hints,
  /// which their readers check.
  virtual Status ReplaceHint(const std::string& path, std::string_view content) { return Replace(path, content); }

  /// OK also if it is not there.
  virtual Status Delete(const std::string& path) = 0;
  virtual Status DeleteTree(const std::string& path) = 0;
  virtual Status MakeDirectories(const std::string& path) = 0;

  /// Renames a file or folder; false, with nothing changed, if the target exists.
  virtual Result<bool> RenameNoReplace(const std::string& from, const std::string& to) = 0;

  /// Entries of a folder, unordered; empty if the folder is not there.
  virtual Result<std::vector<FileEntry>> List(const std::string& path) = 0;

  /// Nothing if there is no such file or folder.
  virtual Result<std::optional<FileEntry>> Stat(const std::string& path) = 0;

  /// Makes the names in a folder durable (fsync of the directory). No-op where the store is durable by itself.
  virtual Status SyncDirectory(const std::string& path) = 0;
};

struct LocalFileStoreOptions {
  bool fsync = true;  ///< option `commit.fsync`
};

/// The store of local files.
std::shared_ptr<FileStore> MakeLocalFileStore(LocalFileStoreOptions options = {});

}  // namespace reelhouse
