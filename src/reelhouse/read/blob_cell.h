#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// Where the value of one cell of a blob column lies.
struct BlobCell {
  static constexpr int32_t kNull = -1;
  static constexpr int32_t kUnresolved = -2;

  int32_t file = kNull;  ///< place in the list of files, or one of the above
  int64_t offset_bytes = 0;
  int64_t length_bytes = 0;
  // Of a frame of a video:
  int64_t frame_index = 0;
  int64_t keyframe_index_offset_bytes = -1;
  int64_t keyframe_index_length_bytes = 0;
};

/// A file that cells lie in.
struct BlobCellFile {
  std::string uri;
  bool is_video = false;
};

/// Serialized descriptors of all cells: large_binary, NULL where a cell is. Written straight into the buffers of the
/// array, since a scan makes one for every row.
Result<std::shared_ptr<arrow::Array>> MakeDescriptors(const std::vector<BlobCellFile>& files,
                                                      const std::vector<BlobCell>& cells);

}  // namespace reelhouse
