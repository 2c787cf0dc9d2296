#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"

namespace reelhouse {

/// Bytes of a file and the memory that takes them.
struct FileRange {
  std::string_view path;  ///< must outlive the call
  int64_t offset_bytes = 0;
  int64_t length_bytes = 0;
  uint8_t* destination = nullptr;
};

/// Reads all ranges, in any order, on up to `parallelism` threads. Ranges of a file that lie close together are read
/// with one call. A range that leaves its file is a CorruptFile that names it.
Status ReadFileRanges(FileStore& files, std::vector<FileRange> ranges, int parallelism);

}  // namespace reelhouse
