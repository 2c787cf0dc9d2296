#include "reelhouse/media/frame_decoder.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "reelhouse/media/display_orientation.h"
#include "reelhouse/media/frame_converter.h"
#include "reelhouse/media/isobmff.h"
#include "reelhouse/media/packet_table.h"
#include "reelhouse/media/picture_decoder.h"
#include "reelhouse/media/video_reader.h"

namespace reelhouse {
namespace {

/// Packets that are rather decoded than jumped over.
constexpr int64_t kNearPackets = 4;

Status DecodeFailure(const std::string& name, const std::string& text, std::optional<int64_t> frame = {}) {
  ErrorFields fields;
  fields.path = name;
  fields.frame_index = frame;
  const std::string where = frame ? name + ": frame " + std::to_string(*frame) + ": " : "";
  return MakeError(ErrorKind::kVideoDecode, where + text, std::move(fields));
}

/// Content that cannot be opened or decoded is a failure to decode; I/O failures stay what they are.
Status AsDecodeFailure(const std::string& name, const Status& status, std::optional<int64_t> frame = {}) {
  if (!status.IsInvalid() || DetailOf(status)) return status;
  std::string text = status.message();
  if (frame && text.starts_with(name + ": ")) text.erase(0, name.size() + 2);
  return DecodeFailure(name, text, frame);
}

/// What the metadata ranges of an index leave out.
std::vector<KeyframeIndex::Range> BodiesBetween(const KeyframeIndex& index, int64_t length_bytes) {
  std::vector<KeyframeIndex::Range> bodies;
  int64_t end = 0;
  for (const KeyframeIndex::Range& range : index.metadata_ranges) {
    if (range.offset_bytes > end) bodies.push_back({end, range.offset_bytes - end});
    end = range.offset_bytes + range.length_bytes;
  }
  if (end < length_bytes) bodies.push_back({end, length_bytes - end});
  return bodies;
}

/// Codecs whose decoders need nothing beyond the header of the container to start.
bool IsDescribedByHeader(AVCodecID codec) {
  return codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC || codec == AV_CODEC_ID_AV1 || codec == AV_CODEC_ID_VP9;
}

/// Gives frames without a time the one that follows from their neighbours (AVI and elementary streams store none for
/// most pictures); without any time they are counted from 0.
void FillMissingTimes(std::vector<FrameTime>& times) {
  const auto is_known = [](const FrameTime& time) { return time.pts != AV_NOPTS_VALUE; };
  const auto step = [](const FrameTime& time) { return std::max<int64_t>(1, time.duration); };
  auto first = std::find_if(times.begin(), times.end(), is_known);
  if (first == times.end()) {
    if (times.empty()) return;
    first = times.begin();
    first->pts = 0;
  }
  for (auto time = first; time != times.begin(); --time) std::prev(time)->pts = time->pts - step(*std::prev(time));
  for (auto time = std::next(first); time != times.end(); ++time) {
    if (!is_known(*time)) time->pts = std::prev(time)->pts + step(*std::prev(time));
  }
}

/// The decoder behind `FrameDecoder`: where the order of frames is certain from packets it is used to jump, otherwise
/// it is learnt by decoding from the start, as far as is needed.
class ExactFrameDecoder final : public FrameDecoder {
 public:
  ExactFrameDecoder(std::shared_ptr<VideoSource> source, int threads)
      : source_(std::move(source)), threads_(threads), packet_(av_packet_alloc()), picture_(av_frame_alloc()) {}

  Status Start(const KeyframeIndex& index);

  Status Decode(std::span<const int64_t> frame_indexes, const FrameFormat& format,
                const std::function<Status(size_t, DecodedFrame)>& take,
                const std::function<Status(size_t, Status)>& fail) override;
  Result<std::vector<FrameTime>> FrameTimes() override;
  std::pair<int, int> time_base() const override { return time_base_; }
  const DecoderStats& stats() const override {
    stats_.reads = source_->counts().reads;
    stats_.bytes_read = source_->counts().bytes_read;
    return stats_;
  }

 private:
  /// Where decoding starts: a packet and the frame that it gives.
  struct Entry {
    int64_t packet = 0;
    int64_t frame = 0;
    bool is_exact = true;  ///< the start of the video, or nothing after it needs anything before it
  };

  Status TrustIndex(const KeyframeIndex& index);
  Status LearnPackets();
  Status OpenReader(bool is_probing);

  Status Reach(int64_t frame);
  Status TryToReach(int64_t frame, bool is_exact_only);
  Result<Entry> EntryFor(int64_t frame, bool is_exact_only);
  Result<bool> StartAt(Entry entry);
  Result<bool> LookAhead();
  Status MoveTo(int64_t packet);
  Result<bool> SeekTo(int64_t packet);
  Status OpenDecoder();
  Status Prime();

  Result<bool> ReadPacket();
  Result<bool> NextPicture(int64_t* packet);
  Result<bool> NextFrame();
  Status Identify(int64_t packet, bool* is_frame);
  void Distrust();

  bool HasDamage() const { return is_cut_ || (decoder_ && decoder_->damage_count() != damage_at_start_); }
  const std::string& name() const { return source_->name(); }

  std::shared_ptr<VideoSource> source_;
  int threads_;
  AvPacket packet_;
  AvFrame picture_;

  std::unique_ptr<VideoReader> reader_;
  std::unique_ptr<CodedPictureReader> pictures_;
  std::unique_ptr<PictureDecoder> decoder_;
  std::unique_ptr<FrameConverter> converter_;
  std::pair<int, int> time_base_{1, 1};
  mutable DecoderStats stats_;

  PacketTable table_;
  FrameOrder order_;
  bool has_all_packets_ = false;      ///< the table is complete
  bool has_all_frames_ = false;       ///< the order is complete
  bool is_order_from_times_ = false;  ///< the order was made from packets; else it is what decoding gave
  bool is_probing_ = true;            ///< how the reader was opened
  bool is_sequential_only_ = false;   ///< no entry but the start is believed

  // The run: the reader stands before `next_packet_`, the decoder has been fed all from the entry on.
  int64_t next_packet_ = 0;
  bool has_pending_packet_ = false;  ///< `packet_` is `next_packet_`, not fed yet
  bool is_running_ = false;
  bool is_fed_ = false;
  bool is_finished_ = false;
  bool is_cut_ = false;  ///< packets are missing at the end
  std::optional<Entry> awaited_entry_;
  Entry entry_;
  int64_t next_frame_ = 0;
  int64_t damage_at_start_ = 0;
  int64_t current_frame_ = -1;  ///< the one in `picture_`
  int doubts_ = 0;              ///< how often `Distrust` was called
};

Status ExactFrameDecoder::OpenReader(bool is_probing) {
  is_probing_ = is_probing;
  VideoReader::Options options;
  options.is_probing = is_probing;
  if (!is_probing) options.container = "mov";
  ARROW_ASSIGN_OR_RAISE(reader_, VideoReader::Open(source_, options));
  next_packet_ = 0;
  has_pending_packet_ = false;
  time_base_ = {reader_->stream().time_base.num, reader_->stream().time_base.den};
  if (!pictures_) pictures_ = std::make_unique<CodedPictureReader>(reader_->parameters());
  if (!converter_) converter_ = std::make_unique<FrameConverter>(OrientationOf(reader_->stream()));
  return Status::OK();
}

Status ExactFrameDecoder::Start(const KeyframeIndex& index) {
  if (!packet_ || !picture_) return Status::OutOfMemory("FFmpeg: no memory for a packet");
  AvLogCapture log;
  if (!index.empty() && index.Validate(source_->length_bytes()).ok()) {
    // An index that does not fit its video is ignored: it only saves work.
    const Status trusted = TrustIndex(index);
    if (trusted.ok()) return OpenReader(/*is_probing=*/false);
    if (!trusted.IsInvalid()) return trusted;
    table_ = PacketTable();
    order_ = FrameOrder();
    is_order_from_times_ = has_all_packets_ = has_all_frames_ = false;
  }
  ARROW_RETURN_NOT_OK(OpenReader(/*is_probing=*/true));
  return LearnPackets();
}

/// Takes times and positions from the sample tables, without the coded pictures, where the index vouches for them.
Status ExactFrameDecoder::TrustIndex(const KeyframeIndex& index) {
  ARROW_RETURN_NOT_OK(source_->KeepInMemory(index.metadata_ranges));
  const std::vector<KeyframeIndex::Range> bodies = BodiesBetween(index, source_->length_bytes());
  VideoReader::Options options;
  options.is_probing = false;
  options.container = "mov";
  options.blank = &bodies;
  ARROW_ASSIGN_OR_RAISE(const auto reader, VideoReader::Open(source_, options));
  if (!reader->is_isobmff() || !IsDescribedByHeader(reader->parameters().codec_id)) {
    return Status::Invalid("the packets have to be read");
  }
  ARROW_ASSIGN_OR_RAISE(table_, PacketTable::Read(*reader, nullptr));
  ARROW_ASSIGN_OR_RAISE(order_, table_.OrderByTime());
  for (const KeyframeIndex::Keyframe& keyframe : index.keyframes) {
    const int64_t packet = keyframe.frame_index < order_.frame_count() ? order_.packet_of(keyframe.frame_index) : -1;
    const bool is_there = packet >= 0 && table_[packet].pts == keyframe.pts && table_[packet].is_key &&
                          table_[packet].offset_bytes == keyframe.offset_bytes;
    if (!is_there) return Status::Invalid("the index does not fit the video");
  }
  for (int64_t packet = 0; packet < table_.size(); ++packet) {
    PacketRow& row = table_.at(packet);
    if (row.size_bytes > source_->length_bytes() - row.offset_bytes) return Status::Invalid("the video is cut");
    if (!row.is_key) row.start = DecodeStart::kNone;
  }
  is_order_from_times_ = has_all_packets_ = has_all_frames_ = true;
  return Status::OK();
}

/// Reads all packets of containers that may say the order; for others packets are learnt while decoding.
Status ExactFrameDecoder::LearnPackets() {
  if (!reader_->is_isobmff() && !reader_->is_matroska()) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(table_, PacketTable::Read(*reader_, pictures_.get()));
  has_all_packets_ = true;
  next_packet_ = table_.size();
  const Status sure = table_.CheckOnePictureEach(*reader_);
  if (!sure.ok()) return Status::OK();
  Result<FrameOrder> order = table_.OrderByTime();
  if (!order.ok()) return Status::OK();
  order_ = *std::move(order);
  is_order_from_times_ = has_all_frames_ = true;
  return Status::OK();
}

Status ExactFrameDecoder::Decode(std::span<const int64_t> frame_indexes, const FrameFormat& format,
                                 const std::function<Status(size_t, DecodedFrame)>& take,
                                 const std::function<Status(size_t, Status)>& fail) {
  ARROW_RETURN_NOT_OK(FrameConverter::CheckFormat(format));
  AvLogCapture log;
  std::vector<size_t> positions(frame_indexes.size());
  std::iota(positions.begin(), positions.end(), size_t{0});
  std::stable_sort(positions.begin(), positions.end(),
                   [&](size_t a, size_t b) { return frame_indexes[a] < frame_indexes[b]; });
  for (size_t i = 0; i < positions.size();) {
    const int64_t frame = frame_indexes[positions[i]];
    DecodedFrame decoded;
    Status status = AsDecodeFailure(name(), Reach(frame), frame);
    if (status.ok()) {
      Result<DecodedFrame> converted = converter_->Convert(*picture_, format);
      if (converted.ok()) {
        decoded = *std::move(converted);
      } else if (converted.status().IsOutOfMemory()) {
        return converted.status();
      } else {
        status = DecodeFailure(name(), converted.status().message(), frame);
      }
    }
    if (!status.ok() && !IsKind(status, ErrorKind::kVideoDecode)) return status;
    for (; i < positions.size() && frame_indexes[positions[i]] == frame; ++i) {
      ARROW_RETURN_NOT_OK(status.ok() ? take(positions[i], decoded) : fail(positions[i], status));
    }
  }
  return Status::OK();
}

/// Brings the frame into `picture_`, or says why it cannot be had (kVideoDecode).
Status ExactFrameDecoder::Reach(int64_t frame) {
  if (frame < 0) return DecodeFailure(name(), "frame indexes start at 0", frame);
  bool is_exact_only = false;
  while (current_frame_ != frame || (IsConcealed(*picture_) && !entry_.is_exact)) {
    if (has_all_frames_ && frame >= order_.frame_count()) {
      return DecodeFailure(name(), "the video has " + std::to_string(order_.frame_count()) + " frames", frame);
    }
    const int doubts = doubts_;
    ARROW_RETURN_NOT_OK(TryToReach(frame, is_exact_only));
    if (doubts_ != doubts) continue;  // what was known was wrong; it is less now, so that this ends
    if (entry_.is_exact || is_exact_only) break;
    is_exact_only = true;
  }
  if (has_all_frames_ && frame >= order_.frame_count()) {
    return DecodeFailure(name(), "the video has " + std::to_string(order_.frame_count()) + " frames", frame);
  }
  if (current_frame_ != frame) {
    if (decoder_ && !decoder_->refused_size().ok()) {
      return DecodeFailure(name(), decoder_->refused_size().message(), frame);
    }
    return DecodeFailure(name(), "the decoder gives no picture for it", frame);
  }
  if (IsConcealed(*picture_)) return DecodeFailure(name(), "its data is damaged", frame);
  return Status::OK();
}

/// Decodes from an entry, or goes on where the run already is near, until the frame or one behind it is there.
Status ExactFrameDecoder::TryToReach(int64_t frame, bool is_exact_only) {
  while (true) {
    ARROW_ASSIGN_OR_RAISE(Entry entry, EntryFor(frame, is_exact_only));
    const bool goes_on = is_running_ && next_frame_ <= frame && entry.packet <= next_packet_ + kNearPackets;
    if (goes_on && (entry_.is_exact || !is_exact_only)) break;
    ARROW_ASSIGN_OR_RAISE(const bool is_start, StartAt(entry));
    if (is_start) break;
  }
  while (current_frame_ < frame) {
    ARROW_ASSIGN_OR_RAISE(const bool has_frame, NextFrame());
    if (!has_frame) break;
  }
  return Status::OK();
}

/// The last entry from which the frame can be decoded, as far as is known: a packet that nobody has looked at may be
/// one. Frames that are not known yet are only counted from exact entries.
Result<ExactFrameDecoder::Entry> ExactFrameDecoder::EntryFor(int64_t frame, bool is_exact_only) {
  if (is_sequential_only_ || order_.frame_count() == 0) return Entry{};
  const bool is_known = frame < order_.frame_count();
  const int64_t last_packet = is_known ? order_.packet_of(frame) : PacketTable::kMaxPackets;
  const DecodeStart least = is_exact_only || !is_known ? DecodeStart::kClean : DecodeStart::kOpen;
  for (int64_t at = is_known ? frame : order_.frame_count() - 1; at > 0; --at) {
    const int64_t packet = order_.packet_of(at);
    if (packet <= 0 || packet > last_packet || packet >= table_.size()) continue;
    const PacketRow& row = table_[packet];
    if (!row.is_key || order_.frame_of(packet) != at) continue;
    if (row.start == DecodeStart::kUnknown || row.start >= least) {
      return Entry{packet, at, row.start == DecodeStart::kClean};
    }
  }
  return Entry{};
}

Status ExactFrameDecoder::OpenDecoder() {
  ARROW_ASSIGN_OR_RAISE(decoder_,
                        PictureDecoder::Open(*reader_, threads_, has_all_packets_ ? table_.ReorderDepth() : 0));
  is_fed_ = false;
  return Status::OK();
}

/// Some decoders learn from the first packet how the encoder erred, and decode all others accordingly.
Status ExactFrameDecoder::Prime() {
  const AVCodecParameters& parameters = reader_->parameters();
  const int profile = parameters.extradata_size > 1 ? parameters.extradata[1] : 0;
  const bool is_h264_444 = parameters.codec_id == AV_CODEC_ID_H264 && (profile == 244 || profile == 44);
  if (parameters.codec_id != AV_CODEC_ID_MPEG4 && !is_h264_444) return Status::OK();
  ARROW_RETURN_NOT_OK(MoveTo(0));
  ARROW_ASSIGN_OR_RAISE(const bool has_packet, ReadPacket());
  if (!has_packet) return Status::OK();
  ARROW_RETURN_NOT_OK(decoder_->Feed(packet_.get(), 0));
  ++stats_.packets_fed;
  is_fed_ = true;
  return Status::OK();
}

/// Starts a run. False where the packet turned out to be no start at all.
Result<bool> ExactFrameDecoder::StartAt(Entry entry) {
  is_running_ = false;
  current_frame_ = -1;
  // From the start with a new decoder, as a sequential decode would: flushing does not make every decoder forget.
  if (!decoder_ || (entry.packet == 0 && is_fed_)) ARROW_RETURN_NOT_OK(OpenDecoder());
  if (entry.packet > 0 && !is_fed_) ARROW_RETURN_NOT_OK(Prime());
  ARROW_RETURN_NOT_OK(MoveTo(entry.packet));
  if (entry.packet > 0 && table_[entry.packet].start == DecodeStart::kUnknown) {
    ARROW_ASSIGN_OR_RAISE(const bool has_packet, LookAhead());
    if (!has_packet || table_[entry.packet].start < DecodeStart::kOpen) return false;
    entry.is_exact = table_[entry.packet].start == DecodeStart::kClean;
  }
  if (is_fed_) decoder_->Flush();
  entry_ = entry;
  awaited_entry_.reset();
  if (entry.packet > 0) awaited_entry_ = entry;
  next_frame_ = entry.frame;
  is_finished_ = is_cut_ = false;
  damage_at_start_ = decoder_->damage_count();
  is_running_ = true;
  return true;
}

/// Looks at the next packet without taking it.
Result<bool> ExactFrameDecoder::LookAhead() {
  const int64_t packet = next_packet_;
  ARROW_ASSIGN_OR_RAISE(const bool has_packet, ReadPacket());
  PacketRow& row = table_.at(packet);
  row.start = DecodeStart::kNone;
  if (!has_packet) return false;
  --next_packet_;
  has_pending_packet_ = true;
  if (packet_->data) row.start = pictures_->Look({packet_->data, static_cast<size_t>(packet_->size)}, row.is_key).start;
  return true;
}

/// Makes `packet` the next one that is read.
Status ExactFrameDecoder::MoveTo(int64_t packet) {
  const int64_t standing_at = next_packet_;
  const bool is_near = standing_at <= packet && packet - standing_at <= kNearPackets;
  if (!is_near) {
    ++stats_.seeks;
    ARROW_ASSIGN_OR_RAISE(const bool is_there, SeekTo(packet));
    // Containers without a usable index: from the start again. Only demuxing, nothing is decoded.
    if (!is_there) ARROW_RETURN_NOT_OK(OpenReader(is_probing_));
  }
  while (next_packet_ < packet) {
    ARROW_ASSIGN_OR_RAISE(const bool has_packet, ReadPacket());
    if (!has_packet) return DecodeFailure(name(), "packet " + std::to_string(packet) + " is gone");
  }
  return Status::OK();
}

/// Seeks with the means of the container and finds out where it landed; false if that is of no use.
Result<bool> ExactFrameDecoder::SeekTo(int64_t packet) {
  if (packet >= table_.size()) return false;
  const PacketRow& row = table_[packet];
  VideoReader::SeekBy by = VideoReader::SeekBy::kTimestamp;
  int64_t target = row.dts != AV_NOPTS_VALUE ? row.dts : row.pts;
  if (reader_->is_matroska() && row.pts != AV_NOPTS_VALUE) target = row.pts;
  if (reader_->is_transport_stream()) {
    by = VideoReader::SeekBy::kByte;
    target = row.offset_bytes;
  }
  has_pending_packet_ = false;
  next_packet_ = PacketTable::kMaxPackets;
  if (target == AV_NOPTS_VALUE || (target < 0 && by == VideoReader::SeekBy::kByte)) return false;
  if (!reader_->Seek(by, target)) return false;
  ARROW_ASSIGN_OR_RAISE(const bool has_packet, reader_->Read(packet_.get()));
  if (!has_packet) return false;
  int64_t landed_at = packet;
  while (landed_at >= 0 && !table_.Matches(landed_at, *packet_)) --landed_at;
  if (landed_at < 0) return false;
  next_packet_ = landed_at;
  has_pending_packet_ = true;
  return true;
}

/// Reads the next packet into `packet_` and learns it where it is new.
Result<bool> ExactFrameDecoder::ReadPacket() {
  if (!has_pending_packet_) {
    ARROW_ASSIGN_OR_RAISE(const bool has_packet, reader_->Read(packet_.get()));
    if (!has_packet) return false;
    if (next_packet_ >= table_.size()) {
      ARROW_RETURN_NOT_OK(Prefixed(name(), table_.Append(*packet_, pictures_.get())));
    }
  }
  has_pending_packet_ = false;
  ++next_packet_;
  return true;
}

Result<bool> ExactFrameDecoder::NextPicture(int64_t* packet) {
  while (true) {
    current_frame_ = -1;
    ARROW_ASSIGN_OR_RAISE(const bool has_picture, decoder_->Receive(picture_.get(), packet));
    if (has_picture) {
      ++stats_.frames_decoded;
      return true;
    }
    if (is_finished_) return false;
    const int64_t number = next_packet_;
    ARROW_ASSIGN_OR_RAISE(const bool has_packet, ReadPacket());
    if (has_packet) {
      ARROW_RETURN_NOT_OK(decoder_->Feed(packet_.get(), number));
      ++stats_.packets_fed;
      is_fed_ = true;
    } else {
      is_cut_ = has_all_packets_ && next_packet_ < table_.size();
      ARROW_RETURN_NOT_OK(decoder_->Finish());
      is_finished_ = true;
    }
  }
}

/// Decodes up to the next frame of the video. False at the end, or where the order turned out to be wrong.
Result<bool> ExactFrameDecoder::NextFrame() {
  while (is_running_) {
    int64_t packet = -1;
    ARROW_ASSIGN_OR_RAISE(const bool has_picture, NextPicture(&packet));
    if (!has_picture) {
      is_running_ = false;
      if (is_order_from_times_) {
        // Fewer pictures than packets without any sign of damage.
        if (next_frame_ < order_.frame_count() && !HasDamage() && entry_.is_exact) Distrust();
      } else if (!awaited_entry_) {
        has_all_frames_ = true;
        has_all_packets_ = true;
      }
      return false;
    }
    bool is_frame = false;
    ARROW_RETURN_NOT_OK(Identify(packet, &is_frame));
    if (is_frame) return true;
  }
  return false;
}

/// Finds which frame the picture is that the decoder just gave.
Status ExactFrameDecoder::Identify(int64_t packet, bool* is_frame) {
  if (awaited_entry_) {
    // Leading pictures of an open group come out broken, or not at all.
    if (packet != awaited_entry_->packet) return Status::OK();
    awaited_entry_.reset();
  }
  int64_t frame = next_frame_;
  if (is_order_from_times_) {
    frame = order_.frame_of(packet);
    const bool is_gap = frame > next_frame_ && !HasDamage() && entry_.is_exact;
    if (frame < next_frame_ || is_gap) {
      Distrust();
      return Status::OK();
    }
  } else if (frame == order_.frame_count()) {
    order_.Append(packet);
  } else if (order_.packet_of(frame) != packet) {
    Distrust();
    return Status::OK();
  }
  current_frame_ = frame;
  next_frame_ = frame + 1;
  *is_frame = true;
  return Status::OK();
}

/// Decoding contradicts what is known: first the order from packets is dropped, then all entries but the start.
void ExactFrameDecoder::Distrust() {
  ++doubts_;
  is_running_ = false;
  current_frame_ = -1;
  order_ = FrameOrder();
  has_all_frames_ = false;
  if (is_order_from_times_) {
    is_order_from_times_ = false;
  } else {
    is_sequential_only_ = true;
  }
}

Result<std::vector<FrameTime>> ExactFrameDecoder::FrameTimes() {
  AvLogCapture log;
  for (int attempt = 0; attempt < 5 && !has_all_frames_; ++attempt) {
    if (!is_running_ || next_frame_ < order_.frame_count()) {
      ARROW_ASSIGN_OR_RAISE(const Entry entry, EntryFor(order_.frame_count(), true));
      ARROW_ASSIGN_OR_RAISE(const bool is_start, StartAt(entry));
      if (!is_start) continue;
    }
    while (is_running_) ARROW_RETURN_NOT_OK(NextFrame());
  }
  std::vector<FrameTime> times;
  times.reserve(static_cast<size_t>(order_.frame_count()));
  for (int64_t frame = 0; frame < order_.frame_count(); ++frame) {
    const int64_t packet = order_.packet_of(frame);
    const PacketRow row = packet >= 0 && packet < table_.size() ? table_[packet] : PacketRow();
    times.push_back({row.pts, row.duration});
  }
  FillMissingTimes(times);
  return times;
}

}  // namespace

Result<std::unique_ptr<FrameDecoder>> FrameDecoder::Open(VideoBytes video, KeyframeIndex index, int threads) {
  const std::string name = video.name;
  auto source = VideoSource::Open(std::move(video));
  if (!source.ok()) return AsDecodeFailure(name, source.status());
  auto decoder = std::make_unique<ExactFrameDecoder>(*std::move(source), threads);
  const Status started = decoder->Start(index);
  if (!started.ok()) return AsDecodeFailure(name, started);
  return std::unique_ptr<FrameDecoder>(std::move(decoder));
}

}  // namespace reelhouse
