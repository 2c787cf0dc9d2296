#include "reelhouse/media/frame_encoder.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

extern "C" {
#include <libavutil/opt.h>
}

#include "reelhouse/base/thread_pool.h"

namespace reelhouse {
namespace {

using CodecOptions = std::vector<std::pair<std::string, std::string>>;

std::unique_ptr<FrameEncoder> Opened(const std::string& codec, CodecOptions codec_options = {}) {
  EncodingOptions options;
  options.fps = {30, 1};
  options.codec = codec;
  options.codec_options = std::move(codec_options);
  const EncoderChoice choice = ChooseEncoder(options, PictureKind::kEightBit).ValueOrDie();
  return FrameEncoder::Open(options, choice, 320, 240).ValueOrDie();
}

std::string ParamsOf(const FrameEncoder& encoder) {
  uint8_t* text = nullptr;
  EXPECT_GE(av_opt_get(encoder.context().priv_data, "x264-params", 0, &text), 0);
  std::string params = text ? reinterpret_cast<const char*>(text) : "";
  av_free(text);
  return params;
}

TEST(FrameEncoder, GivesX264HalfMoreThreadsThanTheProcessMayKeepBusy) {
  const int threads = ThreadsOfProcess();
  // Two rows of macroblocks a thread at least.
  EXPECT_EQ(Opened("libx264")->context().thread_count, std::min(threads + threads / 2, 7));
  EXPECT_EQ(Opened("mpeg4")->context().thread_count, std::min(threads, 16));
}

#if defined(__x86_64__)
TEST(FrameEncoder, KeepsX264FromItsInexactCodeUnlessTheCallerChoosesTheCode) {
  if (!__builtin_cpu_supports("avx512f")) GTEST_SKIP() << "this processor has no AVX-512";
  EXPECT_EQ(ParamsOf(*Opened("libx264")).find("AVX512"), std::string::npos);
  EXPECT_NE(ParamsOf(*Opened("libx264")).find("asm="), std::string::npos);
  EXPECT_EQ(ParamsOf(*Opened("libx264", {{"x264-params", "asm=AVX512"}})), "asm=AVX512");
  EXPECT_EQ(ParamsOf(*Opened("libx264", {{"x264opts", "asm=AVX512"}})), "");
}
#endif

}  // namespace
}  // namespace reelhouse
