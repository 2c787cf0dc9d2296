#include "reelhouse/media/encoder_choice.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include "reelhouse/base/text.h"
#include "reelhouse/media/chroma_resampler.h"
#include "reelhouse/media/media_info.h"

namespace reelhouse {
namespace {

bool IsVideoEncoder(const ::AVCodec& codec) { return codec.type == AVMEDIA_TYPE_VIDEO && av_codec_is_encoder(&codec); }

std::vector<std::string> VideoEncoderNames(AVCodecID only = AV_CODEC_ID_NONE) {
  std::vector<std::string> names;
  void* state = nullptr;
  while (const ::AVCodec* codec = av_codec_iterate(&state)) {
    if (IsVideoEncoder(*codec) && (only == AV_CODEC_ID_NONE || codec->id == only)) names.push_back(codec->name);
  }
  return names;
}

Result<const ::AVCodec*> FindEncoder(const std::string& name) {
  const ::AVCodec* encoder = avcodec_find_encoder_by_name(name.c_str());
  if (encoder && IsVideoEncoder(*encoder)) return encoder;
  const std::string tested = JoinedNames(TestedEncoders());
  if (const AVCodecDescriptor* codec = avcodec_descriptor_get_by_name(name.c_str())) {
    const std::vector<std::string> encoders = VideoEncoderNames(codec->id);
    if (codec->type == AVMEDIA_TYPE_VIDEO && !encoders.empty()) {
      return Status::Invalid("codec ", QuoteForError(name), " is no encoder of this FFmpeg; encoders of it are ",
                             JoinedNames(encoders), ". Tested are ", tested);
    }
  }
  return Status::Invalid("codec ", QuoteForError(name), " is no video encoder of this FFmpeg",
                         NameSuggestion(name, VideoEncoderNames()), "; tested are ", tested);
}

bool MuxerTakes(const char* container, AVCodecID codec_id) {
  const AVOutputFormat* format = av_guess_format(container, nullptr, nullptr);
  if (!format) return false;
  if (avformat_query_codec(format, codec_id, FF_COMPLIANCE_NORMAL) == 1) return true;
  // MOV also takes the tags of AVI, which its list does not show (FFV1 with FFmpeg 5.1).
  const AVCodecTag* const tags[] = {avformat_get_riff_video_tags(), nullptr};
  return std::string_view(container) == "mov" && av_codec_get_tag(tags, codec_id) != 0;
}

Result<std::string> ChooseContainer(const ::AVCodec& encoder) {
  for (const char* container : {"mp4", "mov"}) {
    if (MuxerTakes(container, encoder.id)) return container;
  }
  return Status::Invalid("codec `", encoder.name, "` makes ", avcodec_get_name(encoder.id),
                         ", which neither MP4 nor MOV can carry; tested are ", JoinedNames(TestedEncoders()));
}

/// What an option would repeat or break, or empty.
std::string_view ReservedBecause(std::string_view name) {
  struct Reserved {
    std::string_view name;
    std::string_view reason;
  };
  constexpr std::string_view kGop = "it repeats the argument gop_size";
  constexpr std::string_view kFormat = "it repeats the argument pixel_format";
  constexpr std::string_view kRate = "it repeats the argument fps";
  constexpr std::string_view kTags = "colour tags say what the pictures are converted to and are always written";
  constexpr std::string_view kSize = "the size of the video is that of the pictures";
  constexpr Reserved kReserved[] = {
      {"g", kGop},
      {"gop", kGop},
      {"keyint", kGop},
      {"gop_size", kGop},
      {"pix_fmt", kFormat},
      {"pixel_format", kFormat},
      {"r", kRate},
      {"framerate", kRate},
      {"fps", kRate},
      {"time_base", kRate},
      {"color_range", kTags},
      {"colorspace", kTags},
      {"color_primaries", kTags},
      {"color_trc", kTags},
      {"chroma_sample_location", kTags},
      {"s", kSize},
      {"video_size", kSize},
      {"aspect", kSize},
      {"c", "it repeats the argument codec"},
      {"codec", "it repeats the argument codec"},
  };
  for (const Reserved& reserved : kReserved) {
    if (reserved.name == name) return reserved.reason;
  }
  return {};
}

/// Options that hold options of the encoder's own library, as `a=b:c=d`.
bool IsNestedOptions(std::string_view name) {
  return name == "x264-params" || name == "x264opts" || name == "x265-params" || name == "svtav1-params";
}

Status CheckNestedOptions(const std::string& name, std::string_view value) {
  while (!value.empty()) {
    const std::string_view item = value.substr(0, value.find(':'));
    const std::string_view key = item.substr(0, item.find('='));
    const std::string_view reason = ReservedBecause(key);
    const bool is_tag = key == "colormatrix" || key == "colorprim" || key == "transfer" || key == "range" ||
                        key == "fullrange" || key == "matrix-coefficients" || key == "color-primaries" ||
                        key == "transfer-characteristics" || key == "color-range";
    if (!reason.empty() || is_tag) {
      return Status::Invalid(
          "codec_options: ", QuoteForError(key), " in ", name, " is refused: ",
          is_tag ? "colour tags say what the pictures are converted to and are always written" : reason);
    }
    value.remove_prefix(std::min(value.size(), item.size() + 1));
  }
  return Status::OK();
}

/// Names of the options that an encoder of video has, its own and FFmpeg's.
std::vector<std::string> OptionNames(AVCodecContext* codec) {
  std::vector<std::string> names;
  const auto collect = [&names](void* object) {
    if (!object) return;
    const AVOption* option = nullptr;
    while ((option = av_opt_next(object, option))) {
      constexpr int kWanted = AV_OPT_FLAG_ENCODING_PARAM | AV_OPT_FLAG_VIDEO_PARAM;
      if (option->type != AV_OPT_TYPE_CONST && (option->flags & kWanted) == kWanted) names.push_back(option->name);
    }
  };
  if (codec->codec->priv_class) collect(codec->priv_data);
  collect(codec);
  return names;
}

Result<double> ParseQscale(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  if (!is_number || value < 0 || value > 1000) {
    return Status::Invalid("codec_options: qscale must be a number from 0 to 1000, but was ", QuoteForError(text));
  }
  return value;
}

/// x264 and x265 print unknown ones to stderr by themselves, so that they must not get to see them.
Status CheckPresetTuneProfile(std::string_view encoder, const std::string& name, const std::string& value) {
  static const std::vector<std::string> presets = {"ultrafast", "superfast", "veryfast", "faster",   "fast",
                                                   "medium",    "slow",      "slower",   "veryslow", "placebo"};
  static const std::vector<std::string> tunes = {"film", "animation",  "grain",       "stillimage",   "psnr",
                                                 "ssim", "fastdecode", "zerolatency", "zero-latency", "touhou"};
  static const std::vector<std::string> profiles = {"baseline", "main", "high", "high10", "high422", "high444"};
  const bool is_x264 = encoder == "libx264" || encoder == "libx264rgb";
  const bool has_names = name == "profile" ? is_x264 : is_x264 || encoder == "libx265";
  if (!has_names || (name != "preset" && name != "tune" && name != "profile")) return Status::OK();
  const std::vector<std::string>& names = name == "preset" ? presets : name == "tune" ? tunes : profiles;
  const bool is_number = value.size() == 1 && value[0] >= '0' && value[0] <= '9';
  if (name == "preset" && is_number) return Status::OK();
  // Tunes may be combined; which of them go together is for the encoder to say.
  for (size_t at = 0; at <= value.size();) {
    const size_t end = name != "tune" ? value.size() : std::min(value.find_first_of(",./+", at), value.size());
    const std::string item = value.substr(at, end - at);
    if (std::find(names.begin(), names.end(), item) == names.end()) {
      return Status::Invalid("codec_options: ", name, "=", QuoteForError(value), ": ", QuoteForError(item), " is no ",
                             name, " of codec `", encoder, "`", NameSuggestion(item, names), "; there are ",
                             JoinedNames(names));
    }
    at = end + 1;
  }
  return Status::OK();
}

Status CheckOption(AVCodecContext* codec, const std::string& name, const std::string& value) {
  const std::string_view reason = ReservedBecause(name);
  if (!reason.empty()) return Status::Invalid("codec_options: ", QuoteForError(name), " is refused: ", reason);
  const std::vector<std::string> names = OptionNames(codec);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    return Status::Invalid("codec_options: ", QuoteForError(name), " is no option of codec `", codec->codec->name, "`",
                           NameSuggestion(name, names));
  }
  ARROW_RETURN_NOT_OK(CheckPresetTuneProfile(codec->codec->name, name, value));
  if (IsNestedOptions(name)) ARROW_RETURN_NOT_OK(CheckNestedOptions(name, value));
  AvLogCapture log;
  const int code = av_opt_set(codec, name.c_str(), value.c_str(), AV_OPT_SEARCH_CHILDREN);
  if (code < 0) {
    return AvFailure(
        "codec_options: " + name + "=" + QuoteForError(value) + " is refused by codec `" + codec->codec->name + "`",
        code, log.Take());
  }
  return Status::OK();
}

/// Options of the contract where none are given. The default of FFmpeg's own MPEG encoders is 200 kbit/s at any size,
/// which nobody wants to keep recordings in.
std::vector<std::pair<std::string, std::string>> DefaultOptions(const ::AVCodec& encoder) {
  const std::string_view name = encoder.name;
  if (name == "libx264") return {{"crf", "18"}, {"preset", "fast"}};
  if (name == "mpeg4" || name == "mpeg2video" || name == "mpeg1video" || name == "mjpeg") return {{"qscale", "3"}};
  return {};
}

Status CheckNumbers(const EncodingOptions& options) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  const Rational& fps = options.fps;
  if (fps.numerator <= 0 || fps.denominator <= 0 || fps.numerator > kMax || fps.denominator > kMax) {
    return Status::Invalid("fps must be a positive int or a fraction of ints up to ", kMax, ", but was ", fps.numerator,
                           "/", fps.denominator);
  }
  if (options.codec && options.codec->empty()) return Status::Invalid("codec must be a non-empty string.");
  if (options.pixel_format && options.pixel_format->empty()) {
    return Status::Invalid("pixel_format must be a non-empty string.");
  }
  if (options.gop_size <= 0) return Status::Invalid("gop_size must be a positive int, but was ", options.gop_size, ".");
  return Status::OK();
}

/// Codecs where the caller names none. Depth must not be lossy unless somebody says so.
constexpr const char* kDefaultCodec = "libx264";
constexpr const char* kDefaultDepthCodec = "ffv1";

Result<EncoderChoice> Choose(const EncodingOptions& options, PictureKind kind) {
  ARROW_RETURN_NOT_OK(CheckNumbers(options));
  const bool is_depth = kind == PictureKind::kDepth;
  const std::string name = options.codec.value_or(is_depth ? kDefaultDepthCodec : kDefaultCodec);
  EncoderChoice choice;
  choice.kind = kind;
  ARROW_ASSIGN_OR_RAISE(choice.encoder, FindEncoder(name));
  ARROW_ASSIGN_OR_RAISE(choice.container, ChooseContainer(*choice.encoder));
  ARROW_ASSIGN_OR_RAISE(choice.format, ChooseFormat(*choice.encoder, options.pixel_format, kind));
  const AvCodec trial(avcodec_alloc_context3(choice.encoder));
  if (!trial) return Status::OutOfMemory("encoder ", name);
  for (const auto& [key, value] : options.codec_options ? *options.codec_options : DefaultOptions(*choice.encoder)) {
    if (key == "qscale") {
      ARROW_ASSIGN_OR_RAISE(choice.qscale, ParseQscale(value));
      continue;
    }
    ARROW_RETURN_NOT_OK(CheckOption(trial.get(), key, value));
    choice.options.emplace_back(key, value);
  }
  return choice;
}

}  // namespace

Result<EncoderChoice> ChooseEncoder(const EncodingOptions& options, PictureKind kind) {
  auto choice = Choose(options, kind);
  if (choice.ok() || options.codec || kind != PictureKind::kDepth) return choice;
  return Status::Invalid("one-channel pictures of 16 bits go to codec `", kDefaultDepthCodec,
                         "`, which loses nothing, unless another one is named: ", choice.status().message());
}

bool WantsRgb(const EncodingOptions& options) {
  const auto choice = ChooseEncoder(options, PictureKind::kEightBit);
  return choice.ok() && EncoderPicture{.format = choice->format}.is_rgb();
}

Status EncodingOptions::Validate() const {
  const Status status = ChooseEncoder(*this, PictureKind::kEightBit).status();
  // Without a codec only the pictures tell which one it will be.
  if (status.ok() || codec) return status;
  return ChooseEncoder(*this, PictureKind::kDepth).ok() ? Status::OK() : status;
}

Status CheckEncoderSize(const EncoderChoice& choice, int width, int height) {
  const ChromaShift shift = ChromaShiftOf(choice.format);
  const bool is_odd = (shift.columns > 0 && width % 2 != 0) || (shift.rows > 0 && height % 2 != 0);
  const AVCodecID id = choice.encoder->id;
  const bool needs_even = id == AV_CODEC_ID_H264 || id == AV_CODEC_ID_HEVC || id == AV_CODEC_ID_AV1;
  if (!is_odd || !needs_even) return Status::OK();
  const std::vector<AVPixelFormat> formats = FormatsOf(*choice.encoder);
  const bool has_444 = std::find(formats.begin(), formats.end(), AV_PIX_FMT_YUV444P) != formats.end();
  return Status::Invalid("pictures of ", width, "x", height, " (width ", width, ", height ", height,
                         ") cannot be held by codec `", choice.encoder->name, "` with pixel_format ",
                         av_get_pix_fmt_name(choice.format), ", which needs even sides: use ",
                         has_444 ? "pixel_format=\"yuv444p\" or " : "",
                         "codec=\"libvpx-vp9\", or give pictures of even sides");
}

}  // namespace reelhouse
