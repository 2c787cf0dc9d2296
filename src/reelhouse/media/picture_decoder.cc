#include "reelhouse/media/picture_decoder.h"

#include <algorithm>

namespace reelhouse {

Result<std::unique_ptr<PictureDecoder>> PictureDecoder::Open(const VideoReader& reader, int threads,
                                                             int reorder_depth) {
  AvLogCapture log;
  const std::string& name = reader.source().name();
  std::unique_ptr<PictureDecoder> decoder(new PictureDecoder(name));
  decoder->codec_.reset(avcodec_alloc_context3(&reader.codec()));
  AVCodecContext* codec = decoder->codec_.get();
  if (!codec) return Status::OutOfMemory("FFmpeg: no memory for a decoder");
  int code = avcodec_parameters_to_context(codec, &reader.parameters());
  if (code < 0) return AvFailure(name, code, log.lines());
  codec->pkt_timebase = reader.stream().time_base;
  codec->thread_count = std::max(1, threads);
  codec->max_pixels = decoder->max_pixels_ = reader.source().max_pixels();
  // Crop windows are applied to the pixel, also where rows are then not aligned.
  codec->flags |= AV_CODEC_FLAG_UNALIGNED;
  codec->err_recognition |= AV_EF_CRCCHECK;
  if (codec->codec_id == AV_CODEC_ID_H264) codec->has_b_frames = std::max(codec->has_b_frames, reorder_depth);
  code = avcodec_open2(codec, &reader.codec(), nullptr);
  if (code < 0) return AvFailure(name + ": the decoder " + reader.codec().name + " does not start", code, log.lines());
  return decoder;
}

Status PictureDecoder::Feed(AVPacket* packet, int64_t number) {
  AvLogCapture log;
  packet->pts = number;
  packet->dts = number;
  const int code = avcodec_send_packet(codec_.get(), packet);
  if (code == AVERROR(ENOMEM)) return AvFailure(name_, code);
  if (code < 0) NoteDamage(log);
  return Status::OK();
}

void PictureDecoder::NoteDamage(const AvLogCapture& log) {
  ++damage_count_;
  const Status refused = CheckRefusedSize(log.lines(), max_pixels_, kVideoMaxPixelsOption);
  if (!refused.ok()) refused_size_ = refused;
}

Status PictureDecoder::Finish() {
  const int code = avcodec_send_packet(codec_.get(), nullptr);
  if (code == AVERROR(ENOMEM)) return AvFailure(name_, code);
  return Status::OK();
}

Result<bool> PictureDecoder::Receive(AVFrame* picture, int64_t* number) {
  // A decoder that only fails must not hold us for ever.
  constexpr int kMaxFailures = 1000;
  for (int failures = 0; failures < kMaxFailures; ++failures) {
    AvLogCapture log;
    const int code = avcodec_receive_frame(codec_.get(), picture);
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return false;
    if (code == AVERROR(ENOMEM)) return AvFailure(name_, code);
    if (code >= 0) {
      *number = picture->pts == AV_NOPTS_VALUE ? -1 : picture->pts;
      return true;
    }
    NoteDamage(log);
  }
  return false;
}

void PictureDecoder::Flush() { avcodec_flush_buffers(codec_.get()); }

bool IsConcealed(const AVFrame& picture) {
  return picture.decode_error_flags != 0 || (picture.flags & AV_FRAME_FLAG_CORRUPT);
}

bool IsKeyPicture(const AVFrame& picture) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 29, 100)
  return picture.flags & AV_FRAME_FLAG_KEY;
#else
  return picture.key_frame != 0;
#endif
}

}  // namespace reelhouse
