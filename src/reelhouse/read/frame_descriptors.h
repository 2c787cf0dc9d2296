#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/format/video/video_frame_descriptor.h"

namespace reelhouse {

/// Rows one after the other that show frames of one video, or nothing.
struct FrameRun {
  static constexpr int32_t kNull = -1;

  size_t rows = 0;
  int32_t uri = kNull;          ///< place in a list
  VideoFrameDescriptor common;  ///< of all of them; without URI and frame
  int64_t first_frame = 0;      ///< of a row at position 0
};

/// Serialized descriptors of a row for each of `positions`: large_binary. The frame of a row is `first_frame` of its
/// run plus its position. Made run by run, on several threads if there are many.
Result<std::shared_ptr<arrow::Array>> MakeFrameDescriptors(const std::vector<std::string>& uris,
                                                           const std::vector<FrameRun>& runs,
                                                           std::span<const int64_t> positions, bool use_threads);

}  // namespace reelhouse
