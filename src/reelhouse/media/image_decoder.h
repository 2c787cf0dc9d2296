#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "reelhouse/media/av.h"
#include "reelhouse/media/encoder_formats.h"
#include "reelhouse/media/exif_orientation.h"
#include "reelhouse/media/frame_pool.h"
#include "reelhouse/media/image_source.h"
#include "reelhouse/media/jpeg_decoder.h"
#include "reelhouse/media/picture_limits.h"

namespace reelhouse {

/// What an image decoder does beyond decoding.
struct ImageDecoderOptions {
  bool apply_orientation = true;
  std::optional<std::array<uint8_t, 3>> background;  ///< RGB below pictures with alpha
  bool wants_rgb = false;                            ///< the encoder takes RGB: colour pictures come as RGB24
  int64_t max_pixels = kDefaultMaxPixels;            ///< of image files; larger ones are refused by their header
};

/// A picture as it goes into the pixel converter: upright, without alpha.
struct UprightPicture {
  /// Planar YUV 8 bits of BT.601 (with its `color_range`), GRAY8 (full range), RGB24, or GRAY16: numbers as stored in
  /// the picture (depth, ids).
  AvFrame frame;
  int64_t encoded_bytes = 0;  ///< 0 for raw pixels

  PictureKind kind() const { return frame->format == AV_PIX_FMT_GRAY16 ? PictureKind::kDepth : PictureKind::kEightBit; }
};

/// A decoder of still images of any format, found by what the bytes are and never by a name.
/// Not thread safe; one a thread. Errors do not say which image: the caller knows its position.
class ImageDecoder {
 public:
  explicit ImageDecoder(const ImageDecoderOptions& options) : options_(options) {}

  Result<UprightPicture> Decode(const ImageInput& image);

 private:
  Result<AvFrame> DecodeBytes(std::span<const uint8_t> bytes);
  Result<AvFrame> DecodeWithLibav(std::span<const uint8_t> bytes, AVCodecID codec_id);
  Result<AvFrame> FromRaw(const RawImage& image);
  Result<AvFrame> Normalize(AvFrame frame, AVCodecID codec_id);
  Result<AvFrame> ToNumbers(AvFrame frame);
  Result<AvFrame> Flatten(AvFrame frame);
  Result<AvFrame> Rescale(const AVFrame& frame, AVPixelFormat format, bool is_full_range);
  Result<AvFrame> TurnUpright(AvFrame frame, Orientation orientation);

  ImageDecoderOptions options_;
  JpegDecoder jpeg_;
  FramePool pool_;
  FramePool scratch_pool_;
  AvScaler scaler_;
};

}  // namespace reelhouse
