#pragma once

#include <cstdint>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// Where an encoded video is written: bytes 0.. of one video, wherever they really lie. Not thread safe.
class VideoSink {
 public:
  virtual ~VideoSink() = default;
  virtual Status Append(const void* data, int64_t size_bytes) = 0;
  /// Overwrites bytes that were appended before (MP4 patches the size of mdat).
  virtual Status Overwrite(int64_t offset_bytes, const void* data, int64_t size_bytes) = 0;
};

}  // namespace reelhouse
