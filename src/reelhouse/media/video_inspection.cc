#include "reelhouse/media/video_inspection.h"

#include <optional>
#include <utility>

#include "reelhouse/media/display_orientation.h"
#include "reelhouse/media/isobmff.h"
#include "reelhouse/media/packet_table.h"
#include "reelhouse/media/picture_decoder.h"
#include "reelhouse/media/video_reader.h"

namespace reelhouse {
namespace {

/// What a decode of the whole video gave.
struct DecodedVideo {
  FrameOrder order;
  std::vector<bool> is_key;
  std::vector<bool> is_concealed;
  int64_t damage_count = 0;   ///< packets that the decoder could not make sense of
  int64_t damaged_after = 0;  ///< frames that were there before the first of them
};

Result<DecodedVideo> DecodeAll(const std::shared_ptr<VideoSource>& source, int reorder_depth) {
  ARROW_ASSIGN_OR_RAISE(const auto reader, VideoReader::Open(source, {}));
  ARROW_ASSIGN_OR_RAISE(const auto decoder, PictureDecoder::Open(*reader, /*threads=*/1, reorder_depth));
  const AvPacket packet(av_packet_alloc());
  const AvFrame picture(av_frame_alloc());
  if (!packet || !picture) return Status::OutOfMemory("FFmpeg: no memory for a packet");
  DecodedVideo video;
  bool is_finished = false;
  for (int64_t number = 0; !is_finished; ++number) {
    ARROW_ASSIGN_OR_RAISE(const bool has_packet, reader->Read(packet.get()));
    is_finished = !has_packet;
    ARROW_RETURN_NOT_OK(has_packet ? decoder->Feed(packet.get(), number) : decoder->Finish());
    while (true) {
      int64_t from_packet = -1;
      ARROW_ASSIGN_OR_RAISE(const bool has_picture, decoder->Receive(picture.get(), &from_packet));
      if (!has_picture) break;
      video.order.Append(from_packet);
      video.is_key.push_back(IsKeyPicture(*picture));
      video.is_concealed.push_back(IsConcealed(*picture));
    }
    if (video.damage_count == 0) video.damaged_after = video.order.frame_count();
    video.damage_count = decoder->damage_count();
  }
  return video;
}

/// Frames up to the last whole one: what follows a cut is not there.
int64_t WholeFrames(const DecodedVideo& video) {
  int64_t count = video.order.frame_count();
  while (count > 0 && video.is_concealed[static_cast<size_t>(count - 1)]) --count;
  return count;
}

Status CheckNoDamage(const std::string& name, const DecodedVideo& video) {
  for (int64_t frame = 0; frame < video.order.frame_count(); ++frame) {
    if (video.is_concealed[static_cast<size_t>(frame)]) {
      return Status::Invalid(name, ": frame ", frame, " is damaged");
    }
  }
  if (video.damage_count > 0) {
    return Status::Invalid(name, ": ", video.damage_count, " packets cannot be decoded, the first near frame ",
                           video.damaged_after);
  }
  return Status::OK();
}

std::vector<bool> KeyFramesOf(const PacketTable& table, const FrameOrder& order) {
  std::vector<bool> is_key(static_cast<size_t>(order.frame_count()));
  for (int64_t frame = 0; frame < order.frame_count(); ++frame) {
    const PacketRow& row = table[order.packet_of(frame)];
    is_key[static_cast<size_t>(frame)] = row.is_key && row.start >= DecodeStart::kLoose;
  }
  return is_key;
}

/// A reader at the first packet. Where the headers of an ISO BMFF file say all there is to know, no packet is decoded
/// to learn more, which would take as long as everything else that is done here.
Result<std::unique_ptr<VideoReader>> OpenReader(const std::shared_ptr<VideoSource>& source) {
  auto reader = VideoReader::Open(source, {.is_probing = false, .is_parsing = false});
  const bool is_enough =
      reader.ok() && (*reader)->is_isobmff() && CodedPictureReader((*reader)->parameters()).headers_agree();
  return is_enough ? std::move(reader) : VideoReader::Open(source, {});
}

/// The look itself, step by step, so that what was found before a failure is kept.
class Inspection {
 public:
  Inspection(std::shared_ptr<VideoSource> source, VideoValidation validation)
      : source_(std::move(source)), validation_(validation) {}

  Status Run() {
    AvLogCapture log;
    ARROW_ASSIGN_OR_RAISE(const auto reader, OpenReader(source_));
    found_.codec = avcodec_get_name(reader->parameters().codec_id);
    found_.width = reader->parameters().width;
    found_.height = reader->parameters().height;
    if (OrientationOf(reader->stream()).is_transposed) std::swap(found_.width, found_.height);

    CodedPictureReader pictures(reader->parameters());
    ARROW_ASSIGN_OR_RAISE(const PacketTable table, PacketTable::Read(*reader, &pictures));
    if (table.size() == 0) return Status::Invalid(source_->name(), ": its video stream has no pictures");
    const std::optional<FrameOrder> order = OrderFromPackets(*reader, table);
    const bool is_indexable = reader->is_isobmff() && reader->is_first_video_stream();
    if (order && is_indexable) AddIndex(table, *order, KeyFramesOf(table, *order));
    if (validation_ == VideoValidation::kNone || validation_ == VideoValidation::kContainer) return Status::OK();

    if (order) found_.frame_count = order->frame_count();
    if (!order || validation_ == VideoValidation::kDecode) {
      ARROW_ASSIGN_OR_RAISE(const DecodedVideo video, DecodeAll(source_, table.ReorderDepth()));
      if (validation_ == VideoValidation::kDecode) {
        ARROW_RETURN_NOT_OK(CheckNoDamage(source_->name(), video));
        if (order && order->frame_count() != video.order.frame_count()) {
          return Status::Invalid(source_->name(), ": expected ", order->frame_count(), " frames, decoded ",
                                 video.order.frame_count());
        }
      }
      if (!order) {
        found_.counted_by_decoding = true;
        found_.frame_count = WholeFrames(video);
        if (is_indexable) AddIndex(table, video.order, video.is_key);
      }
    }
    if (found_.frame_count > 0) return Status::OK();
    return Status::Invalid(source_->name(), ": no picture of its video stream can be decoded",
                           log.lines().empty() ? "" : " (" + log.lines() + ")");
  }

  VideoInspection& found() { return found_; }

 private:
  static std::optional<FrameOrder> OrderFromPackets(const VideoReader& reader, const PacketTable& table) {
    if (!table.CheckOnePictureEach(reader).ok()) return std::nullopt;
    Result<FrameOrder> order = table.OrderByTime();
    if (!order.ok() || order->frame_count() == 0) return std::nullopt;
    return *std::move(order);
  }

  void AddIndex(const PacketTable& table, const FrameOrder& order, const std::vector<bool>& is_key) {
    const Result<IsobmffBoxes> boxes = WalkIsobmffBoxes(source_->length_bytes(), source_->bytes());
    if (!boxes.ok()) return;
    KeyframeIndex index = MakeKeyframeIndex(table, order, is_key, boxes->metadata_ranges);
    if (!index.empty() && index.Validate(source_->length_bytes()).ok()) found_.index = std::move(index);
  }

  std::shared_ptr<VideoSource> source_;
  VideoValidation validation_;
  VideoInspection found_;
};

}  // namespace

Result<VideoValidation> ParseVideoValidation(std::string_view text) {
  if (text == "none") return VideoValidation::kNone;
  if (text == "container") return VideoValidation::kContainer;
  if (text == "frames") return VideoValidation::kFrames;
  if (text == "decode") return VideoValidation::kDecode;
  return Status::Invalid("reelhouse.video.validation: expected none, container, frames or decode, found '", text, "'");
}

Result<VideoInspection> InspectVideo(const VideoBytes& video, VideoValidation validation) {
  ARROW_ASSIGN_OR_RAISE(auto source, VideoSource::Open(video));
  Inspection inspection(std::move(source), validation);
  const Status status = inspection.Run();
  if (validation != VideoValidation::kNone) {
    ARROW_RETURN_NOT_OK(status);
    return std::move(inspection.found());
  }
  if (!status.ok() && !status.IsInvalid()) return status;
  VideoInspection unasked;
  if (status.ok()) unasked.index = std::move(inspection.found().index);
  return unasked;
}

}  // namespace reelhouse
