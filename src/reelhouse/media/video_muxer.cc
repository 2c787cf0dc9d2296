#include "reelhouse/media/video_muxer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "reelhouse/media/h264_keyframe.h"
#include "reelhouse/media/isobmff.h"

namespace reelhouse {
namespace {

constexpr int kBufferBytes = 256 * 1024;
/// Enough for the boxes ahead of the media data, and for the headers of those behind it.
constexpr int64_t kKeptBytes = 64 * 1024;

}  // namespace

/// The sink as FFmpeg sees it: a file that grows at its end and is patched elsewhere. Keeps a copy of its first bytes
/// and of the first bytes behind the media data, where box headers are, since a sink cannot be read.
struct VideoMuxer::Output {
  struct Kept {
    int64_t offset_bytes = 0;
    std::vector<uint8_t> bytes;

    void Note(int64_t offset, const uint8_t* data, int64_t size) {
      const int64_t first = std::max(offset, offset_bytes);
      const int64_t end = std::min(offset + size, offset_bytes + kKeptBytes);
      if (first >= end) return;
      const auto wanted = static_cast<size_t>(end - offset_bytes);
      if (bytes.size() < wanted) bytes.resize(wanted);
      std::memcpy(bytes.data() + (first - offset_bytes), data + (first - offset), static_cast<size_t>(end - first));
    }

    bool Read(int64_t offset, int64_t size, uint8_t* to) const {
      if (offset < offset_bytes || offset - offset_bytes + size > static_cast<int64_t>(bytes.size())) return false;
      std::memcpy(to, bytes.data() + (offset - offset_bytes), static_cast<size_t>(size));
      return true;
    }
  };

  explicit Output(VideoSink& sink) : sink(sink) {}

  Status Write(const uint8_t* data, int64_t size) {
    head.Note(position, data, size);
    if (tail) tail->Note(position, data, size);
    const int64_t patched = std::clamp<int64_t>(length - position, 0, size);
    if (patched > 0) ARROW_RETURN_NOT_OK(sink.Overwrite(position, data, patched));
    if (patched < size) ARROW_RETURN_NOT_OK(sink.Append(data + patched, size - patched));
    position += size;
    length = std::max(length, position);
    return Status::OK();
  }

#if LIBAVFORMAT_VERSION_MAJOR >= 61
  using WrittenByte = const uint8_t;
#else
  using WrittenByte = uint8_t;
#endif

  static int WritePacket(void* opaque, WrittenByte* data, int size) {
    auto* output = static_cast<Output*>(opaque);
    if (!output->status.ok()) return AVERROR(EIO);
    output->status = output->Write(data, size);
    return output->status.ok() ? size : AVERROR(EIO);
  }

  static int64_t Seek(void* opaque, int64_t offset, int whence) {
    auto* output = static_cast<Output*>(opaque);
    if (whence & AVSEEK_SIZE) return output->length;
    const int from = whence & ~AVSEEK_FORCE;
    const int64_t base = from == SEEK_CUR ? output->position : from == SEEK_END ? output->length : 0;
    const int64_t wanted = base + offset;
    if (wanted < 0 || wanted > output->length) return AVERROR(EINVAL);
    return output->position = wanted;
  }

  VideoSink& sink;
  int64_t position = 0;
  int64_t length = 0;
  Kept head;
  std::optional<Kept> tail;
  Status status;
};

VideoMuxer::~VideoMuxer() = default;

Status VideoMuxer::Check(int code, const char* what, AvLogCapture& log) const {
  // The failure of the sink is the cause of all others.
  ARROW_RETURN_NOT_OK(output_->status);
  if (code >= 0) return Status::OK();
  return AvFailure(what, code, log.Take());
}

Result<std::unique_ptr<VideoMuxer>> VideoMuxer::Start(const char* container, const AVCodecContext& encoder,
                                                      VideoSink& sink) {
  AvLogCapture log;
  std::unique_ptr<VideoMuxer> muxer(new VideoMuxer());
  muxer->output_ = std::make_unique<Output>(sink);
  muxer->frame_time_base_ = encoder.time_base;
  muxer->codec_id_ = encoder.codec_id;
  auto* buffer = static_cast<unsigned char*>(av_malloc(kBufferBytes));
  if (!buffer) return Status::OutOfMemory("video file");
  muxer->io_.reset(
      avio_alloc_context(buffer, kBufferBytes, 1, muxer->output_.get(), nullptr, Output::WritePacket, Output::Seek));
  if (!muxer->io_) {
    av_free(buffer);
    return Status::OutOfMemory("video file");
  }
  muxer->io_->seekable = AVIO_SEEKABLE_NORMAL;
  AVFormatContext* context = nullptr;
  int code = avformat_alloc_output_context2(&context, nullptr, container, nullptr);
  muxer->muxer_.reset(context);
  if (code < 0) return AvFailure("video file", code, log.Take());
  context->pb = muxer->io_.get();
  context->flush_packets = 0;
  AVStream* stream = avformat_new_stream(context, nullptr);
  if (!stream) return Status::OutOfMemory("video file");
  code = avcodec_parameters_from_context(stream->codecpar, &encoder);
  stream->time_base = encoder.time_base;
  stream->avg_frame_rate = stream->r_frame_rate = encoder.framerate;
  stream->sample_aspect_ratio = encoder.sample_aspect_ratio;
  if (code >= 0) code = avformat_write_header(context, nullptr);
  ARROW_RETURN_NOT_OK(muxer->Check(code, "header of the video file", log));
  return muxer;
}

Status VideoMuxer::Write(AVPacket* packet) {
  AvLogCapture log;
  const AVStream& stream = *muxer_->streams[0];
  const AVCodecParameters& parameters = *stream.codecpar;
  const int64_t frame_index = packet->pts;
  const bool is_keyframe =
      (packet->flags & AV_PKT_FLAG_KEY) &&
      (codec_id_ != AV_CODEC_ID_H264 || IsH264Keyframe({packet->data, static_cast<size_t>(packet->size)},
                                                       parameters.extradata_size > 0 && parameters.extradata[0] == 1));
  if (packet->duration == 0) packet->duration = 1;
  packet->stream_index = 0;
  av_packet_rescale_ts(packet, frame_time_base_, stream.time_base);
  if (is_keyframe) keyframes_.push_back({frame_index, packet->pts, avio_tell(muxer_->pb)});
  const int code = av_write_frame(muxer_.get(), packet);
  return Check(code, "video file", log);
}

Status VideoMuxer::Finish() {
  AvLogCapture log;
  int code = av_write_frame(muxer_.get(), nullptr);
  avio_flush(muxer_->pb);
  output_->tail = Output::Kept();
  output_->tail->offset_bytes = output_->length;
  if (code >= 0) code = av_write_trailer(muxer_.get());
  avio_flush(muxer_->pb);
  if (code >= 0) code = muxer_->pb->error;
  return Check(code, "end of the video file", log);
}

int64_t VideoMuxer::length_bytes() const { return output_->length; }

std::vector<KeyframeIndex::Range> VideoMuxer::MetadataRanges() const {
  const auto read = [this](int64_t offset, int64_t size, uint8_t* to) {
    const bool is_there =
        output_->head.Read(offset, size, to) || (output_->tail && output_->tail->Read(offset, size, to));
    return is_there ? Status::OK() : Status::Invalid("not kept");
  };
  auto boxes = WalkIsobmffBoxes(output_->length, read);
  return boxes.ok() ? std::move(boxes->metadata_ranges) : std::vector<KeyframeIndex::Range>();
}

KeyframeIndex VideoMuxer::TakeIndex() {
  KeyframeIndex index;
  index.metadata_ranges = MetadataRanges();
  index.keyframes = std::move(keyframes_);
  const bool is_right = !index.metadata_ranges.empty() && index.Validate(output_->length).ok();
  return is_right ? index : KeyframeIndex();
}

}  // namespace reelhouse
