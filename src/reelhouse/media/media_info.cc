#include "reelhouse/media/media_info.h"

#include <fmt/format.h>

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace reelhouse {

std::string FfmpegVersion() {
  const unsigned version = avcodec_version();
  return fmt::format("{} (libavcodec {}.{}.{})", av_version_info(), AV_VERSION_MAJOR(version),
                     AV_VERSION_MINOR(version), AV_VERSION_MICRO(version));
}

std::vector<std::string> TestedEncoders() {
  std::vector<std::string> names;
  for (const char* name : {"libx264", "libx265", "libsvtav1", "libvpx-vp9", "mpeg4", "ffv1"}) {
    if (avcodec_find_encoder_by_name(name)) names.emplace_back(name);
  }
  return names;
}

}  // namespace reelhouse
