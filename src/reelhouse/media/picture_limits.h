#pragma once

#include <cstdint>
#include <string_view>

#include "reelhouse/base/status.h"

namespace reelhouse {

// Bounds for pictures and videos that nobody vouches for: a header of a few bytes can ask for gigabytes. What is larger
// is refused before memory is taken for it.

/// Where nobody says otherwise; more than any camera gives.
constexpr int64_t kDefaultMaxPixels = 100'000'000;

/// The most that the options can be raised to.
constexpr int64_t kMostMaxPixels = int64_t{1} << 28;

/// Table options that raise or lower the limit.
constexpr std::string_view kImageMaxPixelsOption = "reelhouse.image.max-pixels";
constexpr std::string_view kVideoMaxPixelsOption = "reelhouse.video.max-pixels";

/// Invalid for pictures with more pixels: what was found, the limit, and the option that raises it.
Status CheckPixelCount(int64_t width, int64_t height, int64_t max_pixels, std::string_view option);

/// The same for a size that FFmpeg refused, as its log lines tell; OK where they tell of none.
Status CheckRefusedSize(std::string_view log_lines, int64_t max_pixels, std::string_view option);

}  // namespace reelhouse
