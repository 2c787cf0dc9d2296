#include "reelhouse/media/packet_table.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace reelhouse {
namespace {

Status Unsure(int64_t packet, const char* why) { return Status::Invalid("packet ", packet, " ", why); }

/// Codecs whose open key pictures still give a picture when decoding starts there.
bool StartsOpenly(AVCodecID codec) { return codec == AV_CODEC_ID_HEVC || codec == AV_CODEC_ID_MPEG4; }

}  // namespace

int64_t FrameOrder::frame_of(int64_t packet) const {
  return packet >= 0 && packet < static_cast<int64_t>(frames_.size()) ? frames_[static_cast<size_t>(packet)] : -1;
}

void FrameOrder::Append(int64_t packet) {
  if (packet >= 0) {
    if (packet >= static_cast<int64_t>(frames_.size())) frames_.resize(static_cast<size_t>(packet) + 1, -1);
    int32_t& frame = frames_[static_cast<size_t>(packet)];
    if (frame < 0) frame = static_cast<int32_t>(packets_.size());
  }
  packets_.push_back(static_cast<int32_t>(packet));
}

Result<PacketTable> PacketTable::Read(VideoReader& reader, CodedPictureReader* pictures) {
  PacketTable table;
  const AvPacket packet(av_packet_alloc());
  if (!packet) return Status::OutOfMemory("FFmpeg: no memory for a packet");
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const bool has_packet, reader.Read(packet.get()));
    if (!has_packet) break;
    ARROW_RETURN_NOT_OK(Prefixed(reader.source().name(), table.Append(*packet, pictures)));
    // What FFmpeg's parser would say of every picture that decoding may start at; containers are known to lie.
    PacketRow& row = table.rows_.back();
    if (pictures && !reader.is_parsing()) row.is_key = row.start >= DecodeStart::kLoose;
  }
  return table;
}

Status PacketTable::Append(const AVPacket& packet, CodedPictureReader* pictures) {
  if (size() >= kMaxPackets) return Status::Invalid("more than ", kMaxPackets, " packets");
  PacketRow row;
  row.pts = packet.pts;
  row.dts = packet.dts;
  row.duration = std::max<int64_t>(0, packet.duration);
  row.offset_bytes = packet.pos;
  row.size_bytes = packet.size;
  row.is_key = packet.flags & AV_PKT_FLAG_KEY;
  row.is_discarded = packet.flags & AV_PKT_FLAG_DISCARD;
  row.is_corrupt = packet.flags & AV_PKT_FLAG_CORRUPT;
  if (pictures) {
    const std::span<const uint8_t> bytes(packet.data, packet.data ? static_cast<size_t>(packet.size) : 0);
    const CodedPicture picture = pictures->Look(bytes, row.is_key);
    row.start = picture.start;
    row.is_skipped_leading = picture.is_skipped_leading;
    row.shown_count = picture.shown_count;
    row.is_surprising = picture.is_surprising;
    // Other parameters from here on; the first packet only repeats what the header said.
    size_t side_data_bytes = 0;
    row.is_surprising |= size() > 0 && av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, &side_data_bytes);
  }
  rows_.push_back(row);
  return Status::OK();
}

bool PacketTable::Matches(int64_t packet, const AVPacket& read) const {
  const PacketRow& row = (*this)[packet];
  if (row.offset_bytes < 0 || row.size_bytes != read.size) return false;
  return row.offset_bytes == read.pos &&
         (row.pts == read.pts || row.pts == AV_NOPTS_VALUE || read.pts == AV_NOPTS_VALUE);
}

Result<FrameOrder> PacketTable::OrderByTime() const {
  std::vector<int32_t> packets;
  packets.reserve(rows_.size());
  for (int64_t i = 0; i < size(); ++i) {
    if ((*this)[i].is_discarded) continue;
    if ((*this)[i].pts == AV_NOPTS_VALUE) return Unsure(i, "has no presentation time");
    packets.push_back(static_cast<int32_t>(i));
  }
  const auto time_of = [this](int32_t packet) { return (*this)[packet].pts; };
  std::sort(packets.begin(), packets.end(), [&](int32_t a, int32_t b) { return time_of(a) < time_of(b); });
  FrameOrder order;
  for (size_t i = 0; i < packets.size(); ++i) {
    if (i > 0 && time_of(packets[i]) == time_of(packets[i - 1])) return Unsure(packets[i], "shares its time");
    order.Append(packets[i]);
  }
  return order;
}

Status PacketTable::CheckOnePictureEach(const VideoReader& reader) const {
  if (!reader.is_isobmff() && !reader.is_matroska())
    return Status::Invalid("the container does not keep pictures apart");
  if (rows_.empty()) return Status::Invalid("there is no packet");
  const PacketRow& first = rows_.front();
  const bool is_open = first.start == DecodeStart::kOpen && StartsOpenly(reader.parameters().codec_id);
  if (!first.is_key || (first.start != DecodeStart::kClean && !is_open)) return Unsure(0, "is no clean start");
  const bool has_leading = reader.parameters().codec_id == AV_CODEC_ID_HEVC && first.start == DecodeStart::kClean;
  bool is_first_group = true;
  for (int64_t i = 0; i < size(); ++i) {
    const PacketRow& row = (*this)[i];
    if (row.size_bytes <= 0 || row.offset_bytes < 0) return Unsure(i, "is empty");
    if (row.is_corrupt || row.size_bytes > reader.source().length_bytes() - row.offset_bytes)
      return Unsure(i, "is cut");
    if (row.shown_count != 1) return Unsure(i, "may hold no picture or several");
    if (row.is_surprising) return Unsure(i, "changes what follows");
    if (row.pts < first.pts && !has_leading) return Unsure(i, "is shown before the first one");
    if (i > 0 && row.start >= DecodeStart::kOpen) is_first_group = false;
    if (row.is_skipped_leading && is_first_group) return Unsure(i, "leads a start that it needs more than");
  }
  return Status::OK();
}

int PacketTable::ReorderDepth() const {
  constexpr int64_t kWindow = 32;
  int depth = 0;
  for (int64_t i = 0; i < size(); ++i) {
    int later = 0;
    for (int64_t j = std::max<int64_t>(0, i - kWindow); j < i; ++j) later += (*this)[j].pts > (*this)[i].pts;
    depth = std::max(depth, later);
  }
  return depth <= kMaxReorderDepth ? depth : 0;
}

KeyframeIndex MakeKeyframeIndex(const PacketTable& table, const FrameOrder& order, const std::vector<bool>& is_key,
                                const std::vector<KeyframeIndex::Range>& metadata_ranges) {
  KeyframeIndex index;
  index.metadata_ranges = metadata_ranges;
  int64_t last_pts = AV_NOPTS_VALUE;
  for (int64_t frame = 0; frame < order.frame_count(); ++frame) {
    const int64_t packet = order.packet_of(frame);
    if (packet < 0 || packet >= table.size()) return {};
    const PacketRow& row = table[packet];
    if (row.pts == AV_NOPTS_VALUE || (frame > 0 && row.pts <= last_pts)) return {};
    last_pts = row.pts;
    if (!is_key[static_cast<size_t>(frame)]) {
      if (frame == 0) return {};
      continue;
    }
    const bool is_listed = row.is_key && row.offset_bytes >= 0;
    const bool is_rising = index.empty() || row.offset_bytes > index.keyframes.back().offset_bytes;
    if (!is_listed || !is_rising) return {};
    index.keyframes.push_back({frame, row.pts, row.offset_bytes});
  }
  if (index.empty()) return {};
  return index;
}

}  // namespace reelhouse
