#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reelhouse/media/av.h"
#include "reelhouse/media/encoder_formats.h"
#include "reelhouse/media/picture_converter.h"
#include "reelhouse/media/video_encoder.h"

namespace reelhouse {

/// The encoder, pixel format, container and FFmpeg options that encoding options stand for on the FFmpeg at hand.
struct EncoderChoice {
  const ::AVCodec* encoder = nullptr;
  AVPixelFormat format = AV_PIX_FMT_NONE;
  PictureKind kind = PictureKind::kEightBit;
  std::string container;  ///< FFmpeg's name of the muxer
  std::vector<std::pair<std::string, std::string>> options;
  std::optional<double> qscale;
};

/// Checks every name; the texts say what would work. Does not open the encoder.
Result<EncoderChoice> ChooseEncoder(const EncodingOptions& options, PictureKind kind);

/// True where 8-bit pictures go to the encoder as RGB.
bool WantsRgb(const EncodingOptions& options);

/// Refuses odd sides where codec and chroma cannot hold them, before the encoder would do it in its own words.
Status CheckEncoderSize(const EncoderChoice& choice, int width, int height);

}  // namespace reelhouse
