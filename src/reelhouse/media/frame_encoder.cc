#include "reelhouse/media/frame_encoder.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include "reelhouse/base/thread_pool.h"

namespace reelhouse {
namespace {

/// SVT-AV1 writes to stderr by itself and asks only the environment whether it should. Read by it once, at its first
/// start.
void SilenceSvtAv1() {
  static std::once_flag once;
  std::call_once(once, [] { setenv("SVT_LOG", "-1", /*overwrite=*/0); });
}

/// `value` with `key=text` behind it, unless the caller has set that key.
std::string WithNested(const std::string& value, std::string_view key, std::string_view text) {
  const std::string wanted = std::string(key) + "=";
  if (value.starts_with(wanted) || value.find(":" + wanted) != std::string::npos) return value;
  return fmt::format("{}{}{}{}", value, value.empty() ? "" : ":", wanted, text);
}

bool IsX264(std::string_view encoder) { return encoder == "libx264" || encoder == "libx264rgb"; }

using CodecOptions = std::vector<std::pair<std::string, std::string>>;

/// The value of option `name`, added where it is not among them.
std::string& NestedOptions(CodecOptions& options, std::string_view name) {
  for (auto& option : options) {
    if (option.first == name) return option.second;
  }
  return options.emplace_back(name, "").second;
}

/// The exact machine code of x264, for processors with AVX-512.
constexpr std::string_view kExactCode = "SSE2Fast,LZCNT,FMA3,BMI2,AVX2";

/// With AVX-512 the macroblock tree of x264 164 reads memory that nobody wrote: the same pictures then give other bytes
/// now and then, depending on what lay in memory before. Its AVX2 code is exact, and as fast within what can be
/// measured.
void AddReproducibleCode(CodecOptions& options) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx512f")) return;
  for (const auto& [name, value] : options) {
    if (name == "x264opts" && (":" + value).find(":asm=") != std::string::npos) return;
  }
  std::string& nested = NestedOptions(options, "x264-params");
  nested = WithNested(nested, "asm", kExactCode);
#else
  (void)options;
#endif
}

/// Options for libraries that bring threads, a log and machine code of their own.
void AddLibraryOptions(std::string_view encoder, CodecOptions& options) {
  if (IsX264(encoder)) return AddReproducibleCode(options);
  const bool is_x265 = encoder == "libx265";
  const bool is_svt = encoder == "libsvtav1";
  if (is_svt) SilenceSvtAv1();
  const int threads = ThreadsOfProcess();
  const bool has_fewer_threads = threads < static_cast<int>(std::thread::hardware_concurrency());
  if (!is_x265 && !(is_svt && has_fewer_threads)) return;
  std::string& nested = NestedOptions(options, is_x265 ? "x265-params" : "svtav1-params");
  if (is_x265) nested = WithNested(nested, "log-level", "none");
  if (has_fewer_threads) nested = WithNested(nested, is_x265 ? "pools" : "lp", std::to_string(threads));
}

/// How many threads an encoder gets so that the cores of the process are busy.
int ThreadsFor(const ::AVCodec& encoder, int height) {
  const int threads = ThreadsOfProcess();
  if (IsX264(encoder.name)) {
    // Each picture of x264 waits for rows of the one before it: with a thread a core, cores are idle a quarter of the
    // time. With less than two rows of macroblocks a thread, motion is hardly searched for any more.
    return std::min(threads + threads / 2, std::max(1, (height + 15) / 32));
  }
  // FFmpeg's own encoders cut the picture into as many slices, which costs bytes; libraries know their limits.
  const bool has_own_threads = encoder.capabilities & AV_CODEC_CAP_OTHER_THREADS;
  return has_own_threads ? threads : std::min(threads, 16);
}

/// Libraries take what they know and only warn of the rest; the contract is to refuse it.
bool SaysOptionIsUnknown(std::string lines) {
  // Ours, not the caller's: x264 without any machine code knows no names of it.
  const std::string about_code = fmt::format("Error parsing option 'asm = {}'", kExactCode);
  if (const size_t at = lines.find(about_code); at != lines.npos) lines.erase(at, about_code.size());
  for (const std::string_view text : {"Error parsing option", "Unknown option", "Invalid value for", "is ignored"}) {
    if (lines.find(text) != std::string_view::npos) return true;
  }
  return false;
}

/// Why an encoder did not open, with the way out where it is about the size: some say so, and some say nothing.
Status DoesNotOpen(const EncoderChoice& choice, int width, int height, int code, const std::string& lines) {
  std::string text = fmt::format("codec `{}` does not open for pictures of {}x{} in {}", choice.encoder->name, width,
                                 height, av_get_pix_fmt_name(choice.format));
  for (const auto& [name, value] : choice.options) text += fmt::format(", {}={}", name, value);
  const bool is_about_size = lines.empty() || std::min(width, height) < 128 || std::max(width, height) > 4096;
  if (is_about_size) text += " (sizes too small or too large for it go with libx264 or libvpx-vp9)";
  return AvFailure(text, code, lines);
}

}  // namespace

Result<std::unique_ptr<FrameEncoder>> FrameEncoder::Open(const EncodingOptions& options, const EncoderChoice& choice,
                                                         int width, int height) {
  ARROW_RETURN_NOT_OK(CheckEncoderSize(choice, width, height));
  AvLogCapture log;
  std::unique_ptr<FrameEncoder> encoder(new FrameEncoder());
  encoder->codec_.reset(avcodec_alloc_context3(choice.encoder));
  AVCodecContext* codec = encoder->codec_.get();
  if (!codec) return Status::OutOfMemory("encoder ", choice.encoder->name);
  EncoderPicture& picture = encoder->picture_;
  picture = {.format = choice.format, .width = width, .height = height, .kind = choice.kind};

  AVRational rate{};
  av_reduce(&rate.num, &rate.den, options.fps.numerator, options.fps.denominator, INT32_MAX);
  codec->width = width;
  codec->height = height;
  codec->pix_fmt = picture.format;
  codec->sample_aspect_ratio = {1, 1};
  codec->framerate = rate;
  codec->time_base = av_inv_q(rate);
  codec->gop_size = options.gop_size;
  codec->color_range = picture.range();
  codec->colorspace = picture.matrix();
  codec->color_primaries = picture.primaries();
  codec->color_trc = picture.transfer();
  const AVCodecID id = choice.encoder->id;
  // The others cannot say it, and some complain.
  if (id == AV_CODEC_ID_H264 || id == AV_CODEC_ID_HEVC) codec->chroma_sample_location = picture.chroma_location();
  codec->thread_count = ThreadsFor(*choice.encoder, height);
  // FFmpeg's MJPEG with a bit rate does not go with threads.
  if (id == AV_CODEC_ID_MJPEG && !choice.qscale) codec->thread_count = 1;
  // Apple's players want the parameter sets of HEVC in the header only.
  if (id == AV_CODEC_ID_HEVC) codec->codec_tag = MKTAG('h', 'v', 'c', '1');

  auto codec_options = choice.options;
  AddLibraryOptions(choice.encoder->name, codec_options);
  for (const auto& [name, value] : codec_options) {
    const int code = av_opt_set(codec, name.c_str(), value.c_str(), AV_OPT_SEARCH_CHILDREN);
    if (code < 0) return AvFailure("codec_options: " + name + "=" + value, code, log.Take());
  }
  if (choice.qscale) {
    codec->flags |= AV_CODEC_FLAG_QSCALE;
    codec->global_quality = static_cast<int>(std::lround(*choice.qscale * FF_QP2LAMBDA));
  }
  codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;

  const int code = avcodec_open2(codec, choice.encoder, nullptr);
  const std::string lines = log.Take();
  if (code < 0) return DoesNotOpen(choice, width, height, code, lines);
  encoder->is_open_ = true;
  if (SaysOptionIsUnknown(lines)) {
    return Status::Invalid("codec_options: codec `", choice.encoder->name, "` refuses an option: ", lines);
  }
  return encoder;
}

FrameEncoder::~FrameEncoder() {
  // SVT-AV1 waits for ever when it is closed before it got any picture.
  if (!is_open_ || has_sent_ || std::string_view(codec_->codec->name) != "libsvtav1") return;
  FramePool pool;
  auto picture = pool.Get(picture_.format, picture_.width, picture_.height);
  if (!picture.ok()) return;
  (*picture)->pts = 0;
  Send(picture->get()).ok();
}

Status FrameEncoder::Send(AVFrame* picture) {
  has_sent_ = true;
  AvLogCapture log;
  // Encoders with a constant quality take it from each picture.
  if (picture) picture->quality = codec_->global_quality;
  const int code = avcodec_send_frame(codec_.get(), picture);
  if (code >= 0) return Status::OK();
  return AvFailure(std::string("encoder ") + codec_->codec->name, code, log.Take());
}

Result<bool> FrameEncoder::Receive(AVPacket* packet) {
  AvLogCapture log;
  const int code = avcodec_receive_packet(codec_.get(), packet);
  if (code >= 0) return true;
  if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return false;
  return AvFailure(std::string("encoder ") + codec_->codec->name, code, log.Take());
}

}  // namespace reelhouse
