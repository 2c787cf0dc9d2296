#include "reelhouse/media/video_reader.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

extern "C" {
#include <libavutil/dict.h>
#include <libavutil/mem.h>
}

namespace reelhouse {
namespace {

constexpr int kIoBufferBytes = 64 * 1024;
constexpr int64_t kMaxKeptBytes = 64LL << 20;
constexpr int kMaxSide = 16'384;
constexpr int kMaxStreams = 256;
constexpr int kMaxRetries = 10'000;

/// Containers of one file. Playlists and scripts (hls, concat, dash) would open other files; text renderers
/// (tty, subtitles) and still pictures would turn anything into a video.
constexpr const char* kContainers =
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mpegts,mpeg,mpegvideo,avi,flv,asf,ogg,mxf,nut,ivf,h264,hevc,m4v,obu,av1,rm,"
    "wtv,dv,gxf,vc1,y4m,yuv4mpegpipe,mjpeg";

int RefuseToOpen(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) { return AVERROR(EPERM); }

bool IsNamed(const AVFormatContext& input, std::string_view name) {
  const std::string_view names = input.iformat->name;
  return names.find(name) != std::string_view::npos;
}

/// Probing may decode pictures of any of the streams, which must not take more memory than decoding may later.
int FindStreamInfo(AVFormatContext* input, int64_t max_pixels) {
  std::vector<AVDictionary*> settings(input->nb_streams, nullptr);
  for (AVDictionary*& setting : settings) av_dict_set_int(&setting, "max_pixels", max_pixels, 0);
  const int code = avformat_find_stream_info(input, settings.data());
  for (AVDictionary*& setting : settings) av_dict_free(&setting);
  return code;
}

}  // namespace

Result<std::shared_ptr<VideoSource>> VideoSource::Open(VideoBytes video) {
  if (!video.file) return Status::Invalid(video.name, ": there is no open file");
  ARROW_ASSIGN_OR_RAISE(const int64_t file_bytes, video.file->GetSize());
  if (video.offset_bytes < 0 || video.length_bytes < 0) {
    return Status::Invalid(video.name, ": negative range (", video.offset_bytes, ", ", video.length_bytes, ")");
  }
  const int64_t found_bytes = std::max<int64_t>(0, file_bytes - video.offset_bytes);
  if (found_bytes < video.length_bytes) {
    return Status::Invalid(video.name, ": expected ", video.length_bytes, " bytes, found ", found_bytes);
  }
  if (video.length_bytes == 0) return Status::Invalid(video.name, ": no video: it is empty");
  return std::shared_ptr<VideoSource>(new VideoSource(std::move(video)));
}

Result<int64_t> VideoSource::ReadAt(int64_t offset_bytes, int64_t size_bytes, uint8_t* to) {
  if (offset_bytes < 0 || offset_bytes >= length_bytes() || size_bytes <= 0) return 0;
  size_bytes = std::min(size_bytes, length_bytes() - offset_bytes);
  const auto after = std::upper_bound(kept_.begin(), kept_.end(), offset_bytes,
                                      [](int64_t offset, const Kept& kept) { return offset < kept.offset_bytes; });
  if (after != kept_.begin()) {
    const Kept& kept = *std::prev(after);
    const int64_t inside = offset_bytes - kept.offset_bytes;
    const int64_t left_bytes = static_cast<int64_t>(kept.bytes.size()) - inside;
    if (left_bytes > 0) {
      size_bytes = std::min(size_bytes, left_bytes);
      std::memcpy(to, kept.bytes.data() + inside, static_cast<size_t>(size_bytes));
      return size_bytes;
    }
  }
  if (after != kept_.end()) size_bytes = std::min(size_bytes, after->offset_bytes - offset_bytes);
  ++counts_.reads;
  ARROW_ASSIGN_OR_RAISE(const int64_t read_bytes,
                        video_.file->ReadAt(video_.offset_bytes + offset_bytes, size_bytes, to));
  counts_.bytes_read += read_bytes;
  return read_bytes;
}

ByteSource VideoSource::bytes() {
  return [this](int64_t offset_bytes, int64_t size_bytes, uint8_t* to) -> Status {
    while (size_bytes > 0) {
      ARROW_ASSIGN_OR_RAISE(const int64_t read_bytes, ReadAt(offset_bytes, size_bytes, to));
      if (read_bytes <= 0) return Status::IOError(name(), ": expected ", size_bytes, " more bytes at ", offset_bytes);
      offset_bytes += read_bytes;
      size_bytes -= read_bytes;
      to += read_bytes;
    }
    return Status::OK();
  };
}

Status VideoSource::KeepInMemory(const std::vector<KeyframeIndex::Range>& ranges) {
  int64_t total_bytes = 0;
  for (const KeyframeIndex::Range& range : ranges) total_bytes += range.length_bytes;
  if (total_bytes > kMaxKeptBytes || !kept_.empty()) return Status::OK();
  std::vector<Kept> kept;
  for (const KeyframeIndex::Range& range : ranges) {
    kept.push_back({range.offset_bytes, std::vector<uint8_t>(static_cast<size_t>(range.length_bytes))});
    ARROW_RETURN_NOT_OK(bytes()(range.offset_bytes, range.length_bytes, kept.back().bytes.data()));
  }
  kept_ = std::move(kept);
  return Status::OK();
}

/// What the callbacks of FFmpeg know.
struct VideoReader::Io {
  VideoSource* source = nullptr;
  const std::vector<KeyframeIndex::Range>* blank = nullptr;
  int64_t position_bytes = 0;
  Status failure;

  static int Read(void* opaque, uint8_t* to, int size_bytes) {
    auto* io = static_cast<Io*>(opaque);
    const int64_t at = io->position_bytes;
    int64_t wanted_bytes = std::min<int64_t>(size_bytes, io->source->length_bytes() - at);
    if (wanted_bytes <= 0) return AVERROR_EOF;
    if (io->blank) {
      const auto after =
          std::upper_bound(io->blank->begin(), io->blank->end(), at,
                           [](int64_t offset, const auto& range) { return offset < range.offset_bytes; });
      if (after != io->blank->begin()) {
        const int64_t blank_bytes = std::prev(after)->offset_bytes + std::prev(after)->length_bytes - at;
        if (blank_bytes > 0) {
          wanted_bytes = std::min(wanted_bytes, blank_bytes);
          std::memset(to, 0, static_cast<size_t>(wanted_bytes));
          io->position_bytes += wanted_bytes;
          return static_cast<int>(wanted_bytes);
        }
      }
      if (after != io->blank->end()) wanted_bytes = std::min(wanted_bytes, after->offset_bytes - at);
    }
    const Result<int64_t> read_bytes = io->source->ReadAt(at, wanted_bytes, to);
    if (!read_bytes.ok()) {
      io->failure = read_bytes.status();
      return AVERROR(EIO);
    }
    if (*read_bytes <= 0) return AVERROR_EOF;
    io->position_bytes += *read_bytes;
    return static_cast<int>(*read_bytes);
  }

  static int64_t Seek(void* opaque, int64_t offset_bytes, int whence) {
    auto* io = static_cast<Io*>(opaque);
    if (whence & AVSEEK_SIZE) return io->source->length_bytes();
    switch (whence & ~AVSEEK_FORCE) {
      case SEEK_SET:
        break;
      case SEEK_CUR:
        offset_bytes += io->position_bytes;
        break;
      case SEEK_END:
        offset_bytes += io->source->length_bytes();
        break;
      default:
        return AVERROR(EINVAL);
    }
    if (offset_bytes < 0) return AVERROR(EINVAL);
    io->position_bytes = offset_bytes;
    return offset_bytes;
  }
};

VideoReader::~VideoReader() = default;

Result<std::unique_ptr<VideoReader>> VideoReader::Open(std::shared_ptr<VideoSource> source, const Options& options) {
  AvLogCapture log;
  std::unique_ptr<VideoReader> reader(new VideoReader());
  reader->source_ = std::move(source);
  reader->io_state_ = std::make_unique<Io>();
  Io* io = reader->io_state_.get();
  io->source = reader->source_.get();
  io->blank = options.blank;
  auto* buffer = static_cast<uint8_t*>(av_malloc(kIoBufferBytes));
  if (!buffer) return Status::OutOfMemory("FFmpeg: no memory for an I/O buffer");
  reader->io_.reset(avio_alloc_context(buffer, kIoBufferBytes, 0, io, Io::Read, nullptr, Io::Seek));
  if (!reader->io_) {
    av_free(buffer);
    return Status::OutOfMemory("FFmpeg: no memory for an I/O context");
  }
  AVFormatContext* input = avformat_alloc_context();
  if (!input) return Status::OutOfMemory("FFmpeg: no memory for a demuxer");
  input->pb = reader->io_.get();
  input->flags |= AVFMT_FLAG_CUSTOM_IO;
  if (options.blank) input->flags |= AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN;
  if (!options.is_parsing) input->flags |= AVFMT_FLAG_NOPARSE;
  reader->is_parsing_ = options.is_parsing && !options.blank;
  input->io_open = RefuseToOpen;
  input->max_streams = kMaxStreams;
  AVDictionary* settings = nullptr;
  av_dict_set(&settings, "format_whitelist", kContainers, 0);
  const std::string& name = reader->source_->name();
  const AVInputFormat* container = options.container ? av_find_input_format(options.container) : nullptr;
  int code = avformat_open_input(&input, nullptr, container, &settings);  // frees the context where it fails
  av_dict_free(&settings);
  if (!io->failure.ok()) {
    if (code >= 0) reader->input_.reset(input);
    return Prefixed(name, io->failure);
  }
  if (code < 0) return AvFailure(name + ": not a video that can be opened", code, log.lines());
  reader->input_.reset(input);
  if (options.is_probing) {
    code = FindStreamInfo(input, reader->source_->max_pixels());
    if (!io->failure.ok()) return Prefixed(name, io->failure);
    if (code < 0) return AvFailure(name + ": its streams cannot be read", code, log.lines());
  }
  ARROW_RETURN_NOT_OK(reader->ChooseStream());
  for (unsigned i = 0; i < input->nb_streams; ++i) {
    if (input->streams[i] != reader->stream_) input->streams[i]->discard = AVDISCARD_ALL;
  }
  return reader;
}

Status VideoReader::ChooseStream() {
  constexpr int kNoMotion = AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS;
  const std::string& name = source_->name();
  std::string refusal = "no video stream in it";
  int video_streams = 0;
  for (unsigned i = 0; i < input_->nb_streams; ++i) {
    AVStream* stream = input_->streams[i];
    const AVCodecParameters& parameters = *stream->codecpar;
    if (parameters.codec_type != AVMEDIA_TYPE_VIDEO) continue;
    ++video_streams;
    if (stream->disposition & kNoMotion) {
      refusal = "its only video stream is a cover picture";
      continue;
    }
    const AVCodec* codec = avcodec_find_decoder(parameters.codec_id);
    if (!codec) {
      refusal = std::string("there is no decoder for its codec ") + avcodec_get_name(parameters.codec_id);
      continue;
    }
    if (parameters.width <= 0 || parameters.height <= 0) {
      refusal = "its video stream has no pictures";
      continue;
    }
    if (parameters.width > kMaxSide || parameters.height > kMaxSide) {
      return Status::Invalid(name, ": pictures of ", parameters.width, "x", parameters.height, ", at most ", kMaxSide,
                             "x", kMaxSide, " are read");
    }
    ARROW_RETURN_NOT_OK(Prefixed(
        name, CheckPixelCount(parameters.width, parameters.height, source_->max_pixels(), kVideoMaxPixelsOption)));
    stream_ = stream;
    codec_ = codec;
    is_first_video_stream_ = video_streams == 1;
    return Status::OK();
  }
  return Status::Invalid(name, ": no video: ", refusal);
}

Result<bool> VideoReader::Read(AVPacket* packet) {
  for (int retries = 0; retries < kMaxRetries;) {
    av_packet_unref(packet);
    const int code = av_read_frame(input_.get(), packet);
    if (!io_state_->failure.ok()) {
      const Status failure = io_state_->failure;
      io_state_->failure = Status::OK();
      return Prefixed(source_->name(), failure);
    }
    if (code == AVERROR(ENOMEM)) return AvFailure(source_->name(), code);
    if (code == AVERROR(EAGAIN)) {
      ++retries;
      continue;
    }
    if (code < 0) return false;
    if (packet->stream_index == stream_->index) return true;
  }
  return false;
}

bool VideoReader::Seek(SeekBy by, int64_t target) {
  const bool is_by_byte = by == SeekBy::kByte;
  const int flags = is_by_byte ? AVSEEK_FLAG_BYTE : AVSEEK_FLAG_BACKWARD;
  return av_seek_frame(input_.get(), is_by_byte ? -1 : stream_->index, target, flags) >= 0;
}

bool VideoReader::is_isobmff() const { return IsNamed(*input_, "mp4"); }
bool VideoReader::is_matroska() const { return IsNamed(*input_, "matroska"); }
bool VideoReader::is_transport_stream() const { return IsNamed(*input_, "mpegts"); }

}  // namespace reelhouse
