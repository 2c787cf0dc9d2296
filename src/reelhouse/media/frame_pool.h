#pragma once

#include <cstddef>

#include "reelhouse/media/av.h"

struct AVBufferPool;

namespace reelhouse {

/// A store of picture buffers that are used again once nobody holds them, for pictures of one shape after another.
///
/// One thread takes from a pool; the frames may be held, read and released on any thread, also after the pool is gone.
/// Rows are aligned to 64 bytes, and planes reach to the next multiple of 16 rows, so that block decoders may write
/// past the edge of the picture.
class FramePool {
 public:
  FramePool() = default;
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  /// A frame with unset pixels. Invalid for sizes beyond what untrusted pictures may ask for (`kMaxPixels`).
  Result<AvFrame> Get(AVPixelFormat format, int width, int height);

  static constexpr int64_t kMaxPixels = int64_t{1} << 28;
  static constexpr int kMaxSide = 65535;

 private:
  AVBufferPool* pool_ = nullptr;
  size_t pool_bytes_ = 0;
};

/// OK if a picture of this size may be held at all.
Status CheckPictureSize(int64_t width, int64_t height);

}  // namespace reelhouse
