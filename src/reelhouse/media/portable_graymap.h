#pragma once

#include <cstdint>
#include <span>

#include "reelhouse/media/av.h"
#include "reelhouse/media/frame_pool.h"
#include "reelhouse/media/picture_limits.h"

namespace reelhouse {

// Grey files of the Netpbm family (PGM as P2 or P5, PAM as P7) whose largest number is above 255.

bool IsDeepGraymap(std::span<const uint8_t> bytes);

/// The numbers as they are in the file, as GRAY16. Invalid for files that are broken, cut, or not grey.
Result<AvFrame> DecodeDeepGraymap(std::span<const uint8_t> bytes, FramePool& pool, int64_t max_pixels);

}  // namespace reelhouse
