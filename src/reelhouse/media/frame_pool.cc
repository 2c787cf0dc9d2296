#include "reelhouse/media/frame_pool.h"

extern "C" {
#include <libavutil/buffer.h>
#include <libavutil/imgutils.h>
}

namespace reelhouse {
namespace {

constexpr int kRowAlignment = 64;
constexpr int kRowsAlignment = 32;  // 16 after the subsampling of chroma
constexpr size_t kTailBytes = 64;   // vector code reads past the last row

template <typename T>
T RoundUp(T value, T step) {
  return (value + step - 1) / step * step;
}

}  // namespace

Status CheckPictureSize(int64_t width, int64_t height) {
  if (width <= 0 || height <= 0) return Status::Invalid("the picture is empty: ", width, "x", height);
  if (width > FramePool::kMaxSide || height > FramePool::kMaxSide || width * height > FramePool::kMaxPixels) {
    return Status::Invalid("the picture of ", width, "x", height, " is too large: at most ", FramePool::kMaxSide,
                           " a side and ", FramePool::kMaxPixels, " pixels are taken");
  }
  return Status::OK();
}

FramePool::~FramePool() { av_buffer_pool_uninit(&pool_); }

Result<AvFrame> FramePool::Get(AVPixelFormat format, int width, int height) {
  ARROW_RETURN_NOT_OK(CheckPictureSize(width, height));
  int row_bytes[4] = {};
  ptrdiff_t wide_rows[4] = {};
  size_t plane_bytes[4] = {};
  int code = av_image_fill_linesizes(row_bytes, format, RoundUp(width, kRowAlignment));
  for (int i = 0; i < 4; ++i) wide_rows[i] = row_bytes[i] = RoundUp(row_bytes[i], kRowAlignment);
  if (code >= 0) code = av_image_fill_plane_sizes(plane_bytes, format, RoundUp(height, kRowsAlignment), wide_rows);
  if (code < 0) return AvFailure("picture buffer", code);
  const size_t total_bytes = plane_bytes[0] + plane_bytes[1] + plane_bytes[2] + plane_bytes[3] + kTailBytes;

  if (total_bytes != pool_bytes_) {
    av_buffer_pool_uninit(&pool_);
    pool_ = av_buffer_pool_init(total_bytes, nullptr);
    pool_bytes_ = pool_ ? total_bytes : 0;
  }
  AvFrame frame(av_frame_alloc());
  if (!pool_ || !frame) return Status::OutOfMemory("picture buffer");
  frame->buf[0] = av_buffer_pool_get(pool_);
  if (!frame->buf[0]) return Status::OutOfMemory("picture buffer of ", total_bytes, " bytes");
  uint8_t* plane = frame->buf[0]->data;
  for (int i = 0; i < 4 && plane_bytes[i] > 0; ++i) {
    frame->data[i] = plane;
    frame->linesize[i] = row_bytes[i];
    plane += plane_bytes[i];
  }
  frame->format = format;
  frame->width = width;
  frame->height = height;
  return frame;
}

}  // namespace reelhouse
