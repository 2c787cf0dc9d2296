#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "reelhouse/media/av.h"
#include "reelhouse/media/frame_pool.h"
#include "reelhouse/media/picture_limits.h"

namespace reelhouse {

/// A decoder of JPEG files that keeps the planes as they are stored: no detour through RGB.
///
/// Frames have the full range of JPEG: planar YUV in the file's own subsampling, GRAY8, or RGB24 for CMYK, YCCK and RGB
/// files, for rare sampling factors, and for everything where `wants_rgb`. Damaged and cut files are refused.
/// Orientation is not applied. Not thread safe; one a thread, used again for every picture.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  static bool IsJpeg(std::span<const uint8_t> bytes);

  /// NotImplemented for the processes that libjpeg does not know (lossless, JPEG-LS, 12 bits), so that the caller may
  /// try another decoder; Invalid for files that are broken.
  Result<AvFrame> Decode(std::span<const uint8_t> bytes, bool wants_rgb, FramePool& pool,
                         int64_t max_pixels = kDefaultMaxPixels);

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace reelhouse
