#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/media/keyframe_index.h"

namespace reelhouse {

/// Fills `to` with `size_bytes` bytes from `offset_bytes` on; fewer bytes are a failure.
using ByteSource = std::function<Status(int64_t offset_bytes, int64_t size_bytes, uint8_t* to)>;

/// The top-level boxes of an ISO base media file (MP4, MOV).
struct IsobmffBoxes {
  /// Whole boxes, but of `mdat`, `free` and `skip` only the header; neighbours are one range.
  std::vector<KeyframeIndex::Range> metadata_ranges;
  /// The bodies that `metadata_ranges` leaves out.
  std::vector<KeyframeIndex::Range> bodies;
};

/// Walks the top-level boxes of a file of `length_bytes`, reading box headers only. Invalid where the boxes do not end
/// at the end of the file, where there is no `moov`, or where there are more than 65,536 ranges.
Result<IsobmffBoxes> WalkIsobmffBoxes(int64_t length_bytes, const ByteSource& read);

}  // namespace reelhouse
