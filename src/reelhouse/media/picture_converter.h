#pragma once

#include "reelhouse/media/av.h"
#include "reelhouse/media/encoder_formats.h"
#include "reelhouse/media/frame_pool.h"
#include "reelhouse/media/pixel_planes.h"

namespace reelhouse {

/// The pictures that an encoder takes, with the colour tags that belong to them.
struct EncoderPicture {
  AVPixelFormat format = AV_PIX_FMT_NONE;
  int width = 0;
  int height = 0;
  PictureKind kind = PictureKind::kEightBit;

  bool is_rgb() const;
  bool is_gray() const;
  /// RGB, FFmpeg's J formats, and gray, which is taken as full wherever a codec cannot tell.
  bool is_full_range() const;

  /// Tags of the pixel contract: YUV BT.601 (smpte170m), primaries bt709, transfer iec61966-2-1; RGB matrix gbr.
  AVColorSpace matrix() const { return is_rgb() ? AVCOL_SPC_RGB : AVCOL_SPC_SMPTE170M; }
  AVColorPrimaries primaries() const { return AVCOL_PRI_BT709; }
  AVColorTransferCharacteristic transfer() const { return AVCOL_TRC_IEC61966_2_1; }
  AVColorRange range() const { return is_full_range() ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG; }
  AVChromaLocation chroma_location() const;
};

/// A converter of upright pictures (planar YUV, GRAY8, RGB24, GRAY16 of any size equal to the target's) into what an
/// encoder takes. YUV never goes through RGB; only range and the size of chroma change. GRAY16 (depth) keeps its
/// numbers; one that does not fit is refused. Not thread safe; one a thread.
class PictureConverter {
 public:
  explicit PictureConverter(const EncoderPicture& target);

  Result<AvFrame> Convert(AvFrame picture);

 private:
  Status CheckKind(const AVFrame& picture) const;
  Result<AvFrame> ToNumbers(const AVFrame& picture);
  Result<AvFrame> ToPlanes(AvFrame picture);
  Result<AvFrame> ToRgb24(AvFrame picture);
  Result<AvFrame> Repack(AvFrame picture);
  void Tag(AVFrame& frame) const;

  EncoderPicture target_;
  /// GRAY8, planar YUV or RGB24: what is made before a rearrangement that changes no value (nv12, bgr0, 10 bits, ...).
  AVPixelFormat plain_format_;
  FramePool pool_;
  FramePool packed_pool_;
  AvScaler scaler_;
};

}  // namespace reelhouse
