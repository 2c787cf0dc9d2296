#include "reelhouse/media/picture_converter.h"

#include <string>
#include <string_view>
#include <utility>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include "reelhouse/media/chroma_resampler.h"

namespace reelhouse {
namespace {

AVPixelFormat WithoutJ(AVPixelFormat format) {
  switch (format) {
    case AV_PIX_FMT_YUVJ420P:
      return AV_PIX_FMT_YUV420P;
    case AV_PIX_FMT_YUVJ422P:
      return AV_PIX_FMT_YUV422P;
    case AV_PIX_FMT_YUVJ444P:
      return AV_PIX_FMT_YUV444P;
    case AV_PIX_FMT_YUVJ440P:
      return AV_PIX_FMT_YUV440P;
    case AV_PIX_FMT_YUVJ411P:
      return AV_PIX_FMT_YUV411P;
    default:
      return format;
  }
}

AVPixelFormat PlainFormatOf(const EncoderPicture& target) {
  if (target.is_rgb()) return AV_PIX_FMT_RGB24;
  if (target.is_gray()) return AV_PIX_FMT_GRAY8;
  return PlanarFormatOf(ChromaShiftOf(target.format));
}

struct RangeChanges {
  RangeChange luma = RangeChange::kNone;
  RangeChange chroma = RangeChange::kNone;
};

RangeChanges ChangesBetween(bool from_full, bool to_full) {
  if (from_full == to_full) return {};
  if (to_full) return {RangeChange::kLumaToFull, RangeChange::kChromaToFull};
  return {RangeChange::kLumaToLimited, RangeChange::kChromaToLimited};
}

}  // namespace

bool EncoderPicture::is_rgb() const { return av_pix_fmt_desc_get(format)->flags & AV_PIX_FMT_FLAG_RGB; }
bool EncoderPicture::is_gray() const { return !is_rgb() && av_pix_fmt_desc_get(format)->nb_components <= 2; }

bool EncoderPicture::is_full_range() const {
  return is_rgb() || is_gray() || std::string_view(av_pix_fmt_desc_get(format)->name).starts_with("yuvj");
}

AVChromaLocation EncoderPicture::chroma_location() const {
  const bool has_small_chroma = !is_rgb() && !is_gray() && av_pix_fmt_desc_get(format)->log2_chroma_h > 0;
  return has_small_chroma ? AVCHROMA_LOC_CENTER : AVCHROMA_LOC_UNSPECIFIED;
}

PictureConverter::PictureConverter(const EncoderPicture& target)
    : target_(target), plain_format_(PlainFormatOf(target)) {}

Result<AvFrame> PictureConverter::Convert(AvFrame picture) {
  if (picture->width != target_.width || picture->height != target_.height) {
    return Status::UnknownError("a picture of another size reached the converter");
  }
  ARROW_RETURN_NOT_OK(CheckKind(*picture));
  if (target_.kind == PictureKind::kDepth) {
    ARROW_ASSIGN_OR_RAISE(AvFrame numbers, ToNumbers(*picture));
    Tag(*numbers);
    return numbers;
  }
  if (plain_format_ == AV_PIX_FMT_NONE) {
    return Status::Invalid("pixel format ", av_get_pix_fmt_name(target_.format), " cannot be written");
  }
  auto plain = target_.is_rgb() ? ToRgb24(std::move(picture)) : ToPlanes(std::move(picture));
  ARROW_ASSIGN_OR_RAISE(AvFrame frame, std::move(plain));
  if (WithoutJ(target_.format) != plain_format_) {
    ARROW_ASSIGN_OR_RAISE(frame, Repack(std::move(frame)));
  }
  Tag(*frame);
  return frame;
}

Status PictureConverter::CheckKind(const AVFrame& picture) const {
  const bool is_depth = picture.format == AV_PIX_FMT_GRAY16;
  if (is_depth != (target_.kind == PictureKind::kDepth)) {
    return Status::Invalid("it has ", is_depth ? 16 : 8, " bits a channel, and the first picture has ",
                           is_depth ? 8 : 16, ": pictures of one video are all of one kind. Convert them to ",
                           "one-channel uint16 (numbers stay as they are) or to uint8 first");
  }
  if (!is_depth && IsGrayFormat(target_.format) && DepthOf(target_.format) > 8) {
    const std::string name = av_get_pix_fmt_name(target_.format);
    return Status::Invalid("pictures of 8 bits have no numbers of their own in pixel_format ", name,
                           ": use pixel_format=\"gray\" for them, or give one-channel uint16 pictures, whose numbers ",
                           "are stored as they are");
  }
  return Status::OK();
}

Result<AvFrame> PictureConverter::ToNumbers(const AVFrame& picture) {
  ARROW_ASSIGN_OR_RAISE(AvFrame numbers, pool_.Get(target_.format, picture.width, picture.height));
  const ConstPlane from{picture.data[0], picture.linesize[0], picture.width, picture.height};
  const Plane to{numbers->data[0], numbers->linesize[0], numbers->width, numbers->height};
  const bool is_big_endian = av_pix_fmt_desc_get(target_.format)->flags & AV_PIX_FMT_FLAG_BE;
  const int depth = DepthOf(target_.format);
  const int most = (1 << depth) - 1;
  const int largest = depth == 8 ? NarrowNumbers(from, to) : CopyNumbers(from, to, is_big_endian);
  if (largest <= most) return numbers;
  return Status::Invalid("its largest value is ", largest, ", and pixel_format ", av_get_pix_fmt_name(target_.format),
                         " holds at most ", most, ": use ", CodecsThatHold(largest), ", or scale the values");
}

Result<AvFrame> PictureConverter::ToPlanes(AvFrame picture) {
  const bool to_full = target_.is_full_range();
  const auto format = static_cast<AVPixelFormat>(picture->format);
  const bool is_gray_target = plain_format_ == AV_PIX_FMT_GRAY8;

  if (format == AV_PIX_FMT_RGB24) {
    ARROW_ASSIGN_OR_RAISE(AvFrame planes, pool_.Get(plain_format_, picture->width, picture->height));
    const ConstPlane rgb = PlaneOf(*picture, 0);
    LumaFromRgb(rgb, PlaneOf(*planes, 0), !to_full);
    if (!is_gray_target) {
      ChromaFromRgb(rgb, PlaneOf(*planes, 1), PlaneOf(*planes, 2), ChromaShiftOf(plain_format_), !to_full);
    }
    return planes;
  }

  const bool is_gray = format == AV_PIX_FMT_GRAY8;
  const bool from_full = is_gray || picture->color_range == AVCOL_RANGE_JPEG;
  const RangeChanges changes = ChangesBetween(from_full, to_full);
  // The planes are the right ones already in the common case; then nothing but the range changes, in place.
  const bool is_in_place = format == plain_format_ && av_frame_is_writable(picture.get()) > 0;
  AvFrame planes;
  if (!is_in_place) {
    ARROW_ASSIGN_OR_RAISE(planes, pool_.Get(plain_format_, picture->width, picture->height));
  }
  AVFrame& out = is_in_place ? *picture : *planes;
  ChangeRange(PlaneOf(*picture, 0), PlaneOf(out, 0), changes.luma);
  if (!is_gray_target) {
    if (!is_gray && !is_in_place) ARROW_RETURN_NOT_OK(ResampleChromaPlanes(*picture, out));
    for (int i = 1; i < 3; ++i) {
      if (is_gray) {
        FillPlane(PlaneOf(out, i), 128);
      } else {
        ChangeRange(PlaneOf(out, i), PlaneOf(out, i), changes.chroma);
      }
    }
  }
  return is_in_place ? std::move(picture) : std::move(planes);
}

Result<AvFrame> PictureConverter::ToRgb24(AvFrame picture) {
  if (picture->format == AV_PIX_FMT_RGB24) return picture;
  if (picture->format != AV_PIX_FMT_GRAY8) return Status::UnknownError("YUV reached an RGB encoder");
  ARROW_ASSIGN_OR_RAISE(AvFrame rgb, pool_.Get(AV_PIX_FMT_RGB24, picture->width, picture->height));
  for (int y = 0; y < rgb->height; ++y) {
    const uint8_t* in = picture->data[0] + static_cast<ptrdiff_t>(picture->linesize[0]) * y;
    uint8_t* out = rgb->data[0] + static_cast<ptrdiff_t>(rgb->linesize[0]) * y;
    for (int x = 0; x < rgb->width; ++x, out += 3) out[0] = out[1] = out[2] = in[x];
  }
  return rgb;
}

Result<AvFrame> PictureConverter::Repack(AvFrame picture) {
  AvLogCapture log;
  const int flags = SWS_POINT | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT;
  if (!scaler_) {
    scaler_.reset(sws_getContext(picture->width, picture->height, plain_format_, picture->width, picture->height,
                                 target_.format, flags, nullptr, nullptr, nullptr));
    if (!scaler_) {
      return Status::Invalid("pixel format ", av_get_pix_fmt_name(target_.format), " cannot be written (", log.Take(),
                             ")");
    }
    const int* matrix = sws_getCoefficients(SWS_CS_ITU601);
    const int range = target_.is_full_range() ? 1 : 0;
    sws_setColorspaceDetails(scaler_.get(), matrix, range, matrix, range, 0, 1 << 16, 1 << 16);
  }
  ARROW_ASSIGN_OR_RAISE(AvFrame packed, packed_pool_.Get(target_.format, picture->width, picture->height));
  const int rows =
      sws_scale(scaler_.get(), picture->data, picture->linesize, 0, picture->height, packed->data, packed->linesize);
  if (rows < 0) return AvFailure("pixel conversion", rows, log.Take());
  return packed;
}

void PictureConverter::Tag(AVFrame& frame) const {
  frame.format = target_.format;
  frame.color_range = target_.range();
  frame.colorspace = target_.matrix();
  frame.color_primaries = target_.primaries();
  frame.color_trc = target_.transfer();
  frame.chroma_location = target_.chroma_location();
  frame.sample_aspect_ratio = {1, 1};
  frame.pict_type = AV_PICTURE_TYPE_NONE;
}

}  // namespace reelhouse
