#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <arrow/io/interfaces.h>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"

namespace reelhouse {

/// The files of one read, each opened once. Not thread safe.
class OpenedFiles {
 public:
  struct File {
    std::string path;
    std::shared_ptr<arrow::io::RandomAccessFile> file;
    int64_t size_bytes = 0;

    /// A CorruptFile that names the file if these bytes are not in it.
    Status CheckRange(int64_t offset_bytes, int64_t length_bytes) const;
  };

  explicit OpenedFiles(FileStore& files) : files_(files) {}
  /// Lives as long as this.
  Result<const File*> Open(const std::string& path);

 private:
  FileStore& files_;
  std::unordered_map<std::string, std::unique_ptr<const File>> opened_;
};

/// Bytes of a file and the memory that takes them.
struct FileRange {
  const OpenedFiles::File* file = nullptr;
  int64_t offset_bytes = 0;
  int64_t length_bytes = 0;
  uint8_t* destination = nullptr;
};

/// Reads all ranges, in any order, on up to `parallelism` threads. Ranges of a file that lie close together are read
/// with one call. Ranges must have been checked.
Status ReadFileRanges(std::vector<FileRange> ranges, int parallelism);

}  // namespace reelhouse
