#include "reelhouse/media/encoder_formats.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include "reelhouse/base/text.h"
#include "reelhouse/media/chroma_resampler.h"
#include "reelhouse/media/media_info.h"

namespace reelhouse {
namespace {

/// True where 8-bit pictures can be brought into this format.
bool IsWritable(AVPixelFormat format) {
  const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
  constexpr uint64_t kOdd = AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_BAYER |
                            AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_PAL;
  if (!description || (description->flags & kOdd) || description->comp[0].depth < 8) return false;
  if (std::string_view(description->name).starts_with("xyz")) return false;
  const bool is_planar_like =
      (description->flags & AV_PIX_FMT_FLAG_RGB) || description->nb_components <= 2 ||
      PlanarFormatOf({.columns = description->log2_chroma_w, .rows = description->log2_chroma_h}) != AV_PIX_FMT_NONE;
  return is_planar_like && sws_isSupportedOutput(format) > 0;
}

std::string NameOf(AVPixelFormat format) { return av_get_pix_fmt_name(format); }

/// The grey format with the most bits, more than 8, in the byte order of this machine where there are both; or NONE.
AVPixelFormat DeepestGray(const std::vector<AVPixelFormat>& formats) {
  const auto is_native = [](AVPixelFormat format) {
    return !(av_pix_fmt_desc_get(format)->flags & AV_PIX_FMT_FLAG_BE);
  };
  AVPixelFormat deepest = AV_PIX_FMT_NONE;
  for (const AVPixelFormat format : formats) {
    if (!IsGrayFormat(format) || DepthOf(format) <= 8) continue;
    const bool is_better = deepest == AV_PIX_FMT_NONE || DepthOf(format) > DepthOf(deepest) ||
                           (DepthOf(format) == DepthOf(deepest) && is_native(format));
    if (is_better) deepest = format;
  }
  return deepest;
}

Result<AVPixelFormat> ChooseDepthFormat(const ::AVCodec& encoder, const std::vector<AVPixelFormat>& usable,
                                        const std::optional<std::string>& name) {
  if (name) {
    const AVPixelFormat format = av_get_pix_fmt(name->c_str());
    if (IsGrayFormat(format)) return format;
    return Status::Invalid("one-channel pictures of 16 bits are stored as they are and need a grey pixel format, ",
                           "but pixel_format was ", QuoteForError(*name), ": use ", CodecsThatHold(65535));
  }
  const AVPixelFormat deepest = DeepestGray(usable);
  if (deepest != AV_PIX_FMT_NONE) return deepest;
  return Status::Invalid("codec `", encoder.name, "` has no grey pixel format of more than 8 bits, and pictures of 16 ",
                         "bits are never clipped silently: use ", CodecsThatHold(65535), ", or scale them to uint8");
}

}  // namespace

std::string JoinedNames(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) {
    if (!joined.empty()) joined += ", ";
    joined += name;
  }
  return joined;
}

std::string NameSuggestion(std::string_view name, const std::vector<std::string>& names) {
  const std::string nearest = NearestName(name, names);
  return nearest.empty() ? "" : " (did you mean " + nearest + "?)";
}

int DepthOf(AVPixelFormat format) {
  const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
  int depth = 0;
  for (int i = 0; i < description->nb_components; ++i) depth = std::max(depth, description->comp[i].depth);
  return depth;
}

bool IsGrayFormat(AVPixelFormat format) {
  const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
  constexpr uint64_t kOther = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_FLOAT |
                              AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL;
  return description && description->nb_components == 1 && !(description->flags & kOther) &&
         description->comp[0].shift == 0 && description->comp[0].depth >= 8;
}

std::vector<AVPixelFormat> FormatsOf(const ::AVCodec& encoder) {
  std::vector<AVPixelFormat> formats;
  const AVPixelFormat* list = nullptr;
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
  const void* found = nullptr;
  int count = 0;
  if (avcodec_get_supported_config(nullptr, &encoder, AV_CODEC_CONFIG_PIX_FORMAT, 0, &found, &count) >= 0) {
    list = static_cast<const AVPixelFormat*>(found);
  }
#else
  list = encoder.pix_fmts;
#endif
  for (; list && *list != AV_PIX_FMT_NONE; ++list) formats.push_back(*list);
  return formats;
}

Result<AVPixelFormat> ChooseFormat(const ::AVCodec& encoder, const std::optional<std::string>& name, PictureKind kind) {
  std::vector<AVPixelFormat> usable;
  std::vector<std::string> names;
  const std::vector<AVPixelFormat> all = FormatsOf(encoder);
  for (AVPixelFormat format : all) {
    if (!IsWritable(format)) continue;
    usable.push_back(format);
    names.push_back(NameOf(format));
  }
  if (usable.empty() && !all.empty()) {
    return Status::Invalid("codec `", encoder.name,
                           "` takes only pictures in the memory of special hardware or of unusual ",
                           "pixel formats, which are not made here; tested are ", JoinedNames(TestedEncoders()));
  }
  if (name) {
    const AVPixelFormat format = av_get_pix_fmt(name->c_str());
    const bool is_taken = format != AV_PIX_FMT_NONE && IsWritable(format) &&
                          (all.empty() || std::find(usable.begin(), usable.end(), format) != usable.end());
    if (!is_taken) {
      return Status::Invalid("pixel_format ", QuoteForError(*name), " is not one of codec `", encoder.name, "`",
                             NameSuggestion(*name, names), "; it takes ",
                             names.empty() ? "any common format" : JoinedNames(names));
    }
    if (kind == PictureKind::kEightBit) return format;
  }
  if (kind == PictureKind::kDepth) return ChooseDepthFormat(encoder, usable, name);
  const auto takes = [&](AVPixelFormat format) {
    return std::find(usable.begin(), usable.end(), format) != usable.end();
  };
  // MJPEG takes limited range only under protest.
  if (encoder.id == AV_CODEC_ID_MJPEG && takes(AV_PIX_FMT_YUVJ420P)) return AV_PIX_FMT_YUVJ420P;
  if (usable.empty() || takes(AV_PIX_FMT_YUV420P)) return AV_PIX_FMT_YUV420P;
  const auto is_plain = [](AVPixelFormat format, bool is_rgb) {
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    return DepthOf(format) == 8 && !(description->flags & AV_PIX_FMT_FLAG_ALPHA) &&
           (!is_rgb || (description->flags & AV_PIX_FMT_FLAG_RGB));
  };
  for (const bool is_rgb : {true, false}) {
    for (AVPixelFormat format : usable) {
      if (is_plain(format, is_rgb)) return format;
    }
  }
  return usable.front();
}

std::string CodecsThatHold(int value) {
  std::string text;
  for (const char* name : {"ffv1", "libx265", "libaom-av1", "libx264"}) {
    const ::AVCodec* encoder = avcodec_find_encoder_by_name(name);
    const AVPixelFormat deepest = encoder ? DeepestGray(FormatsOf(*encoder)) : AV_PIX_FMT_NONE;
    if (deepest == AV_PIX_FMT_NONE) continue;
    const int most = (1 << DepthOf(deepest)) - 1;
    if (most < value) continue;
    text += fmt::format("{}codec=\"{}\" ({}, up to {})", text.empty() ? "" : " or ", name, NameOf(deepest), most);
  }
  return text.empty() ? "an FFmpeg with the encoder ffv1" : text;
}

}  // namespace reelhouse
