#include "reelhouse/media/video_encoder.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include "reelhouse/base/thread_pool.h"
#include "reelhouse/media/frame_decoder.h"
#include "reelhouse/media/media_info.h"
#include "reelhouse/media/video_inspection.h"
#include "reelhouse/media/video_reader.h"
#include "tests/support/test_pictures.h"
#include "tests/support/test_video.h"

namespace reelhouse {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using CodecOptions = std::vector<std::pair<std::string, std::string>>;

EncodingOptions Options(std::string codec = "libx264", CodecOptions codec_options = {{"crf", "6"}}) {
  EncodingOptions options;
  options.fps = {30, 1};
  options.codec = std::move(codec);
  options.codec_options = std::move(codec_options);
  return options;
}

/// Good quality in the encoder's own words.
EncodingOptions OptionsFor(const std::string& codec) {
  if (codec == "mpeg4") return Options(codec, {{"qscale", "1"}});
  if (codec == "ffv1") return Options(codec, {});
  if (codec == "libsvtav1") return Options(codec, {{"crf", "8"}, {"preset", "10"}});
  if (codec == "libvpx-vp9")
    return Options(codec, {{"crf", "6"}, {"b", "0"}, {"cpu-used", "8"}, {"deadline", "realtime"}});
  return Options(codec, {{"crf", "6"}, {"preset", "ultrafast"}});
}

/// Neighbours differ by far more than coding changes.
TestPicture NumberedGradient(int number, int width = 96, int height = 64) {
  return GradientPicture(width, height, number * 37 % 60);
}

std::vector<ImageInput> Gradients(int count, int width = 96, int height = 64) {
  std::vector<ImageInput> images;
  for (int i = 0; i < count; ++i) images.emplace_back(Encoded(TestJpeg(NumberedGradient(i, width, height))));
  return images;
}

struct Encoding {
  EncodedVideo video;
  std::string bytes;
};

Encoding Encode(std::vector<ImageInput> images, const EncodingOptions& options) {
  FunctionImageSource source = ImagesOf(std::move(images));
  MemoryVideoSink sink;
  auto video = EncodeImages(source, options, -1, sink);
  EXPECT_TRUE(video.ok()) << options.codec.value_or("") << ": " << video.status();
  if (!video.ok()) return {};
  EXPECT_EQ(video->length_bytes, static_cast<int64_t>(sink.bytes.size()));
  return {std::move(*video), std::move(sink.bytes)};
}

/// The failure of an encoding that must not have touched its sink.
Status Refusal(std::vector<ImageInput> images, const EncodingOptions& options, int64_t expected_count = -1) {
  FunctionImageSource source = ImagesOf(std::move(images));
  MemoryVideoSink sink;
  const Status status = EncodeImages(source, options, expected_count, sink).status();
  EXPECT_EQ(sink.appends, 0) << status;
  return status;
}

/// All frames as RGB, by the reader of this room.
std::vector<TestPicture> Decoded(const Encoding& encoding) {
  auto decoder = FrameDecoder::Open(VideoInMemory(encoding.bytes, "encoded"), encoding.video.index).ValueOrDie();
  std::vector<int64_t> wanted(static_cast<size_t>(encoding.video.frame_count));
  for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<int64_t>(i);
  std::vector<TestPicture> pictures(wanted.size());
  const auto take = [&](size_t i, DecodedFrame frame) {
    pictures[i] = {frame.width, frame.height, {frame.pixels->data(), frame.pixels->data() + frame.pixels->size()}};
    return Status::OK();
  };
  const auto fail = [](size_t i, Status status) {
    ADD_FAILURE() << i << ": " << status;
    return Status::OK();
  };
  EXPECT_TRUE(decoder->Decode(wanted, {}, take, fail).ok());
  return pictures;
}

void ExpectNear(const TestPicture& wanted, const TestPicture& found, double mean, const std::string& what) {
  ASSERT_EQ(found.width, wanted.width) << what;
  ASSERT_EQ(found.height, wanted.height) << what;
  EXPECT_LE(Difference(wanted, found.rgb.data()).mean, mean) << what;
}

struct Tags {
  std::string codec, format, range, matrix, primaries, transfer;
  AVRational rate{};
};

Tags TagsOf(const std::string& bytes) {
  auto source = VideoSource::Open(VideoInMemory(bytes, "encoded")).ValueOrDie();
  auto reader = VideoReader::Open(source, {}).ValueOrDie();
  const AVCodecParameters& found = reader->parameters();
  return {avcodec_get_name(found.codec_id),
          av_get_pix_fmt_name(static_cast<AVPixelFormat>(found.format)),
          av_color_range_name(found.color_range),
          av_color_space_name(found.color_space),
          av_color_primaries_name(found.color_primaries),
          av_color_transfer_name(found.color_trc),
          reader->stream().r_frame_rate};
}

class EveryEncoder : public ::testing::TestWithParam<std::string> {
  void SetUp() override {
    const std::vector<std::string> encoders = TestedEncoders();
    if (std::find(encoders.begin(), encoders.end(), GetParam()) == encoders.end()) GTEST_SKIP() << "not in this FFmpeg";
  }
};

TEST_P(EveryEncoder, FrameKIsImageKAndTheIndexIsWhatAReaderFinds) {
  for (const int gop_size : {1, 2, 7}) {
    EncodingOptions options = OptionsFor(GetParam());
    options.gop_size = gop_size;
    const Encoding encoding = Encode(Gradients(20), options);
    EXPECT_EQ(encoding.video.frame_count, 20);
    EXPECT_EQ(encoding.video.width, 96);
    EXPECT_EQ(encoding.video.height, 64);
    const auto found = InspectVideo(VideoInMemory(encoding.bytes, "encoded"), VideoValidation::kDecode).ValueOrDie();
    EXPECT_EQ(found.frame_count, 20);
    EXPECT_EQ(found.index, encoding.video.index) << "gop " << gop_size;
    ASSERT_FALSE(encoding.video.index.empty());
    for (size_t i = 1; i < encoding.video.index.keyframes.size(); ++i) {
      const auto& keyframes = encoding.video.index.keyframes;
      EXPECT_LE(keyframes[i].frame_index - keyframes[i - 1].frame_index, gop_size);
    }
    const std::vector<TestPicture> pictures = Decoded(encoding);
    for (int i = 0; i < 20; ++i) ExpectNear(NumberedGradient(i), pictures[i], 2.5, "frame " + std::to_string(i));
  }
}

TEST_P(EveryEncoder, SaysWhatItsColoursMean) {
  const Encoding encoding = Encode(Gradients(3), OptionsFor(GetParam()));
  const Tags tags = TagsOf(encoding.bytes);
  EXPECT_EQ(tags.format, "yuv420p");
  const bool has_place_for_range = GetParam() != "ffv1";
  EXPECT_EQ(tags.range, has_place_for_range ? "tv" : "unknown");
  EXPECT_EQ(tags.matrix, "smpte170m");
  EXPECT_EQ(tags.primaries, "bt709");
  EXPECT_EQ(tags.transfer, "iec61966-2-1");
}

TEST_P(EveryEncoder, KeepsFractionalRatesExactly) {
  EncodingOptions options = OptionsFor(GetParam());
  options.fps = {30000, 1001};
  const Encoding encoding = Encode(Gradients(9), options);
  const Tags tags = TagsOf(encoding.bytes);
  EXPECT_EQ(tags.rate.num, 30000);
  EXPECT_EQ(tags.rate.den, 1001);
  auto decoder = FrameDecoder::Open(VideoInMemory(encoding.bytes, "encoded"), {}).ValueOrDie();
  const std::vector<FrameTime> times = decoder->FrameTimes().ValueOrDie();
  const auto [numerator, denominator] = decoder->time_base();
  ASSERT_EQ(times.size(), 9u);
  for (size_t k = 0; k < times.size(); ++k) {
    EXPECT_EQ(times[k].pts * numerator * 30000, static_cast<int64_t>(k) * 1001 * denominator) << k;
  }
}

TEST_P(EveryEncoder, StopsCleanlyInTheMiddle) {
  std::vector<ImageInput> images = Gradients(12);
  images.emplace_back(Encoded("junk"));
  FunctionImageSource source = ImagesOf(std::move(images));
  MemoryVideoSink sink;
  EXPECT_THAT(EncodeImages(source, OptionsFor(GetParam()), -1, sink).status().message(), StartsWith("image 12: "));
}

INSTANTIATE_TEST_SUITE_P(Codecs, EveryEncoder,
                         ::testing::Values("libx264", "libx265", "libsvtav1", "libvpx-vp9", "mpeg4", "ffv1"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(VideoEncoder, ColourBarsComeBackWithinFour) {
  const TestColour colours[] = {{255, 0, 0}, {0, 255, 0},     {0, 0, 255},    {255, 255, 255},
                                {0, 0, 0},   {128, 128, 128}, {200, 120, 40}, {20, 160, 220}};
  TestPicture bars = SolidPicture(320, 48, {});
  for (int x = 0; x < 320; ++x) {
    for (int y = 0; y < 48; ++y) std::memcpy(bars.at(x, y), colours[x / 40].data(), 3);
  }
  for (const ImageInput& image : {ImageInput(Encoded(TestPng(bars))), ImageInput(RawRgb(bars)),
                                  ImageInput(Encoded(TestJpeg(bars, TJSAMP_444, 0, 100)))}) {
    const EncodingOptions options = Options("libx264", {{"crf", "4"}});
    const std::vector<TestPicture> frames = Decoded(Encode({image, image}, options));
    for (int bar = 0; bar < 8; ++bar) {
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(frames[1].at(bar * 40 + 20, 24)[i], colours[bar][i], 4) << bar;
    }
  }
}

TEST(VideoEncoder, TurnedAndPlainImagesGoTogether) {
  const TestPicture upright = GradientPicture(48, 64);
  const std::string lying = JpegWithOrientation(TestJpeg(TurnedPicture(upright, 8)), 6);
  const std::vector<TestPicture> frames = Decoded(Encode({Encoded(lying), Encoded(TestJpeg(upright))}, Options()));
  ExpectNear(upright, frames[0], 2, "turned");
  ExpectNear(upright, frames[1], 2, "plain");
}

TEST(VideoEncoder, AllKindsOfImagesGoTogether) {
  const TestPicture picture = GradientPicture(64, 48);
  std::vector<ImageInput> images;
  for (const int subsampling : {TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_440, TJSAMP_411}) {
    images.emplace_back(Encoded(TestJpeg(picture, subsampling)));
  }
  images.emplace_back(Encoded(TestPng(picture)));
  images.emplace_back(RawRgb(picture));
  for (const auto& [codec, format] :
       {std::pair("libx264", "yuv420p"), std::pair("libx264", "yuv422p"), std::pair("libx264", "yuv444p"),
        std::pair("libx264", "yuvj420p"), std::pair("libx264", "nv12"), std::pair("libx264rgb", "rgb24"),
        std::pair("ffv1", "bgr0"), std::pair("ffv1", "yuv411p")}) {
    EncodingOptions options = std::string(codec) == "ffv1" ? OptionsFor(codec) : Options(codec);
    options.pixel_format = format;
    const Encoding encoding = Encode(images, options);
    const std::vector<TestPicture> frames = Decoded(encoding);
    for (size_t i = 0; i < frames.size(); ++i) {
      ExpectNear(picture, frames[i], 2.5, std::string(codec) + " " + format + " image " + std::to_string(i));
    }
  }
}

TEST(VideoEncoder, RgbCodecsKeepRgbAndSaySo) {
  const TestPicture picture = GradientPicture(64, 48);
  EncodingOptions options = OptionsFor("ffv1");
  options.pixel_format = "bgr0";
  const Encoding encoding = Encode({RawRgb(picture), Encoded(TestPng(picture))}, options);
  EXPECT_EQ(TagsOf(encoding.bytes).matrix, "gbr");
  for (const TestPicture& frame : Decoded(encoding)) EXPECT_EQ(frame.rgb, picture.rgb);
  const Encoding x264 = Encode({RawRgb(picture)}, Options("libx264rgb", {{"crf", "0"}}));
  EXPECT_EQ(TagsOf(x264.bytes).matrix, "gbr");
  EXPECT_EQ(TagsOf(x264.bytes).range, "pc");
  EXPECT_EQ(Decoded(x264)[0].rgb, picture.rgb);
}

TEST(VideoEncoder, OddSizesComeBackExactlyOrAreRefusedWithTheWayOut) {
  const TestPicture odd = GradientPicture(127, 95);
  for (const char* codec : {"libx264", "libx265", "libsvtav1"}) {
    const Status status = Refusal({Encoded(TestPng(odd))}, OptionsFor(codec));
    EXPECT_THAT(status.message(), AllOf(HasSubstr("127"), HasSubstr("95"), HasSubstr("libvpx-vp9"))) << codec;
    const bool offers_444 = status.message().find("yuv444p") != std::string::npos;
    EXPECT_EQ(offers_444, std::string(codec) != "libsvtav1");
  }
  EncodingOptions full_chroma = Options();
  full_chroma.pixel_format = "yuv444p";
  for (const EncodingOptions& options :
       {full_chroma, OptionsFor("libvpx-vp9"), OptionsFor("ffv1"), OptionsFor("mpeg4")}) {
    for (const TestPicture& picture : {odd, SolidPicture(1, 1, {90, 90, 90})}) {
      ExpectNear(picture, Decoded(Encode({RawRgb(picture), Encoded(TestJpeg(picture))}, options))[1], 3,
                 *options.codec);
    }
  }
}

TEST(VideoEncoder, RefusesSizesThatTheEncoderDoesNotTake) {
  for (const char* codec : {"libx265", "libsvtav1"}) {
    const Status status = Refusal({RawRgb(GradientPicture(8, 8))}, OptionsFor(codec));
    EXPECT_THAT(status.message(), AllOf(HasSubstr(codec), HasSubstr("8x8"))) << status;
  }
}

TEST(VideoEncoder, RefusesImagesOfAnotherSizeByPosition) {
  std::vector<ImageInput> images = Gradients(3);
  images.emplace_back(RawRgb(GradientPicture(96, 62)));
  FunctionImageSource source = ImagesOf(std::move(images));
  MemoryVideoSink sink;
  EXPECT_EQ(EncodeImages(source, Options(), -1, sink).status().message(),
            "All images must have the same dimensions. Image 3 is 96x62, image 0 is 96x64.");
}

TEST(VideoEncoder, NamesTheFirstImageThatCannotBeRead) {
  std::vector<ImageInput> images = Gradients(30);
  images[7] = Encoded("junk");
  images[8] = RawRgb(GradientPicture(10, 10));
  for (int round = 0; round < 5; ++round) {
    FunctionImageSource source = ImagesOf(images);
    MemoryVideoSink sink;
    EXPECT_THAT(EncodeImages(source, Options(), -1, sink).status().message(), StartsWith("image 7: no image"));
  }
  EXPECT_THAT(Refusal({Encoded("junk")}, Options()).message(), StartsWith("image 0: no image"));
  const Status missing = Refusal({ImagePath{"/nowhere/a.png"}}, Options());
  EXPECT_TRUE(IsKind(missing, ErrorKind::kFileNotFound));
  EXPECT_THAT(missing.message(), StartsWith("image 0: /nowhere/a.png"));
}

TEST(VideoEncoder, CountsAreCompared) {
  EXPECT_EQ(Refusal({}, Options()).message(), "images must contain at least one frame.");
  EXPECT_EQ(Refusal({}, Options(), 3).message(), "images must contain at least one frame.");
  EXPECT_EQ(Refusal(Gradients(2), Options(), 0).message(), "Image count 2 does not match frame row count 0.");
  for (const int expected : {2, 40}) {
    FunctionImageSource source = ImagesOf(Gradients(5));
    MemoryVideoSink sink;
    EXPECT_EQ(EncodeImages(source, Options(), expected, sink).status().message(),
              "Image count 5 does not match frame row count " + std::to_string(expected) + ".");
    FunctionImageSource counted = ImagesOf(Gradients(5), true);
    MemoryVideoSink untouched;
    EXPECT_EQ(EncodeImages(counted, Options(), expected, untouched).status().message(),
              "Image count 5 does not match frame row count " + std::to_string(expected) + ".");
    EXPECT_EQ(counted.pulled, 0);
    EXPECT_EQ(untouched.appends, 0);
  }
  FunctionImageSource source = ImagesOf(Gradients(5));
  MemoryVideoSink sink;
  EXPECT_TRUE(EncodeImages(source, Options(), 5, sink).ok());
}

TEST(VideoEncoder, PullsImagesOnlyAFewAhead) {
  const std::string jpeg = TestJpeg(GradientPicture(96, 64));
  std::atomic<int64_t> encoded = 0;
  int64_t farthest = 0;
  FunctionImageSource source([&](int64_t position) -> Result<std::optional<ImageInput>> {
    farthest = std::max(farthest, position - encoded);
    if (position == 300) return std::optional<ImageInput>();
    return std::optional<ImageInput>(Encoded(jpeg));
  });
  MemoryVideoSink sink;
  std::vector<std::pair<int64_t, int64_t>> told;
  const auto progress = [&](int64_t done, int64_t total) {
    encoded = done;
    told.emplace_back(done, total);
  };
  ASSERT_TRUE(EncodeImages(source, Options(), 300, sink, progress).ok());
  EXPECT_LE(farthest, 2 * ThreadsOfProcess() + 3);
  EXPECT_EQ(told.back(), std::pair(int64_t{300}, int64_t{300}));
}

TEST(VideoEncoder, CallsSourceProgressAndCancellationOnTheCallingThread) {
  const std::thread::id caller = std::this_thread::get_id();
  const auto check = [caller] { EXPECT_EQ(std::this_thread::get_id(), caller); };
  FunctionImageSource source([&](int64_t position) -> Result<std::optional<ImageInput>> {
    check();
    if (position == 20) return std::optional<ImageInput>();
    return std::optional<ImageInput>(RawRgb(GradientPicture(96, 64)));
  });
  MemoryVideoSink sink;
  EXPECT_TRUE(EncodeImages(
                  source, Options(), -1, sink, [&](int64_t, int64_t) { check(); },
                  [&] {
                    check();
                    return Status::OK();
                  })
                  .ok());
}

TEST(VideoEncoder, StopsWhenItIsCancelled) {
  const std::string jpeg = TestJpeg(GradientPicture(96, 64));
  FunctionImageSource endless(
      [&](int64_t) -> Result<std::optional<ImageInput>> { return std::optional<ImageInput>(Encoded(jpeg)); });
  MemoryVideoSink sink;
  const auto cancelled = [&] { return endless.pulled > 30 ? Status::Cancelled("enough") : Status::OK(); };
  const Status status = EncodeImages(endless, Options(), -1, sink, {}, cancelled).status();
  EXPECT_TRUE(status.IsCancelled()) << status;
  EXPECT_EQ(status.message(), "enough");
  // Also while it only counts.
  FunctionImageSource counting(
      [&](int64_t) -> Result<std::optional<ImageInput>> { return std::optional<ImageInput>(Encoded(jpeg)); });
  const auto later = [&] { return counting.pulled > 1000 ? Status::Cancelled("enough") : Status::OK(); };
  EXPECT_TRUE(EncodeImages(counting, Options(), 2, sink, {}, later).status().IsCancelled());
}

TEST(VideoEncoder, PassesOnFailuresOfSourceAndSink) {
  FunctionImageSource source([&](int64_t position) -> Result<std::optional<ImageInput>> {
    if (position == 9) return Status::IOError("camera lost");
    return std::optional<ImageInput>(RawRgb(GradientPicture(96, 64)));
  });
  MemoryVideoSink sink;
  EXPECT_EQ(EncodeImages(source, Options(), -1, sink).status().message(), "camera lost");
  FunctionImageSource good = ImagesOf(Gradients(3));
  sink.failure = Status::IOError("disk full");
  EXPECT_EQ(EncodeImages(good, Options(), -1, sink).status().message(), "disk full");
}

TEST(VideoEncoder, SeveralEncodingsRunSideBySideOnThePool) {
  std::vector<Encoding> made(6);
  const std::vector<ImageInput> images = Gradients(15);
  const EncodingOptions options = Options("libx264", {{"preset", "fast"}, {"crf", "18"}});
  const auto encode = [&](int64_t i) {
    made[static_cast<size_t>(i)] = Encode(images, options);
    return Status::OK();
  };
  ASSERT_TRUE(ParallelFor(6, encode, 6).ok());
  for (const Encoding& encoding : made)
    EXPECT_TRUE(encoding.bytes == made[0].bytes) << "the same images, the same video";
}

#if defined(__GLIBC__)
/// Patches of random brightness that move, behind a part that stands still: encoders follow the motion.
TestPicture MovingTexture(int width, int height, int number) {
  TestPicture picture{width, height, std::vector<uint8_t>(static_cast<size_t>(width) * height * 3)};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool is_still = x < width / 3;
      const auto column = static_cast<uint32_t>(is_still ? x : x + 3 * number) / 5;
      const auto row = static_cast<uint32_t>(is_still ? y : y + number) / 5;
      const auto patch = static_cast<uint8_t>(((column * 2654435761u) ^ (row * 40503u * 65537u)) >> 24);
      std::fill_n(picture.rgb.begin() + (static_cast<ptrdiff_t>(y) * width + x) * 3, 3, patch);
    }
  }
  return picture;
}

TEST(VideoEncoder, GivesTheSameBytesWhateverLayInMemoryBefore) {
  std::vector<ImageInput> images;
  for (int i = 0; i < 40; ++i) images.emplace_back(Encoded(TestJpeg(MovingTexture(320, 240, i))));
  const EncodingOptions options = Options("libx264", {{"preset", "fast"}, {"crf", "18"}});
  const std::string bytes = Encode(images, options).bytes;
  for (const int garbage : {1, 3, 170}) {
    mallopt(M_PERTURB, garbage);
    EXPECT_TRUE(Encode(images, options).bytes == bytes) << "fresh memory holds garbage " << garbage;
  }
  mallopt(M_PERTURB, 0);
}
#endif

TEST(VideoEncoder, OpenGopAndIntraRefreshHaveOnlyTrueKeyframesInTheIndex) {
  EncodingOptions open_gop = Options("libx264", {{"x264-params", "open-gop=1:bframes=3:b-adapt=0:scenecut=0"}});
  open_gop.gop_size = 6;
  EncodingOptions refresh = Options("libx264", {{"intra-refresh", "1"}, {"bf", "0"}, {"sc_threshold", "0"}});
  refresh.gop_size = 8;
  EncodingOptions hevc = Options("libx265", {{"preset", "ultrafast"}, {"x265-params", "open-gop=1:bframes=3"}});
  hevc.gop_size = 6;
  for (const EncodingOptions& options : {open_gop, refresh, hevc}) {
    const Encoding encoding = Encode(Gradients(40), options);
    const auto found = InspectVideo(VideoInMemory(encoding.bytes, "encoded"), VideoValidation::kFrames).ValueOrDie();
    EXPECT_EQ(found.index, encoding.video.index);
  }
  EXPECT_EQ(Encode(Gradients(40), refresh).video.index.keyframes.size(), 1u);
  EXPECT_GE(Encode(Gradients(40), open_gop).video.index.keyframes.size(), 6u);
}

TEST(EncodingOptions, TextsThatCallersMatch) {
  EncodingOptions options = Options();
  EXPECT_TRUE(options.Validate().ok());
  options.fps = {0, 1};
  EXPECT_THAT(options.Validate().message(), StartsWith("fps must be a positive int"));
  options = Options("");
  EXPECT_THAT(options.Validate().message(), StartsWith("codec must be a non-empty string"));
  options = Options();
  options.pixel_format = "";
  EXPECT_THAT(options.Validate().message(), StartsWith("pixel_format must be a non-empty string"));
  options = Options();
  options.gop_size = 0;
  EXPECT_THAT(options.Validate().message(), StartsWith("gop_size must be a positive int"));
}

TEST(EncodingOptions, UnknownNamesAreRefusedWithWhatThereIs) {
  EXPECT_THAT(Options("libx26").Validate().message(), AllOf(HasSubstr("libx264?"), HasSubstr("libsvtav1")));
  EXPECT_THAT(Options("h264").Validate().message(), HasSubstr("encoders of it are libx264"));
  EncodingOptions options = Options();
  options.pixel_format = "yuv421p";
  EXPECT_THAT(options.Validate().message(), AllOf(HasSubstr("did you mean yuv42"), HasSubstr("yuv444p")));
  EXPECT_THAT(Options("libx264", {{"prest", "fast"}}).Validate().message(), HasSubstr("did you mean preset?"));
  EXPECT_THAT(Options("mpeg4", {{"crf", "1"}}).Validate().message(), HasSubstr("`crf` is no option of codec `mpeg4`"));
  EXPECT_THAT(Options("libx264", {{"crf", "low"}}).Validate().message(), HasSubstr("crf=`low`"));
}

TEST(EncodingOptions, OptionsThatRepeatAnArgumentAreRefused) {
  for (const char* name : {"g", "gop", "keyint", "gop_size", "pix_fmt", "pixel_format", "r", "framerate"}) {
    EXPECT_THAT(Options("libx264", {{name, "1"}}).Validate().message(), HasSubstr("repeats the argument")) << name;
  }
  EXPECT_THAT(Options("libx264", {{"x264-params", "bframes=0:keyint=9"}}).Validate().message(),
              HasSubstr("`keyint` in x264-params"));
  EXPECT_THAT(Options("libx264", {{"colorspace", "bt709"}}).Validate().message(), HasSubstr("colour tags"));
}

TEST(EncodingOptions, WhatAnEncoderWouldOnlyWarnOfIsRefused) {
  const std::pair<EncodingOptions, const char*> refused[] = {
      {Options("libx264", {{"x264-params", "foo=1"}}), "foo"},
      {Options("libx264", {{"x264-params", "bframes=many"}}), "bframes"},
      {Options("libx265", {{"x265-params", "foo=1"}}), "foo"},
      {Options("libx265", {{"x265-params", "crf=low"}}), "crf"},
      {Options("libsvtav1", {{"svtav1-params", "foo=1"}}), "foo"},
      {Options("libx264", {{"preset", "fastt"}}), "did you mean fast?"},
      {Options("libx264", {{"tune", "fastdecode+grains"}}), "did you mean grain?"},
      {Options("libx264", {{"profile", "baselin"}}), "baselin"},
      {Options("libx264", {{"qscale", "3"}}), "qscale"},
      {Options("mpeg4", {{"qscale", "good"}}), "qscale"},
  };
  for (const auto& [options, text] : refused) {
    const Status status = Refusal(Gradients(1), options);
    EXPECT_TRUE(status.IsInvalid()) << status;
    EXPECT_THAT(status.message(), HasSubstr(text));
  }
}

TEST(EncodingOptions, QscaleSetsAConstantQuality) {
  EncodingOptions coarse = Options("mpeg4", {{"qscale", "20"}});
  EncodingOptions fine = Options("mpeg4", {{"qscale", "2"}});
  EXPECT_LT(Encode(Gradients(6), coarse).bytes.size(), Encode(Gradients(6), fine).bytes.size());
}

TEST(EncodingOptions, DefaultOfLibx264IsCrf18Fast) {
  EncodingOptions none = Options();
  none.codec_options.reset();
  EXPECT_EQ(Encode(Gradients(6), none).bytes,
            Encode(Gradients(6), Options("libx264", {{"crf", "18"}, {"preset", "fast"}})).bytes);
}

TEST(MediaInfo, KnowsTheFfmpegAtHand) {
  EXPECT_THAT(FfmpegVersion(), HasSubstr("libavcodec"));
  EXPECT_THAT(TestedEncoders(), Contains("libx264"));
}

}  // namespace
}  // namespace reelhouse
