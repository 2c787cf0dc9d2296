#include "reelhouse/media/picture_writer.h"

#include <cstring>
#include <utility>

#include <turbojpeg.h>

#include "reelhouse/media/av.h"
#include "reelhouse/media/frame_pool.h"

namespace reelhouse {
namespace {

struct PixelLayout {
  AVPixelFormat format = AV_PIX_FMT_NONE;
  int bytes = 0;
};

PixelLayout LayoutOf(FrameFormat::Pixels pixels) {
  switch (pixels) {
    case FrameFormat::Pixels::kRgb24:
      return {AV_PIX_FMT_RGB24, 3};
    case FrameFormat::Pixels::kGray8:
      return {AV_PIX_FMT_GRAY8, 1};
    case FrameFormat::Pixels::kGray16:
      return {AV_PIX_FMT_GRAY16BE, 2};  // the order of PNG
    case FrameFormat::Pixels::kStored:
      break;
  }
  return {};
}

Status CheckPixels(const DecodedFrame& frame, int pixel_bytes) {
  ARROW_RETURN_NOT_OK(CheckPictureSize(frame.width, frame.height));
  const int64_t wanted = int64_t{frame.width} * frame.height * pixel_bytes;
  if (frame.pixels && frame.pixels->size() == wanted) return Status::OK();
  return Status::Invalid("a picture of ", frame.width, "x", frame.height, " with ", pixel_bytes,
                         " bytes a pixel (rows of whole pixels) has ", wanted, " bytes, found ",
                         frame.pixels ? frame.pixels->size() : 0);
}

void CopySwapped(const uint8_t* from, uint8_t* to, int count) {
  for (int i = 0; i < count; ++i) {
    uint16_t value = 0;
    std::memcpy(&value, from + 2 * i, 2);
    to[2 * i] = static_cast<uint8_t>(value >> 8);
    to[2 * i + 1] = static_cast<uint8_t>(value);
  }
}

struct TurboJpegFree {
  void operator()(void* handle) const { tjDestroy(handle); }
};

}  // namespace

Result<std::shared_ptr<arrow::Buffer>> EncodePng(const DecodedFrame& frame, FrameFormat::Pixels pixels) {
  AvLogCapture log;
  if (pixels == FrameFormat::Pixels::kStored) pixels = frame.kind;
  const PixelLayout layout = LayoutOf(pixels);
  ARROW_RETURN_NOT_OK(CheckPixels(frame, layout.bytes));
  const ::AVCodec* png = avcodec_find_encoder(AV_CODEC_ID_PNG);
  if (!png) return Status::NotImplemented("this FFmpeg has no PNG encoder");
  FramePool pool;
  ARROW_ASSIGN_OR_RAISE(const AvFrame picture, pool.Get(layout.format, frame.width, frame.height));
  const size_t row_bytes = static_cast<size_t>(frame.width) * layout.bytes;
  for (int y = 0; y < frame.height; ++y) {
    const uint8_t* in = frame.pixels->data() + row_bytes * y;
    uint8_t* out = picture->data[0] + static_cast<ptrdiff_t>(picture->linesize[0]) * y;
    if (pixels == FrameFormat::Pixels::kGray16) {
      CopySwapped(in, out, frame.width);
    } else {
      std::memcpy(out, in, row_bytes);
    }
  }
  const AvCodec codec(avcodec_alloc_context3(png));
  const AvPacket packet(av_packet_alloc());
  if (!codec || !packet) return Status::OutOfMemory("PNG encoder");
  codec->width = frame.width;
  codec->height = frame.height;
  codec->pix_fmt = layout.format;
  codec->time_base = {1, 1};
  codec->thread_count = 1;
  int code = avcodec_open2(codec.get(), png, nullptr);
  if (code >= 0) code = avcodec_send_frame(codec.get(), picture.get());
  if (code >= 0) code = avcodec_send_frame(codec.get(), nullptr);
  if (code >= 0) code = avcodec_receive_packet(codec.get(), packet.get());
  if (code < 0) return AvFailure("PNG", code, log.Take());
  return arrow::Buffer::FromString(std::string(reinterpret_cast<const char*>(packet->data), packet->size));
}

Result<std::shared_ptr<arrow::Buffer>> EncodeJpeg(const DecodedFrame& frame, int quality) {
  ARROW_RETURN_NOT_OK(CheckPixels(frame, 3));
  if (quality < 1 || quality > 100) return Status::Invalid("JPEG quality must be 1 to 100, but was ", quality);
  const std::unique_ptr<void, TurboJpegFree> jpeg(tjInitCompress());
  if (!jpeg) return Status::OutOfMemory("JPEG encoder");
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const int code = tjCompress2(jpeg.get(), frame.pixels->data(), frame.width, 0, frame.height, TJPF_RGB, &bytes, &size,
                               TJSAMP_420, quality, TJFLAG_ACCURATEDCT);
  if (code != 0) {
    tjFree(bytes);
    return Status::Invalid("JPEG: ", tjGetErrorStr2(jpeg.get()));
  }
  std::string copy(reinterpret_cast<const char*>(bytes), size);
  tjFree(bytes);
  return arrow::Buffer::FromString(std::move(copy));
}

}  // namespace reelhouse
