#pragma once

#include <string>
#include <vector>

namespace reelhouse {

/// The FFmpeg at hand, e.g. `5.1.9-0+deb12u1 (libavcodec 59.37.100)`, for bug reports and benches.
std::string FfmpegVersion();

/// Names of the video encoders at hand that are tested with this project.
std::vector<std::string> TestedEncoders();

}  // namespace reelhouse
