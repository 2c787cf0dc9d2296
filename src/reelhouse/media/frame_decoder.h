#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <arrow/buffer.h>

#include "reelhouse/base/status.h"
#include "reelhouse/media/keyframe_index.h"
#include "reelhouse/media/video_inspection.h"

namespace reelhouse {

/// How decoded frames are given out.
struct FrameFormat {
  enum class Pixels {
    kRgb24,
    kGray8,   ///< luma, stretched to full range
    kGray16,  ///< numbers as stored in grey video of 9 to 16 bits
    /// Of grey video its one channel: kGray16 where it has more than 8 bits (resized by the nearest pixel, since a mean
    /// of two depths is neither), else kGray8. Of other video kRgb24.
    kStored,
  };
  enum class Layout { kHwc, kChw };
  enum class Scaler { kNearest, kBilinear, kBicubic, kArea };
  Pixels pixels = Pixels::kRgb24;
  Layout layout = Layout::kHwc;
  Scaler scaler = Scaler::kBilinear;
  std::optional<int> height;  ///< both or none
  std::optional<int> width;
};

/// One picture: contiguous pixels, uint8 (H, W, 3), (3, H, W) or (H, W), or uint16 (H, W).
struct DecodedFrame {
  std::shared_ptr<arrow::Buffer> pixels;
  int width = 0;
  int height = 0;
  FrameFormat::Pixels kind = FrameFormat::Pixels::kRgb24;  ///< never kStored
};

/// Work done by a decoder; tests assert it.
struct DecoderStats {
  int64_t packets_fed = 0;
  int64_t frames_decoded = 0;
  int64_t seeks = 0;
  int64_t reads = 0;
  int64_t bytes_read = 0;
};

/// Decodes wanted frames of one video, exactly: frame k is the k-th presentable frame of a decode from the start, bit
/// for bit, whatever the order of requests. Holds one demuxer and one decoder; not thread safe.
class FrameDecoder {
 public:
  /// `index` may be empty: an exact one is made in memory from packets (or by decoding where packets cannot tell).
  static Result<std::unique_ptr<FrameDecoder>> Open(VideoBytes video, KeyframeIndex index, int threads = 1);
  virtual ~FrameDecoder() = default;

  /// Frames for `frame_indexes` (any order, repeats allowed), handed to `take(position in frame_indexes, frame)`.
  /// A frame that cannot be had: `fail(position, status)`; its result decides whether to go on (OK) or to stop.
  /// Decodes each run once, in ascending order; memory holds only frames not yet taken.
  virtual Status Decode(std::span<const int64_t> frame_indexes, const FrameFormat& format,
                        const std::function<Status(size_t, DecodedFrame)>& take,
                        const std::function<Status(size_t, Status)>& fail) = 0;

  /// Times of all presentable frames, in presentation order, in units of `time_base`.
  virtual Result<std::vector<FrameTime>> FrameTimes() = 0;
  virtual std::pair<int, int> time_base() const = 0;
  virtual const DecoderStats& stats() const = 0;
};

}  // namespace reelhouse
