#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"

namespace reelhouse {

/// The rows of one `.video` file: what its footer and indexes say (format notes, 6.1). A value, read once.
struct VideoFileIndex {
  struct Payload {
    int64_t offset_bytes = 0;
    int64_t length_bytes = 0;
    int64_t keyframe_index_offset_bytes = -1;  ///< -1, 0 without index
    int64_t keyframe_index_length_bytes = 0;
  };
  struct Run {
    static constexpr int64_t kNull = -1;
    static constexpr int64_t kPlaceholder = -2;
    int64_t first_row = 0;  ///< position in the file
    int64_t row_count = 0;
    int64_t payload = kNull;  ///< ordinal, kNull or kPlaceholder
    int64_t first_frame_index = 0;
  };
  std::vector<Payload> payloads;
  std::vector<Run> runs;
  int64_t row_count = 0;
};

/// Reads and checks the index of a `.video` file of `file_size` bytes; every rule of 6.1 that is broken is a
/// CorruptFile.
Result<VideoFileIndex> ReadVideoFileIndex(FileStore& files, const std::string& path, int64_t file_size);

}  // namespace reelhouse
