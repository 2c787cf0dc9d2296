#include "reelhouse/media/image_decoder.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>
#include <variant>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

extern "C" {
#include <libavutil/buffer.h>
#include <libavutil/pixdesc.h>
}

#include "reelhouse/media/chroma_resampler.h"
#include "reelhouse/media/pixel_planes.h"
#include "reelhouse/media/png_chunks.h"
#include "reelhouse/media/portable_graymap.h"

namespace reelhouse {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr int64_t kMaxFileBytes = int64_t{1} << 30;

struct Signature {
  AVCodecID codec_id;
  size_t offset;
  std::string_view text;
};

using namespace std::string_view_literals;

constexpr Signature kSignatures[] = {
    {AV_CODEC_ID_PNG, 0, "\x89PNG\r\n\x1a\n"sv},
    {AV_CODEC_ID_WEBP, 8, "WEBPVP8"sv},
    {AV_CODEC_ID_TIFF, 0, "II*\0"sv},
    {AV_CODEC_ID_TIFF, 0, "MM\0*"sv},
    {AV_CODEC_ID_GIF, 0, "GIF87a"sv},
    {AV_CODEC_ID_GIF, 0, "GIF89a"sv},
    {AV_CODEC_ID_BMP, 0, "BM"sv},
    {AV_CODEC_ID_PBM, 0, "P1"sv},
    {AV_CODEC_ID_PGM, 0, "P2"sv},
    {AV_CODEC_ID_PPM, 0, "P3"sv},
    {AV_CODEC_ID_PBM, 0, "P4"sv},
    {AV_CODEC_ID_PGM, 0, "P5"sv},
    {AV_CODEC_ID_PPM, 0, "P6"sv},
    {AV_CODEC_ID_PAM, 0, "P7"sv},
    {AV_CODEC_ID_PFM, 0, "PF\n"sv},
    {AV_CODEC_ID_PFM, 0, "Pf\n"sv},
    {AV_CODEC_ID_QOI, 0, "qoif"sv},
    {AV_CODEC_ID_PSD, 0, "8BPS"sv},
    {AV_CODEC_ID_JPEG2000, 0, "\0\0\0\x0cjP  \r\n"sv},
    {AV_CODEC_ID_JPEG2000, 0, "\xff\x4f\xff\x51"sv},
    {AV_CODEC_ID_JPEGXL, 0, "\xff\x0a"sv},
    {AV_CODEC_ID_JPEGXL, 0, "\0\0\0\x0cJXL "sv},
    {AV_CODEC_ID_EXR, 0, "\x76\x2f\x31\x01"sv},
    {AV_CODEC_ID_DPX, 0, "SDPX"sv},
    {AV_CODEC_ID_DPX, 0, "XPDS"sv},
    {AV_CODEC_ID_SGI, 0, "\x01\xda"sv},
    {AV_CODEC_ID_SUNRAST, 0, "\x59\xa6\x6a\x95"sv},
    {AV_CODEC_ID_PCX, 0, "\x0a\x05\x01"sv},
    {AV_CODEC_ID_DDS, 0, "DDS "sv},
    {AV_CODEC_ID_FITS, 0, "SIMPLE  ="sv},
};

constexpr std::string_view kTargaFooter = "TRUEVISION-XFILE.\0"sv;

AVCodecID FindStillCodec(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const Signature& signature : kSignatures) {
    if (text.size() > signature.offset && text.substr(signature.offset).starts_with(signature.text)) {
      return signature.codec_id;
    }
  }
  return text.ends_with(kTargaFooter) ? AV_CODEC_ID_TARGA : AV_CODEC_ID_NONE;
}

Status NotAnImage(Bytes bytes) {
  if (bytes.empty()) return Status::Invalid("no image: 0 bytes");
  std::string start;
  for (size_t i = 0; i < std::min<size_t>(bytes.size(), 8); ++i) start += fmt::format("{:02x}", bytes[i]);
  return Status::Invalid("no image that a decoder at hand reads: ", bytes.size(), " bytes that start with ", start,
                         "; JPEG, PNG, WebP, BMP, TIFF, GIF and others are taken");
}

/// Closes on the way out.
struct OpenFile {
  int number;
  ~OpenFile() {
    if (number >= 0) ::close(number);
  }
};

Result<std::shared_ptr<arrow::Buffer>> ReadImageFile(const std::string& path) {
  const auto failure = [&path] {
    ErrorFields fields;
    fields.path = path;
    if (errno == ENOENT || errno == ENOTDIR) {
      return MakeError(ErrorKind::kFileNotFound, path + ": no such file", std::move(fields));
    }
    return Status::IOError(path, ": ", std::strerror(errno));
  };
  // Not blocking: opening a pipe that nobody writes to would hang before it can be refused.
  const OpenFile file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) return failure();
  struct stat state {};
  if (::fstat(file.number, &state) != 0) return failure();
  if (!S_ISREG(state.st_mode)) return Status::IOError(path, ": not a regular file");
  if (state.st_size > kMaxFileBytes) {
    return Status::Invalid(path, ": ", state.st_size, " bytes are too many for an image; at most ", kMaxFileBytes);
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::ResizableBuffer> bytes, arrow::AllocateResizableBuffer(state.st_size));
  int64_t done = 0;
  while (done < state.st_size) {
    const ssize_t count = ::read(file.number, bytes->mutable_data() + done, static_cast<size_t>(state.st_size - done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure();
    if (count == 0) break;
    done += count;
  }
  if (done < state.st_size) ARROW_RETURN_NOT_OK(bytes->Resize(done));
  return bytes;
}

int PixelBytes(RawImage::Layout layout) {
  switch (layout) {
    case RawImage::Layout::kGray8:
      return 1;
    case RawImage::Layout::kGray16:
      return 2;
    case RawImage::Layout::kRgb8:
      return 3;
    case RawImage::Layout::kRgba8:
      return 4;
  }
  return 0;
}

AVPixelFormat FormatOf(RawImage::Layout layout) {
  switch (layout) {
    case RawImage::Layout::kGray8:
      return AV_PIX_FMT_GRAY8;
    case RawImage::Layout::kGray16:
      return AV_PIX_FMT_GRAY16;
    case RawImage::Layout::kRgb8:
      return AV_PIX_FMT_RGB24;
    case RawImage::Layout::kRgba8:
      return AV_PIX_FMT_RGBA;
  }
  return AV_PIX_FMT_NONE;
}

void ReleaseArrowBuffer(void* opaque, uint8_t*) { delete static_cast<std::shared_ptr<arrow::Buffer>*>(opaque); }

bool IsDeepGray(AVPixelFormat format) {
  return format == AV_PIX_FMT_GRAY16LE || format == AV_PIX_FMT_GRAY16BE || format == AV_PIX_FMT_YA16LE ||
         format == AV_PIX_FMT_YA16BE;
}

/// Refuses what is neither 8 bits a channel nor one channel of 16 bits.
Status CheckDepth(AVPixelFormat format) {
  const AVPixFmtDescriptor& description = *av_pix_fmt_desc_get(format);
  const bool is_gray = description.nb_components <= 2;
  if (description.flags & AV_PIX_FMT_FLAG_FLOAT) {
    return Status::Invalid("float ", is_gray ? "grey" : "colour", " pictures (", description.name,
                           ") cannot be stored: convert them to uint8, or depth to one-channel uint16 in a unit that ",
                           "fits, such as (metres * 1000).round().astype(\"uint16\")");
  }
  const int depth = DepthOf(format);
  if (depth <= 8 || IsDeepGray(format)) return Status::OK();
  if (is_gray) {
    return Status::Invalid("grey pictures of ", depth, " bits (", description.name,
                           ") are read from PNG, TIFF and PGM of 16 bits and from uint16 arrays only");
  }
  return Status::Invalid("colour pictures of ", depth, " bits (", description.name,
                         ") cannot be stored: scale them to 8 bits a channel first, or store each channel as ",
                         "one-channel uint16 pictures in a video column of its own; values are never clipped silently");
}

/// Formats of which it is known that the decoder gives 16-bit numbers as they are in the file, and not stretched.
Status CheckNumbersOf(Bytes bytes, AVCodecID codec_id) {
  if (codec_id == AV_CODEC_ID_PNG || codec_id == AV_CODEC_ID_PAM) return Status::OK();
  if (codec_id != AV_CODEC_ID_TIFF) {
    return Status::Invalid("grey pictures of 16 bits are read from PNG, TIFF and PGM files and from uint16 arrays; ",
                           "this is ", avcodec_get_name(codec_id), ": save it as PNG");
  }
  constexpr uint16_t kPhotometric = 262, kSampleFormat = 339;
  const int sample_format = ReadTiffTag(bytes, kSampleFormat, 1);
  if (sample_format != 1) {
    return Status::Invalid("a TIFF of ",
                           sample_format == 2   ? "signed"
                           : sample_format == 3 ? "float"
                                                : "unusual",
                           " 16-bit samples: only unsigned ones are stored as they are; convert it to uint16");
  }
  if (ReadTiffTag(bytes, kPhotometric, 1) == 0) {
    return Status::Invalid("a 16-bit TIFF in which 0 is white: save it with photometric MinIsBlack");
  }
  return Status::OK();
}

bool IsBt601(AVColorSpace space) {
  return space == AVCOL_SPC_UNSPECIFIED || space == AVCOL_SPC_BT470BG || space == AVCOL_SPC_SMPTE170M ||
         space == AVCOL_SPC_RESERVED;
}

/// The planar 8-bit format of the same layout without alpha and without FFmpeg's J; NONE where there is none.
AVPixelFormat PlainPlanar(AVPixelFormat format) {
  switch (format) {
    case AV_PIX_FMT_YUV420P:
    case AV_PIX_FMT_YUVJ420P:
    case AV_PIX_FMT_YUVA420P:
      return AV_PIX_FMT_YUV420P;
    case AV_PIX_FMT_YUV422P:
    case AV_PIX_FMT_YUVJ422P:
    case AV_PIX_FMT_YUVA422P:
      return AV_PIX_FMT_YUV422P;
    case AV_PIX_FMT_YUV444P:
    case AV_PIX_FMT_YUVJ444P:
    case AV_PIX_FMT_YUVA444P:
      return AV_PIX_FMT_YUV444P;
    case AV_PIX_FMT_YUV440P:
    case AV_PIX_FMT_YUVJ440P:
      return AV_PIX_FMT_YUV440P;
    case AV_PIX_FMT_YUV411P:
    case AV_PIX_FMT_YUVJ411P:
      return AV_PIX_FMT_YUV411P;
    default:
      return AV_PIX_FMT_NONE;
  }
}

bool IsFullRange(const AVFrame& frame, AVCodecID codec_id) {
  if (frame.color_range == AVCOL_RANGE_JPEG) return true;
  if (frame.color_range == AVCOL_RANGE_MPEG) return false;
  const std::string_view name = av_get_pix_fmt_name(static_cast<AVPixelFormat>(frame.format));
  // WebP is limited by its definition; the still formats that store YCbCr besides are full.
  return name.starts_with("yuvj") || codec_id != AV_CODEC_ID_WEBP;
}

bool HasOpaqueAlphaPlane(const AVFrame& frame) {
  for (int y = 0; y < frame.height; ++y) {
    const uint8_t* row = frame.data[3] + static_cast<ptrdiff_t>(frame.linesize[3]) * y;
    if (!std::all_of(row, row + frame.width, [](uint8_t alpha) { return alpha == 255; })) return false;
  }
  return true;
}

}  // namespace

Result<UprightPicture> ImageDecoder::Decode(const ImageInput& image) {
  UprightPicture picture;
  if (const auto* raw = std::get_if<RawImage>(&image)) {
    ARROW_ASSIGN_OR_RAISE(picture.frame, FromRaw(*raw));
    return picture;
  }
  std::shared_ptr<arrow::Buffer> bytes;
  const auto* path = std::get_if<ImagePath>(&image);
  if (path) {
    ARROW_ASSIGN_OR_RAISE(bytes, ReadImageFile(path->path));
  } else {
    bytes = std::get<EncodedImage>(image).bytes;
  }
  if (!bytes) return Status::Invalid("no image: no bytes");
  if (bytes->size() > kMaxFileBytes) {
    return Status::Invalid("no image: ", bytes->size(), " bytes, at most ", kMaxFileBytes, " are read");
  }
  picture.encoded_bytes = bytes->size();
  auto frame = DecodeBytes({bytes->data(), static_cast<size_t>(bytes->size())});
  if (!frame.ok()) return path ? Prefixed(path->path, frame.status()) : frame.status();
  picture.frame = std::move(frame).ValueUnsafe();
  return picture;
}

Result<AvFrame> ImageDecoder::DecodeBytes(Bytes bytes) {
  AvFrame frame;
  if (JpegDecoder::IsJpeg(bytes)) {
    auto decoded = jpeg_.Decode(bytes, options_.wants_rgb, pool_, options_.max_pixels);
    if (decoded.status().IsNotImplemented()) {
      const bool is_jpeg_ls = bytes[3] == 0xf7;
      decoded = DecodeWithLibav(bytes, is_jpeg_ls ? AV_CODEC_ID_JPEGLS : AV_CODEC_ID_MJPEG);
    }
    ARROW_ASSIGN_OR_RAISE(frame, std::move(decoded));
  } else {
    const AVCodecID codec_id = FindStillCodec(bytes);
    if (codec_id == AV_CODEC_ID_NONE) return NotAnImage(bytes);
    // FFmpeg stretches the numbers of deep graymaps to 16 bits.
    if (IsDeepGraymap(bytes)) return DecodeDeepGraymap(bytes, pool_, options_.max_pixels);
    ARROW_ASSIGN_OR_RAISE(frame, DecodeWithLibav(bytes, codec_id));
  }
  if (!options_.apply_orientation) return frame;
  return TurnUpright(std::move(frame), OrientationFromExif(FindExifOrientation(bytes)));
}

Result<AvFrame> ImageDecoder::DecodeWithLibav(Bytes bytes, AVCodecID codec_id) {
  // The TIFF decoder calls every tag that it does not know an error, and would fail for it if it were told to be
  // strict.
  const bool is_tiff = codec_id == AV_CODEC_ID_TIFF;
  AvLogCapture log(is_tiff ? "Unknown or unsupported tag" : "");
  constexpr uint16_t kCompression = 259;
  const int compression = is_tiff ? ReadTiffTag(bytes, kCompression, 1) : 1;
  // FFmpeg makes wrong colours of it.
  if (compression == 6 || compression == 7) return Status::Invalid("JPEG inside of TIFF cannot be read");
  const ::AVCodec* decoder = avcodec_find_decoder(codec_id);
  if (!decoder) {
    return Status::Invalid("a picture of format ", avcodec_get_name(codec_id),
                           ", for which this FFmpeg has no decoder");
  }
  AvCodec codec(avcodec_alloc_context3(decoder));
  AvPacket packet(av_packet_alloc());
  AvFrame frame(av_frame_alloc());
  if (!codec || !packet || !frame || av_new_packet(packet.get(), static_cast<int>(bytes.size())) < 0) {
    return Status::OutOfMemory("image of ", bytes.size(), " bytes");
  }
  if (codec_id == AV_CODEC_ID_PNG) {
    av_shrink_packet(packet.get(), static_cast<int>(CopyPngWithoutTexts(bytes, packet->data)));
  } else {
    std::memcpy(packet->data, bytes.data(), bytes.size());
  }
  codec->thread_count = 1;
  codec->max_pixels = options_.max_pixels;
  codec->err_recognition = is_tiff ? AV_EF_CRCCHECK : AV_EF_CRCCHECK | AV_EF_EXPLODE;
  int code = avcodec_open2(codec.get(), decoder, nullptr);
  if (code >= 0) code = avcodec_send_packet(codec.get(), packet.get());
  if (code >= 0) code = avcodec_receive_frame(codec.get(), frame.get());
  if (code == AVERROR(EAGAIN)) {
    code = avcodec_send_packet(codec.get(), nullptr);
    if (code >= 0) code = avcodec_receive_frame(codec.get(), frame.get());
  }
  const bool is_corrupt = frame->decode_error_flags != 0 || (frame->flags & AV_FRAME_FLAG_CORRUPT);
  if (code < 0 || is_corrupt || log.saw_error()) {
    ARROW_RETURN_NOT_OK(CheckRefusedSize(log.lines(), options_.max_pixels, kImageMaxPixelsOption));
    return AvFailure(std::string("damaged, cut or unsupported picture of format ") + avcodec_get_name(codec_id),
                     code < 0 && code != AVERROR_EOF ? code : AVERROR_INVALIDDATA, log.Take());
  }
  ARROW_RETURN_NOT_OK(CheckPictureSize(frame->width, frame->height));
  if (IsDeepGray(static_cast<AVPixelFormat>(frame->format))) ARROW_RETURN_NOT_OK(CheckNumbersOf(bytes, codec_id));
  return Normalize(std::move(frame), codec_id);
}

Result<AvFrame> ImageDecoder::FromRaw(const RawImage& image) {
  ARROW_RETURN_NOT_OK(CheckPictureSize(image.width, image.height));
  const int64_t row_bytes = int64_t{image.width} * PixelBytes(image.layout);
  const bool fits = image.pixels && image.row_bytes >= row_bytes && image.row_bytes <= INT32_MAX &&
                    image.row_bytes * (image.height - 1) + row_bytes <= image.pixels->size();
  if (!fits) {
    return Status::Invalid("raw picture of ", image.width, "x", image.height, " with rows of ", image.row_bytes,
                           " bytes does not fit its buffer of ", image.pixels ? image.pixels->size() : 0, " bytes");
  }
  AvFrame frame(av_frame_alloc());
  if (!frame) return Status::OutOfMemory("raw picture");
  auto owner = std::make_unique<std::shared_ptr<arrow::Buffer>>(image.pixels);
  frame->buf[0] =
      av_buffer_create(const_cast<uint8_t*>(image.pixels->data()), static_cast<size_t>(image.pixels->size()),
                       ReleaseArrowBuffer, owner.get(), AV_BUFFER_FLAG_READONLY);
  if (!frame->buf[0]) return Status::OutOfMemory("raw picture");
  (void)owner.release();
  frame->data[0] = frame->buf[0]->data;
  frame->linesize[0] = static_cast<int>(image.row_bytes);
  frame->width = image.width;
  frame->height = image.height;
  frame->format = FormatOf(image.layout);
  return image.layout == RawImage::Layout::kRgba8 ? Flatten(std::move(frame)) : std::move(frame);
}

Result<AvFrame> ImageDecoder::Normalize(AvFrame frame, AVCodecID codec_id) {
  const auto format = static_cast<AVPixelFormat>(frame->format);
  const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
  if (!description) return Status::Invalid("a picture of unknown pixel format");
  ARROW_RETURN_NOT_OK(CheckDepth(format));
  if (IsDeepGray(format)) return ToNumbers(std::move(frame));
  if (format == AV_PIX_FMT_GRAY8) return frame;
  if (format == AV_PIX_FMT_RGB24) return frame;
  const bool is_full_range = IsFullRange(*frame, codec_id);
  const bool has_alpha = (description->flags & AV_PIX_FMT_FLAG_ALPHA) || format == AV_PIX_FMT_PAL8;
  const AVPixelFormat planar = PlainPlanar(format);
  if (planar != AV_PIX_FMT_NONE && IsBt601(frame->colorspace) && !options_.wants_rgb &&
      (!has_alpha || HasOpaqueAlphaPlane(*frame))) {
    frame->format = planar;
    frame->data[3] = nullptr;
    frame->color_range = is_full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    return frame;
  }
  if (description->nb_components == 1 && format != AV_PIX_FMT_PAL8) {
    return Rescale(*frame, AV_PIX_FMT_GRAY8, true);
  }
  if (!has_alpha) return Rescale(*frame, AV_PIX_FMT_RGB24, is_full_range);
  ARROW_ASSIGN_OR_RAISE(AvFrame rgba, Rescale(*frame, AV_PIX_FMT_RGBA, is_full_range));
  return Flatten(std::move(rgba));
}

/// GRAY16 of pictures with one deep channel, and an opaque second one at most.
Result<AvFrame> ImageDecoder::ToNumbers(AvFrame frame) {
  const auto format = static_cast<AVPixelFormat>(frame->format);
  if (format == AV_PIX_FMT_GRAY16) return frame;
  const bool is_big_endian = av_pix_fmt_desc_get(format)->flags & AV_PIX_FMT_FLAG_BE;
  ARROW_ASSIGN_OR_RAISE(AvFrame numbers, pool_.Get(AV_PIX_FMT_GRAY16, frame->width, frame->height));
  if (av_pix_fmt_desc_get(format)->nb_components == 1) {
    FromBigEndian(PlaneOf(*frame, 0), PlaneOf(*numbers, 0));
    return numbers;
  }
  for (int y = 0; y < frame->height; ++y) {
    const uint8_t* in = frame->data[0] + static_cast<ptrdiff_t>(frame->linesize[0]) * y;
    uint8_t* out = numbers->data[0] + static_cast<ptrdiff_t>(numbers->linesize[0]) * y;
    for (int x = 0; x < frame->width; ++x, in += 4, out += 2) {
      if (in[2] != 255 || in[3] != 255) {
        return Status::Invalid("a 16-bit grey picture with transparent pixels: save it without alpha");
      }
      const auto number = static_cast<uint16_t>(is_big_endian ? in[0] << 8 | in[1] : in[1] << 8 | in[0]);
      std::memcpy(out, &number, 2);
    }
  }
  return numbers;
}

Result<AvFrame> ImageDecoder::Flatten(AvFrame frame) {
  const ConstPlane rgba{frame->data[0], frame->linesize[0], frame->width, frame->height};
  const bool is_opaque = IsOpaque(rgba);
  if (!is_opaque && !options_.background) {
    return Status::Invalid("the picture has transparent pixels: pass background=(r, g, b) to lay it over a colour");
  }
  constexpr uint8_t kBlack[3] = {0, 0, 0};
  ARROW_ASSIGN_OR_RAISE(AvFrame rgb, pool_.Get(AV_PIX_FMT_RGB24, frame->width, frame->height));
  const uint8_t* background = options_.background ? options_.background->data() : kBlack;
  FlattenRgba(rgba, {rgb->data[0], rgb->linesize[0], rgb->width, rgb->height}, background);
  return rgb;
}

Result<AvFrame> ImageDecoder::Rescale(const AVFrame& frame, AVPixelFormat format, bool is_full_range) {
  AvLogCapture log;
  const int flags = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT;
  const auto from = static_cast<AVPixelFormat>(frame.format);
  scaler_.reset(sws_getCachedContext(scaler_.release(), frame.width, frame.height, from, frame.width, frame.height,
                                     format, flags, nullptr, nullptr, nullptr));
  if (!scaler_) {
    return Status::Invalid("pixel format ", av_get_pix_fmt_name(from), " cannot be converted (", log.Take(), ")");
  }
  const bool is_bt601 = IsBt601(frame.colorspace) || frame.colorspace == AVCOL_SPC_RGB;
  const int* matrix = sws_getCoefficients(is_bt601 ? SWS_CS_ITU601 : frame.colorspace);
  sws_setColorspaceDetails(scaler_.get(), matrix, is_full_range, matrix, 1, 0, 1 << 16, 1 << 16);
  ARROW_ASSIGN_OR_RAISE(AvFrame converted, scratch_pool_.Get(format, frame.width, frame.height));
  const int rows =
      sws_scale(scaler_.get(), frame.data, frame.linesize, 0, frame.height, converted->data, converted->linesize);
  if (rows < 0) return AvFailure("pixel conversion", rows, log.Take());
  return converted;
}

Result<AvFrame> ImageDecoder::TurnUpright(AvFrame frame, Orientation orientation) {
  if (orientation.is_upright()) return frame;
  const bool is_packed = frame->format == AV_PIX_FMT_RGB24;
  const bool is_numbers = frame->format == AV_PIX_FMT_GRAY16;
  const bool is_planar = !is_packed && !is_numbers && frame->format != AV_PIX_FMT_GRAY8;
  if (is_planar) {
    // A chroma sample of an odd edge stands for one column only; mirrored it would stand for two others.
    ChromaShift shift = ChromaShiftOf(static_cast<AVPixelFormat>(frame->format));
    const ChromaShift stored = shift;
    if (orientation.mirrors_columns && frame->width % (1 << shift.columns) != 0) shift.columns = 0;
    if (orientation.mirrors_rows && frame->height % (1 << shift.rows) != 0) shift.rows = 0;
    // 4:1:1 turned on its side has no format.
    if (orientation.swaps_axes && shift.columns > 1) shift.columns = 1;
    if (shift.columns != stored.columns || shift.rows != stored.rows) {
      ARROW_ASSIGN_OR_RAISE(frame, ResampleChroma(*frame, shift, scratch_pool_));
    }
  }
  auto format = static_cast<AVPixelFormat>(frame->format);
  if (orientation.swaps_axes && is_planar) {
    const ChromaShift shift = ChromaShiftOf(format);
    format = PlanarFormatOf({.columns = shift.rows, .rows = shift.columns});
  }
  const int width = orientation.swaps_axes ? frame->height : frame->width;
  const int height = orientation.swaps_axes ? frame->width : frame->height;
  ARROW_ASSIGN_OR_RAISE(AvFrame upright, pool_.Get(format, width, height));
  upright->color_range = frame->color_range;
  for (int i = 0; i < (is_planar ? 3 : 1); ++i) {
    TurnPlane(PlaneOf(*frame, i), PlaneOf(*upright, i), orientation, is_packed ? 3 : is_numbers ? 2 : 1);
  }
  return upright;
}

}  // namespace reelhouse
