#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reelhouse/base/cancellation.h"
#include "reelhouse/base/status.h"
#include "reelhouse/media/image_source.h"
#include "reelhouse/media/keyframe_index.h"
#include "reelhouse/media/rational.h"
#include "reelhouse/media/video_sink.h"

namespace reelhouse {

/// How images become a video. A plain aggregate: `Validate` is called once at the door.
struct EncodingOptions {
  Rational fps;
  /// FFmpeg's name; nothing = libx264, and ffv1 for depth (one-channel pictures of 16 bits), which is never lossy
  /// unless the caller says so.
  std::optional<std::string> codec;
  /// FFmpeg's name; nothing = the default of the contract (8-bit: yuv420p, else the codec's first 8-bit RGB format;
  /// one-channel uint16: the deepest grey format of the codec).
  std::optional<std::string> pixel_format;
  int gop_size = 2;
  /// Nothing with libx264 = crf 18, preset fast. Options that repeat an argument (g, keyint, pix_fmt, r) are refused.
  std::optional<std::vector<std::pair<std::string, std::string>>> codec_options;
  bool apply_orientation = true;                     ///< EXIF
  std::optional<std::array<uint8_t, 3>> background;  ///< RGB below pictures with alpha
  /// Most pixels of an image file; nothing = that of the table, which is `kDefaultMaxPixels` where it does not say.
  std::optional<int64_t> max_image_pixels;

  /// Checks names against the FFmpeg at hand; unknown codecs, formats and options are refused with what there is.
  Status Validate() const;
};

struct EncodedVideo {
  int64_t frame_count = 0;
  int64_t length_bytes = 0;
  int width = 0;
  int height = 0;
  int64_t image_bytes = 0;  ///< sum of the encoded inputs, 0 for raw pixels
  KeyframeIndex index;      ///< from the encoder's own packets
};

/// Encodes all images of `source` into one MP4 (MOV where MP4 cannot carry the codec) in `sink`: frame k is image k,
/// PTS k in units of 1/fps. Images are decoded and converted on worker threads while the encoder runs; memory is
/// bounded; the call returns when all threads are done. Nothing is appended to `sink` before the first image is
/// decoded and the encoder accepted its size.
///
/// `expected_count` (-1 = unknown): when the source gives another number of images the call fails with
/// `Image count %d does not match frame row count %d.`
Result<EncodedVideo> EncodeImages(ImageSource& source, const EncodingOptions& options, int64_t expected_count,
                                  VideoSink& sink, const ProgressCallback& progress = {},
                                  const CancellationCheck& cancelled = {});

}  // namespace reelhouse
