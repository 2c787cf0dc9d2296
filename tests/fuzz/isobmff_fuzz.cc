#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "reelhouse/media/isobmff.h"

// Any bytes are refused or walked; ranges and bodies rise, do not overlap and fill the file together.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto length = static_cast<int64_t>(size);
  const auto boxes = reelhouse::WalkIsobmffBoxes(length, [&](int64_t offset, int64_t wanted, uint8_t* to) {
    if (offset < 0 || wanted < 0 || wanted > length - offset) std::abort();
    std::memcpy(to, data + offset, static_cast<size_t>(wanted));
    return reelhouse::Status::OK();
  });
  if (!boxes.ok()) return 0;
  int64_t covered = 0;
  for (const auto* ranges : {&boxes->metadata_ranges, &boxes->bodies}) {
    int64_t end = 0;
    for (const auto& range : *ranges) {
      if (range.offset_bytes < end || range.length_bytes <= 0) std::abort();
      end = range.offset_bytes + range.length_bytes;
      covered += range.length_bytes;
    }
    if (end > length) std::abort();
  }
  if (covered != length) std::abort();
  return 0;
}
