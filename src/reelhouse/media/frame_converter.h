#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/media/av.h"
#include "reelhouse/media/display_orientation.h"
#include "reelhouse/media/frame_decoder.h"

namespace reelhouse {

/// Turns decoded pictures into pixels as they are shown: matrix and range of the picture's own tags (untagged YUV is
/// BT.601 limited, untagged grey is full range), size, orientation, layout. The same picture gives the same pixels
/// always. Keeps a scaler for pictures of one kind after another; not thread safe.
class FrameConverter {
 public:
  explicit FrameConverter(DisplayOrientation orientation) : orientation_(orientation) {}

  Result<DecodedFrame> Convert(const AVFrame& picture, const FrameFormat& format);

  /// Invalid where `format` itself makes no sense.
  static Status CheckFormat(const FrameFormat& format);

 private:
  struct Size {
    int width = 0;
    int height = 0;
    bool operator==(const Size&) const = default;
  };
  /// Samples of one picture, interleaved, rows without gaps.
  struct Pixels {
    std::shared_ptr<arrow::Buffer> bytes;
    Size size;
    int channels = 1;
    int sample_bytes = 1;
  };
  /// What a scaler was made for.
  struct ScalerKey {
    int from = -1;
    int to = -1;
    Size from_size;
    Size to_size;
    int flags = 0;
    int matrix = 0;
    bool is_full_range = false;
    bool operator==(const ScalerKey&) const = default;
  };

  Result<Pixels> ToRgb(const AVFrame& picture, Size size, FrameFormat::Scaler scaler);
  Result<Pixels> YuvToRgb(const AVFrame& picture, Size size, int scaler_flags);
  Result<Pixels> ToGray(const AVFrame& picture);
  Result<Pixels> Resized(Pixels pixels, Size size, FrameFormat::Scaler scaler);
  Result<Pixels> Oriented(Pixels pixels) const;
  Result<SwsContext*> ScalerFor(const ScalerKey& key);

  DisplayOrientation orientation_;
  ScalerKey scaler_key_;
  AvScaler scaler_;
};

}  // namespace reelhouse
