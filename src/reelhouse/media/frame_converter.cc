#include "reelhouse/media/frame_converter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <arrow/buffer.h>

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

namespace reelhouse {
namespace {

/// swscale may write a little beyond the last row.
constexpr int64_t kPaddingBytes = 64;
constexpr int kMaxSide = 32'768;
constexpr int kExactFlags = SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT;

Result<std::shared_ptr<arrow::Buffer>> NewPixels(int64_t size_bytes) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> padded, arrow::AllocateBuffer(size_bytes + kPaddingBytes));
  return arrow::SliceMutableBuffer(padded, 0, size_bytes);
}

/// A pixel format and what its deprecated `yuvj` twins say beside it.
struct SourceFormat {
  AVPixelFormat format;
  const AVPixFmtDescriptor* descriptor;
  bool is_full_range;

  bool is_rgb() const { return descriptor->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL); }
  bool is_gray() const { return !is_rgb() && descriptor->nb_components < 3; }
  int depth() const { return descriptor->comp[0].depth; }

  FrameFormat::Pixels stored_pixels() const {
    if (!is_gray()) return FrameFormat::Pixels::kRgb24;
    return depth() > 8 ? FrameFormat::Pixels::kGray16 : FrameFormat::Pixels::kGray8;
  }
};

Result<SourceFormat> SourceFormatOf(const AVFrame& picture) {
  auto format = static_cast<AVPixelFormat>(picture.format);
  bool is_full_range = picture.color_range == AVCOL_RANGE_JPEG;
  switch (format) {
    case AV_PIX_FMT_YUVJ420P:
      format = AV_PIX_FMT_YUV420P, is_full_range = true;
      break;
    case AV_PIX_FMT_YUVJ422P:
      format = AV_PIX_FMT_YUV422P, is_full_range = true;
      break;
    case AV_PIX_FMT_YUVJ444P:
      format = AV_PIX_FMT_YUV444P, is_full_range = true;
      break;
    case AV_PIX_FMT_YUVJ440P:
      format = AV_PIX_FMT_YUV440P, is_full_range = true;
      break;
    case AV_PIX_FMT_YUVJ411P:
      format = AV_PIX_FMT_YUV411P, is_full_range = true;
      break;
    default:
      break;
  }
  const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(format);
  constexpr uint64_t kUnread = AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BAYER;
  if (!descriptor || (descriptor->flags & kUnread) || descriptor->comp[0].depth > 16 ||
      std::strncmp(descriptor->name, "xyz", 3) == 0) {
    return Status::NotImplemented("pictures of pixel format ", descriptor ? descriptor->name : "none",
                                  " are not converted");
  }
  SourceFormat source{format, descriptor, is_full_range};
  if (source.is_gray() && picture.color_range == AVCOL_RANGE_UNSPECIFIED) source.is_full_range = true;
  return source;
}

/// swscale's name of the YUV matrix that the picture is tagged with.
Result<int> MatrixOf(const AVFrame& picture) {
  switch (picture.colorspace) {
    case AVCOL_SPC_BT709:
      return SWS_CS_ITU709;
    case AVCOL_SPC_FCC:
      return SWS_CS_FCC;
    case AVCOL_SPC_SMPTE240M:
      return SWS_CS_SMPTE240M;
    case AVCOL_SPC_BT2020_NCL:
    case AVCOL_SPC_BT2020_CL:
      return SWS_CS_BT2020;
    case AVCOL_SPC_UNSPECIFIED:
    case AVCOL_SPC_RESERVED:
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M:
      return SWS_CS_ITU601;
    default:
      break;
  }
  const char* name = av_color_space_name(picture.colorspace);
  return Status::NotImplemented("pictures with colour matrix ", name ? name : "unknown", " are not converted");
}

int FlagOf(FrameFormat::Scaler scaler) {
  switch (scaler) {
    case FrameFormat::Scaler::kNearest:
      return SWS_POINT;
    case FrameFormat::Scaler::kBilinear:
      return SWS_BILINEAR;
    case FrameFormat::Scaler::kBicubic:
      return SWS_BICUBIC;
    case FrameFormat::Scaler::kArea:
      return SWS_AREA;
  }
  return SWS_BICUBIC;
}

/// One row of one component as the stored numbers.
void ReadSamples(const AVFrame& picture, const SourceFormat& source, int component, int row, int width, uint16_t* to) {
  const AVComponentDescriptor& place = source.descriptor->comp[component];
  constexpr uint64_t kOddly = AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_BE;
  if (place.shift == 0 && !(source.descriptor->flags & kOddly) && place.depth >= 8) {
    const uint8_t* from = picture.data[place.plane] + int64_t{row} * picture.linesize[place.plane] + place.offset;
    if (place.depth == 8) {
      for (int x = 0; x < width; ++x) to[x] = from[int64_t{x} * place.step];
    } else {
      const auto mask = static_cast<uint16_t>((1u << place.depth) - 1);
      for (int x = 0; x < width; ++x) {
        std::memcpy(to + x, from + int64_t{x} * place.step, sizeof(uint16_t));
        to[x] &= mask;
      }
    }
    return;
  }
  av_read_image_line2(to, const_cast<const uint8_t**>(picture.data), picture.linesize, source.descriptor, 0, row,
                      component, width, 0, sizeof(uint16_t));
}

/// True for a YUV picture without any colour: FFmpeg gives grey H.264 of 10 bits as YUV with all chroma in the middle.
bool HasNeutralChroma(const AVFrame& picture, const SourceFormat& source) {
  if (source.is_rgb() || source.is_gray()) return false;
  const int width = AV_CEIL_RSHIFT(picture.width, source.descriptor->log2_chroma_w);
  const int height = AV_CEIL_RSHIFT(picture.height, source.descriptor->log2_chroma_h);
  const auto middle = static_cast<uint16_t>(1 << (source.depth() - 1));
  std::vector<uint16_t> row(static_cast<size_t>(width));
  for (int component = 1; component < 3; ++component) {
    for (int y = 0; y < height; ++y) {
      ReadSamples(picture, source, component, y, width, row.data());
      if (!std::all_of(row.begin(), row.end(), [middle](uint16_t value) { return value == middle; })) return false;
    }
  }
  return true;
}

/// 8-bit values for all stored numbers of a component.
std::vector<uint8_t> LevelsFor(int depth, bool is_full_range) {
  const int64_t count = int64_t{1} << depth;
  const int64_t black = is_full_range || depth < 8 ? 0 : int64_t{16} << (depth - 8);
  const int64_t span = is_full_range || depth < 8 ? count - 1 : int64_t{219} << (depth - 8);
  std::vector<uint8_t> levels(static_cast<size_t>(count));
  for (int64_t value = 0; value < count; ++value) {
    const int64_t level = (std::max<int64_t>(0, value - black) * 255 + span / 2) / span;
    levels[static_cast<size_t>(value)] = static_cast<uint8_t>(std::min<int64_t>(255, level));
  }
  return levels;
}

/// For each place of the scaled side the place that nearest sampling takes.
std::vector<int> NearestPlaces(int from, int to) {
  std::vector<int> places(static_cast<size_t>(to));
  for (int i = 0; i < to; ++i)
    places[static_cast<size_t>(i)] = static_cast<int>((2 * int64_t{i} + 1) * from / (2 * int64_t{to}));
  return places;
}

template <typename Sample>
void OrientRows(const uint8_t* from_bytes, int from_width, int from_height, int channels, DisplayOrientation turn,
                uint8_t* to_bytes) {
  const auto* from = reinterpret_cast<const Sample*>(from_bytes);
  auto* to = reinterpret_cast<Sample*>(to_bytes);
  const int width = turn.is_transposed ? from_height : from_width;
  const int height = turn.is_transposed ? from_width : from_height;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int shown_x = turn.is_x_flipped ? width - 1 - x : x;
      const int shown_y = turn.is_y_flipped ? height - 1 - y : y;
      const int64_t column = turn.is_transposed ? shown_y : shown_x;
      const int64_t row = turn.is_transposed ? shown_x : shown_y;
      const Sample* pixel = from + (row * from_width + column) * channels;
      for (int c = 0; c < channels; ++c) *to++ = pixel[c];
    }
  }
}

}  // namespace

Status FrameConverter::CheckFormat(const FrameFormat& format) {
  if (format.height.has_value() != format.width.has_value()) {
    return Status::Invalid("size needs a height and a width");
  }
  if (!format.height) return Status::OK();
  const auto is_sane = [](int side) { return side >= 1 && side <= kMaxSide; };
  if (!is_sane(*format.height) || !is_sane(*format.width)) {
    return Status::Invalid("size: height and width must be from 1 to ", kMaxSide, ", found (", *format.height, ", ",
                           *format.width, ")");
  }
  return Status::OK();
}

Result<SwsContext*> FrameConverter::ScalerFor(const ScalerKey& key) {
  if (scaler_ && key == scaler_key_) return scaler_.get();
  scaler_.reset(sws_alloc_context());
  if (!scaler_) return Status::OutOfMemory("FFmpeg: no memory for a scaler");
  SwsContext* scaler = scaler_.get();
  av_opt_set_int(scaler, "srcw", key.from_size.width, 0);
  av_opt_set_int(scaler, "srch", key.from_size.height, 0);
  av_opt_set_int(scaler, "src_format", key.from, 0);
  av_opt_set_int(scaler, "dstw", key.to_size.width, 0);
  av_opt_set_int(scaler, "dsth", key.to_size.height, 0);
  av_opt_set_int(scaler, "dst_format", key.to, 0);
  av_opt_set_int(scaler, "src_range", key.is_full_range, 0);
  av_opt_set_int(scaler, "dst_range", 1, 0);
  av_opt_set_int(scaler, "sws_flags", key.flags, 0);
  const int* matrix = sws_getCoefficients(key.matrix);
  // Fails where neither side is YUV, which then needs no matrix.
  sws_setColorspaceDetails(scaler, matrix, key.is_full_range, matrix, 1, 0, 1 << 16, 1 << 16);
  AvLogCapture log;
  const int code = sws_init_context(scaler, nullptr, nullptr);
  if (code < 0) {
    scaler_.reset();
    return AvFailure("the picture cannot be converted", code, log.lines());
  }
  sws_setColorspaceDetails(scaler, matrix, key.is_full_range, matrix, 1, 0, 1 << 16, 1 << 16);
  scaler_key_ = key;
  return scaler;
}

Result<FrameConverter::Pixels> FrameConverter::YuvToRgb(const AVFrame& picture, Size size, int scaler_flags) {
  ARROW_ASSIGN_OR_RAISE(const SourceFormat source, SourceFormatOf(picture));
  ScalerKey key;
  key.from = source.format;
  key.to = AV_PIX_FMT_RGB24;
  key.from_size = {picture.width, picture.height};
  key.to_size = size;
  key.flags = scaler_flags | kExactFlags;
  ARROW_ASSIGN_OR_RAISE(key.matrix, MatrixOf(picture));
  key.is_full_range = source.is_full_range;
  ARROW_ASSIGN_OR_RAISE(SwsContext * scaler, ScalerFor(key));
  Pixels pixels;
  pixels.size = size;
  pixels.channels = 3;
  ARROW_ASSIGN_OR_RAISE(pixels.bytes, NewPixels(int64_t{3} * size.width * size.height));
  uint8_t* const to[4] = {pixels.bytes->mutable_data(), nullptr, nullptr, nullptr};
  const int to_stride[4] = {3 * size.width, 0, 0, 0};
  AvLogCapture log;
  const int code = sws_scale(scaler, picture.data, picture.linesize, 0, picture.height, to, to_stride);
  if (code < 0) return AvFailure("the picture cannot be converted", code, log.lines());
  return pixels;
}

Result<FrameConverter::Pixels> FrameConverter::ToRgb(const AVFrame& picture, Size size, FrameFormat::Scaler scaler) {
  ARROW_ASSIGN_OR_RAISE(const SourceFormat source, SourceFormatOf(picture));
  const Size coded{picture.width, picture.height};
  if (!source.is_rgb() && !source.is_gray()) {
    // Nearest takes whole pixels of the full picture, so that every one of them is a pixel of the video.
    if (size == coded) return YuvToRgb(picture, size, SWS_BICUBIC);
    if (scaler != FrameFormat::Scaler::kNearest) return YuvToRgb(picture, size, FlagOf(scaler));
    ARROW_ASSIGN_OR_RAISE(Pixels pixels, YuvToRgb(picture, coded, SWS_BICUBIC));
    return Resized(std::move(pixels), size, scaler);
  }
  Pixels pixels;
  pixels.size = coded;
  pixels.channels = 3;
  ARROW_ASSIGN_OR_RAISE(pixels.bytes, NewPixels(int64_t{3} * coded.width * coded.height));
  uint8_t* to = pixels.bytes->mutable_data();
  if (source.is_gray()) {
    ARROW_ASSIGN_OR_RAISE(const Pixels gray, ToGray(picture));
    const int64_t count = int64_t{coded.width} * coded.height;
    const uint8_t* from = gray.bytes->data();
    for (int64_t i = 0; i < count; ++i, to += 3) to[0] = to[1] = to[2] = from[i];
  } else if (source.descriptor->flags & AV_PIX_FMT_FLAG_PAL) {
    for (int y = 0; y < coded.height; ++y) {
      const uint8_t* from = picture.data[0] + int64_t{y} * picture.linesize[0];
      for (int x = 0; x < coded.width; ++x, to += 3) {
        uint32_t colour = 0;
        std::memcpy(&colour, picture.data[1] + 4 * from[x], sizeof(colour));
        to[0] = static_cast<uint8_t>(colour >> 16);
        to[1] = static_cast<uint8_t>(colour >> 8);
        to[2] = static_cast<uint8_t>(colour);
      }
    }
  } else {
    std::vector<uint16_t> row(static_cast<size_t>(coded.width));
    std::array<std::vector<uint8_t>, 3> levels;
    for (int c = 0; c < 3; ++c) levels[c] = LevelsFor(source.descriptor->comp[c].depth, true);
    for (int y = 0; y < coded.height; ++y, to += 3 * coded.width) {
      for (int c = 0; c < 3; ++c) {
        ReadSamples(picture, source, c, y, coded.width, row.data());
        for (int x = 0; x < coded.width; ++x) to[3 * x + c] = levels[c][row[static_cast<size_t>(x)]];
      }
    }
  }
  return Resized(std::move(pixels), size, scaler);
}

Result<FrameConverter::Pixels> FrameConverter::ToGray(const AVFrame& picture) {
  ARROW_ASSIGN_OR_RAISE(const SourceFormat source, SourceFormatOf(picture));
  Pixels gray;
  gray.size = {picture.width, picture.height};
  ARROW_ASSIGN_OR_RAISE(gray.bytes, NewPixels(int64_t{picture.width} * picture.height));
  uint8_t* to = gray.bytes->mutable_data();
  if (source.is_rgb()) {
    ARROW_ASSIGN_OR_RAISE(const Pixels rgb, ToRgb(picture, gray.size, FrameFormat::Scaler::kNearest));
    const uint8_t* from = rgb.bytes->data();
    const int64_t count = int64_t{picture.width} * picture.height;
    for (int64_t i = 0; i < count; ++i, from += 3) {
      to[i] = static_cast<uint8_t>((19595 * from[0] + 38470 * from[1] + 7471 * from[2] + 32768) >> 16);
    }
    return gray;
  }
  const std::vector<uint8_t> levels = LevelsFor(source.depth(), source.is_full_range);
  std::vector<uint16_t> row(static_cast<size_t>(picture.width));
  for (int y = 0; y < picture.height; ++y, to += picture.width) {
    ReadSamples(picture, source, 0, y, picture.width, row.data());
    for (int x = 0; x < picture.width; ++x) to[x] = levels[row[static_cast<size_t>(x)]];
  }
  return gray;
}

Result<FrameConverter::Pixels> FrameConverter::Resized(Pixels pixels, Size size, FrameFormat::Scaler scaler) {
  if (size == pixels.size) return pixels;
  Pixels scaled = pixels;
  scaled.size = size;
  const int pixel_bytes = pixels.channels * pixels.sample_bytes;
  ARROW_ASSIGN_OR_RAISE(scaled.bytes, NewPixels(int64_t{pixel_bytes} * size.width * size.height));
  uint8_t* to = scaled.bytes->mutable_data();
  if (scaler == FrameFormat::Scaler::kNearest) {
    const std::vector<int> columns = NearestPlaces(pixels.size.width, size.width);
    const std::vector<int> rows = NearestPlaces(pixels.size.height, size.height);
    for (const int row : rows) {
      const uint8_t* from = pixels.bytes->data() + int64_t{row} * pixels.size.width * pixel_bytes;
      for (const int column : columns) {
        std::memcpy(to, from + int64_t{column} * pixel_bytes, static_cast<size_t>(pixel_bytes));
        to += pixel_bytes;
      }
    }
    return scaled;
  }
  // Channel by channel as grey, so that colours never pass through YUV.
  ScalerKey key;
  key.from = key.to = pixels.sample_bytes == 2 ? AV_PIX_FMT_GRAY16LE : AV_PIX_FMT_GRAY8;
  key.from_size = pixels.size;
  key.to_size = size;
  key.flags = FlagOf(scaler) | kExactFlags;
  key.matrix = SWS_CS_ITU601;
  key.is_full_range = true;
  ARROW_ASSIGN_OR_RAISE(SwsContext * context, ScalerFor(key));
  const int64_t from_count = int64_t{pixels.size.width} * pixels.size.height;
  const int64_t to_count = int64_t{size.width} * size.height;
  if (pixels.channels == 1) {
    const uint8_t* const from_planes[4] = {pixels.bytes->data(), nullptr, nullptr, nullptr};
    const int from_strides[4] = {pixels.size.width * pixel_bytes, 0, 0, 0};
    uint8_t* const to_planes[4] = {to, nullptr, nullptr, nullptr};
    const int to_strides[4] = {size.width * pixel_bytes, 0, 0, 0};
    AvLogCapture log;
    const int code = sws_scale(context, from_planes, from_strides, 0, pixels.size.height, to_planes, to_strides);
    if (code < 0) return AvFailure("the picture cannot be scaled", code, log.lines());
    return scaled;
  }
  for (int c = 0; c < pixels.channels; ++c) {
    Pixels channel;
    channel.size = pixels.size;
    ARROW_ASSIGN_OR_RAISE(channel.bytes, NewPixels(from_count));
    uint8_t* plane = channel.bytes->mutable_data();
    const uint8_t* from = pixels.bytes->data() + c;
    for (int64_t i = 0; i < from_count; ++i) plane[i] = from[i * pixels.channels];
    ARROW_ASSIGN_OR_RAISE(channel, Resized(std::move(channel), size, scaler));
    const uint8_t* scaled_plane = channel.bytes->data();
    for (int64_t i = 0; i < to_count; ++i) to[i * pixels.channels + c] = scaled_plane[i];
  }
  return scaled;
}

Result<FrameConverter::Pixels> FrameConverter::Oriented(Pixels pixels) const {
  if (orientation_.is_upright()) return pixels;
  Pixels turned = pixels;
  if (orientation_.is_transposed) turned.size = {pixels.size.height, pixels.size.width};
  ARROW_ASSIGN_OR_RAISE(turned.bytes, NewPixels(pixels.bytes->size()));
  const auto orient = pixels.sample_bytes == 2 ? OrientRows<uint16_t> : OrientRows<uint8_t>;
  orient(pixels.bytes->data(), pixels.size.width, pixels.size.height, pixels.channels, orientation_,
         turned.bytes->mutable_data());
  return turned;
}

Result<DecodedFrame> FrameConverter::Convert(const AVFrame& picture, const FrameFormat& format) {
  ARROW_RETURN_NOT_OK(CheckFormat(format));
  const Size coded{picture.width, picture.height};
  if (coded.width <= 0 || coded.height <= 0 || coded.width > kMaxSide || coded.height > kMaxSide) {
    return Status::Invalid("picture of ", coded.width, "x", coded.height);
  }
  Size size = coded;
  if (format.height) {
    size = {*format.width, *format.height};
    if (orientation_.is_transposed) std::swap(size.width, size.height);
  }
  ARROW_ASSIGN_OR_RAISE(const SourceFormat source, SourceFormatOf(picture));
  const FrameFormat::Pixels kind =
      format.pixels == FrameFormat::Pixels::kStored ? source.stored_pixels() : format.pixels;
  const bool is_stored_depth = kind == FrameFormat::Pixels::kGray16 && format.pixels == FrameFormat::Pixels::kStored;
  const FrameFormat::Scaler scaler = is_stored_depth ? FrameFormat::Scaler::kNearest : format.scaler;
  Pixels pixels;
  if (kind == FrameFormat::Pixels::kRgb24) {
    ARROW_ASSIGN_OR_RAISE(pixels, ToRgb(picture, size, scaler));
  } else if (kind == FrameFormat::Pixels::kGray8) {
    ARROW_ASSIGN_OR_RAISE(pixels, ToGray(picture));
    ARROW_ASSIGN_OR_RAISE(pixels, Resized(std::move(pixels), size, scaler));
  } else {
    if (source.depth() < 9 || !(source.is_gray() || HasNeutralChroma(picture, source))) {
      return Status::Invalid("gray16 needs grey video of 9 to 16 bits, found ", source.descriptor->name,
                             "; read it as gray8 or rgb24");
    }
    pixels.size = coded;
    pixels.sample_bytes = 2;
    ARROW_ASSIGN_OR_RAISE(pixels.bytes, NewPixels(int64_t{2} * coded.width * coded.height));
    auto* to = reinterpret_cast<uint16_t*>(pixels.bytes->mutable_data());
    for (int y = 0; y < coded.height; ++y) {
      ReadSamples(picture, source, 0, y, coded.width, to + int64_t{y} * coded.width);
    }
    ARROW_ASSIGN_OR_RAISE(pixels, Resized(std::move(pixels), size, scaler));
  }
  ARROW_ASSIGN_OR_RAISE(pixels, Oriented(std::move(pixels)));
  if (format.layout == FrameFormat::Layout::kChw && pixels.channels == 3) {
    const int64_t count = int64_t{pixels.size.width} * pixels.size.height;
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> planes, NewPixels(3 * count));
    const uint8_t* from = pixels.bytes->data();
    uint8_t* red = planes->mutable_data();
    uint8_t* green = red + count;
    uint8_t* blue = green + count;
    for (int64_t i = 0; i < count; ++i, from += 3) {
      red[i] = from[0];
      green[i] = from[1];
      blue[i] = from[2];
    }
    pixels.bytes = std::move(planes);
  }
  return DecodedFrame{std::move(pixels.bytes), pixels.size.width, pixels.size.height, kind};
}

}  // namespace reelhouse
