#pragma once

#include <cstdint>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/media/av.h"
#include "reelhouse/media/coded_picture.h"
#include "reelhouse/media/keyframe_index.h"
#include "reelhouse/media/video_reader.h"

namespace reelhouse {

/// One packet of a video stream; packets are numbered from 0 in the order of the file.
struct PacketRow {
  int64_t pts = AV_NOPTS_VALUE;
  int64_t dts = AV_NOPTS_VALUE;
  int64_t duration = 0;
  int64_t offset_bytes = -1;
  int32_t size_bytes = 0;
  bool is_key = false;        ///< flagged by the container
  bool is_discarded = false;  ///< decoded, never shown (edit lists)
  bool is_corrupt = false;    ///< flagged or cut
  DecodeStart start = DecodeStart::kUnknown;
  bool is_skipped_leading = false;
  bool is_surprising = false;
  int shown_count = -1;
};

/// Which packet every presentable frame comes from, in presentation order.
class FrameOrder {
 public:
  int64_t frame_count() const { return static_cast<int64_t>(packets_.size()); }
  /// -1 where the decoder did not say.
  int64_t packet_of(int64_t frame) const { return packets_[static_cast<size_t>(frame)]; }
  /// -1 for packets without a frame.
  int64_t frame_of(int64_t packet) const;
  void Append(int64_t packet);

 private:
  std::vector<int32_t> packets_;
  std::vector<int32_t> frames_;
};

/// All packets of a stream, or those that were read so far.
class PacketTable {
 public:
  /// More packets than that are refused, so that hostile files cannot fill the memory (92 hours at 60 frames a second).
  static constexpr int64_t kMaxPackets = 20'000'000;

  /// One pass from where the reader stands. With `pictures`, each packet is looked at.
  static Result<PacketTable> Read(VideoReader& reader, CodedPictureReader* pictures);

  int64_t size() const { return static_cast<int64_t>(rows_.size()); }
  const PacketRow& operator[](int64_t packet) const { return rows_[static_cast<size_t>(packet)]; }
  PacketRow& at(int64_t packet) { return rows_[static_cast<size_t>(packet)]; }

  Status Append(const AVPacket& packet, CodedPictureReader* pictures);

  /// True if the row is this packet, by place and size.
  bool Matches(int64_t packet, const AVPacket& read) const;

  /// The order by presentation time, where times and flags alone allow it: all times there and different.
  Result<FrameOrder> OrderByTime() const;

  /// OK where every packet is certain to give exactly one frame, so that `OrderByTime` is what decoding would give;
  /// else Invalid with the reason.
  Status CheckOnePictureEach(const VideoReader& reader) const;

  /// No codec keeps more pictures back; decoders abort where they are told so.
  static constexpr int kMaxReorderDepth = 16;

  /// The most packets that precede another one in the file and follow it on the screen; 0 where the times make no
  /// sense.
  int ReorderDepth() const;

 private:
  std::vector<PacketRow> rows_;
};

/// The keyframe index for the frames of `order`, of which `is_key[frame]` tells those that may be listed. Empty where
/// the format cannot say what is there: the first frame is no key, times or positions do not rise.
KeyframeIndex MakeKeyframeIndex(const PacketTable& table, const FrameOrder& order, const std::vector<bool>& is_key,
                                const std::vector<KeyframeIndex::Range>& metadata_ranges);

}  // namespace reelhouse
