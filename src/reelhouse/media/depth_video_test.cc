// Depth and other one-channel numbers through encoder and decoder.

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/media/encoder_formats.h"
#include "reelhouse/media/frame_decoder.h"
#include "reelhouse/media/video_encoder.h"
#include "reelhouse/media/video_inspection.h"
#include "tests/support/test_pictures.h"
#include "tests/support/test_video.h"

namespace reelhouse {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Numbers = std::vector<uint16_t>;
using CodecOptions = std::vector<std::pair<std::string, std::string>>;

constexpr int kWidth = 96;
constexpr int kHeight = 64;
constexpr int kFrames = 7;

EncodingOptions DepthOptions(std::optional<std::string> codec = {}, std::optional<std::string> format = {},
                             std::optional<CodecOptions> codec_options = {}) {
  EncodingOptions options;
  options.fps = {30, 1};
  options.codec = std::move(codec);
  options.pixel_format = std::move(format);
  options.codec_options = std::move(codec_options);
  options.gop_size = 3;
  return options;
}

Numbers PictureNumbers(int k, int most) { return DepthNumbers(size_t{kWidth} * kHeight, most, k); }

std::vector<ImageInput> DepthPictures(int most) {
  std::vector<ImageInput> images;
  for (int k = 0; k < kFrames; ++k) images.emplace_back(RawDepth(PictureNumbers(k, most), kWidth));
  return images;
}

Result<std::string> Encode(std::vector<ImageInput> images, const EncodingOptions& options) {
  FunctionImageSource source = ImagesOf(std::move(images));
  MemoryVideoSink sink;
  ARROW_RETURN_NOT_OK(EncodeImages(source, options, -1, sink).status());
  return std::move(sink.bytes);
}

/// The failure of an encoding that must not have touched its sink.
std::string Refusal(std::vector<ImageInput> images, const EncodingOptions& options) {
  FunctionImageSource source = ImagesOf(std::move(images));
  MemoryVideoSink sink;
  const Status status = EncodeImages(source, options, -1, sink).status();
  EXPECT_TRUE(status.IsInvalid()) << status;
  EXPECT_EQ(sink.appends, 0) << status;
  return status.message();
}

/// All frames, from the last to the first, as pixels of one kind.
template <typename Sample>
std::vector<std::vector<Sample>> FramesOf(const std::string& video, FrameFormat::Pixels pixels) {
  const VideoBytes bytes = VideoInMemory(video, "depth");
  const auto inspection = InspectVideo(bytes, VideoValidation::kFrames);
  EXPECT_TRUE(inspection.ok()) << inspection.status();
  if (!inspection.ok()) return {};
  EXPECT_FALSE(inspection->index.empty());
  auto decoder = FrameDecoder::Open(bytes, inspection->index).ValueOrDie();
  std::vector<int64_t> wanted;
  for (int64_t k = inspection->frame_count - 1; k >= 0; --k) wanted.push_back(k);
  std::vector<std::vector<Sample>> frames(wanted.size());
  const auto take = [&](size_t i, DecodedFrame frame) {
    std::vector<Sample>& samples = frames[static_cast<size_t>(wanted[i])];
    samples.resize(static_cast<size_t>(frame.pixels->size()) / sizeof(Sample));
    std::memcpy(samples.data(), frame.pixels->data(), static_cast<size_t>(frame.pixels->size()));
    return Status::OK();
  };
  const auto fail = [](size_t i, Status status) {
    ADD_FAILURE() << i << ": " << status;
    return Status::OK();
  };
  EXPECT_TRUE(decoder->Decode(wanted, {.pixels = pixels}, take, fail).ok());
  return frames;
}

struct LosslessWay {
  std::optional<std::string> codec;
  std::optional<std::string> format;
  std::optional<CodecOptions> options;
  int most;
};

const CodecOptions kLosslessX265 = {{"preset", "ultrafast"}, {"x265-params", "lossless=1"}};

class LosslessDepth : public ::testing::TestWithParam<LosslessWay> {};

TEST_P(LosslessDepth, EveryNumberComesBack) {
  const LosslessWay& way = GetParam();
  const auto video = Encode(DepthPictures(way.most), DepthOptions(way.codec, way.format, way.options));
  ASSERT_TRUE(video.ok()) << video.status();
  const auto frames = FramesOf<uint16_t>(*video, FrameFormat::Pixels::kGray16);
  ASSERT_EQ(frames.size(), size_t{kFrames});
  for (int k = 0; k < kFrames; ++k) EXPECT_EQ(frames[static_cast<size_t>(k)], PictureNumbers(k, way.most)) << k;
}

INSTANTIATE_TEST_SUITE_P(
    All, LosslessDepth,
    ::testing::Values(LosslessWay{{}, {}, {}, 65535}, LosslessWay{"ffv1", {}, {}, 65535},
                      LosslessWay{"ffv1", "gray16le", {}, 65535}, LosslessWay{"ffv1", "gray12le", {}, 4095},
                      LosslessWay{"ffv1", "gray10le", {}, 1023}, LosslessWay{"ffv1", "gray9le", {}, 511},
                      LosslessWay{"libx265", {}, kLosslessX265, 4095},
                      LosslessWay{"libx265", "gray10le", kLosslessX265, 1023},
                      LosslessWay{"libx264", {}, CodecOptions{{"qp", "0"}}, 1023}, LosslessWay{"png", {}, {}, 65535},
                      LosslessWay{"jpegls", {}, {}, 65535}, LosslessWay{"ffvhuff", {}, {}, 65535}),
    [](const auto& info) {
      std::string name = info.param.codec.value_or("no_codec") + "_" + info.param.format.value_or("no_format");
      for (char& c : name) c = c == '-' ? '_' : c;
      return name;
    });

TEST(DepthVideo, ANumberAboveTheBitsIsRefusedWithWhatHoldsIt) {
  const std::pair<EncodingOptions, int> ways[] = {{DepthOptions("ffv1", "gray12le"), 4095},
                                                  {DepthOptions("ffv1", "gray10le"), 1023},
                                                  {DepthOptions("libx265", "gray10le", kLosslessX265), 1023},
                                                  {DepthOptions("libx265", {}, kLosslessX265), 4095},
                                                  {DepthOptions("libx264"), 1023}};
  for (const auto& [options, most] : ways) {
    const std::string text = Refusal({RawDepth(PictureNumbers(0, most + 1), kWidth)}, options);
    EXPECT_THAT(text, AllOf(HasSubstr("image 0"), HasSubstr("largest value is " + std::to_string(most + 1)),
                            HasSubstr("holds at most " + std::to_string(most)), HasSubstr("codec=\"ffv1\"")));
  }
}

TEST(DepthVideo, NumbersThatFitEightBitsMayBeStoredAsGray) {
  const auto video = Encode(DepthPictures(255), DepthOptions("ffv1", "gray"));
  ASSERT_TRUE(video.ok()) << video.status();
  const auto frames = FramesOf<uint8_t>(*video, FrameFormat::Pixels::kGray8);
  const Numbers wanted = PictureNumbers(2, 255);
  EXPECT_EQ(frames.at(2), std::vector<uint8_t>(wanted.begin(), wanted.end()));
  EXPECT_THAT(Refusal(DepthPictures(256), DepthOptions("ffv1", "gray")), HasSubstr("holds at most 255"));
}

TEST(DepthVideo, LabelsOfEightBitsComeBackFromGray) {
  std::vector<ImageInput> images;
  std::vector<std::string> labels;
  for (int k = 0; k < kFrames; ++k) {
    const Numbers numbers = PictureNumbers(k, 255);
    labels.emplace_back(numbers.begin(), numbers.end());
    images.emplace_back(
        RawImage{arrow::Buffer::FromString(labels.back()), RawImage::Layout::kGray8, kWidth, kHeight, kWidth});
  }
  const std::pair<const char*, CodecOptions> ways[] = {
      {"ffv1", {}}, {"libx264", {{"qp", "0"}}}, {"libx265", kLosslessX265}, {"png", {}}};
  for (const auto& [codec, codec_options] : ways) {
    const auto video = Encode(images, DepthOptions(codec, "gray", codec_options));
    ASSERT_TRUE(video.ok()) << codec << ": " << video.status();
    const auto frames = FramesOf<uint8_t>(*video, FrameFormat::Pixels::kGray8);
    for (size_t k = 0; k < labels.size(); ++k) {
      EXPECT_EQ(std::string(frames[k].begin(), frames[k].end()), labels[k]) << codec << " " << k;
    }
  }
}

TEST(DepthVideo, ALossyCodecIsTakenWhereItIsNamed) {
  const auto video = Encode(DepthPictures(1023), DepthOptions("libx264"));
  ASSERT_TRUE(video.ok()) << video.status();
  EXPECT_EQ(FramesOf<uint16_t>(*video, FrameFormat::Pixels::kGray16).size(), size_t{kFrames});
}

TEST(DepthVideo, SizesMayBeOdd) {
  const Numbers numbers = DepthNumbers(size_t{33} * 21, 4095);
  for (const char* codec : {"ffv1", "libx265"}) {
    const std::optional<CodecOptions> options =
        std::string(codec) == "libx265" ? std::optional(kLosslessX265) : std::nullopt;
    const auto video = Encode({RawDepth(numbers, 33)}, DepthOptions(codec, {}, options));
    ASSERT_TRUE(video.ok()) << codec << ": " << video.status();
    EXPECT_EQ(FramesOf<uint16_t>(*video, FrameFormat::Pixels::kGray16).at(0), numbers) << codec;
  }
}

TEST(DepthVideo, DeepVideoIsScaledByItsDepthForEightBits) {
  const auto video = Encode({RawDepth({0, 65535, 257, 128}, 2)}, DepthOptions());
  ASSERT_TRUE(video.ok()) << video.status();
  EXPECT_EQ(FramesOf<uint8_t>(*video, FrameFormat::Pixels::kGray8).at(0), (std::vector<uint8_t>{0, 255, 1, 0}));
  EXPECT_EQ(FramesOf<uint8_t>(*video, FrameFormat::Pixels::kRgb24).at(0),
            (std::vector<uint8_t>{0, 0, 0, 255, 255, 255, 1, 1, 1, 0, 0, 0}));
}

TEST(DepthVideo, RefusesWhatWouldChangeNumbers) {
  const std::vector<ImageInput> depth = DepthPictures(4000);
  EXPECT_THAT(Refusal(depth, DepthOptions("libvpx-vp9")),
              AllOf(HasSubstr("no grey pixel format of more than 8 bits"), HasSubstr("codec=\"ffv1\" (gray16le")));
  EXPECT_THAT(Refusal(depth, DepthOptions("libx264", "yuv420p")),
              AllOf(HasSubstr("need a grey pixel format"), HasSubstr("codec=\"ffv1\"")));
  EXPECT_THAT(Refusal(depth, DepthOptions("libx264")),
              AllOf(HasSubstr("largest value is 4000"), HasSubstr("codec=\"libx265\" (gray12le, up to 4095)")));
  EXPECT_THAT(Refusal(depth, DepthOptions({}, {}, CodecOptions{{"crf", "18"}})),
              AllOf(HasSubstr("ffv1"), HasSubstr("unless another one is named"), HasSubstr("`crf` is no option")));
  const RawImage eight = RawRgb(GradientPicture(kWidth, kHeight));
  EXPECT_THAT(Refusal({eight}, DepthOptions("ffv1", "gray16le")), HasSubstr("pixel_format=\"gray\""));
  EXPECT_THAT(Refusal({eight}, DepthOptions({}, "gray16le")), HasSubstr("pixel_format `gray16le`"));
}

TEST(DepthVideo, PicturesOfBothKindsDoNotGoIntoOneVideo) {
  const RawImage eight = RawRgb(GradientPicture(kWidth, kHeight));
  const RawImage deep = RawDepth(PictureNumbers(0, 4000), kWidth);
  const auto mixed = Encode({deep, eight}, DepthOptions());
  EXPECT_THAT(mixed.status().message(), AllOf(HasSubstr("image 1"), HasSubstr("has 8 bits"), HasSubstr("first")));
  EXPECT_THAT(Encode({eight, deep}, DepthOptions()).status().message(),
              AllOf(HasSubstr("image 1"), HasSubstr("has 16 bits")));
}

TEST(DepthVideo, EveryEncoderThatSaysItHoldsDepthIsNamedWithItsLimit) {
  EXPECT_THAT(CodecsThatHold(4095), AllOf(HasSubstr("codec=\"ffv1\" (gray16le, up to 65535)"),
                                          HasSubstr("codec=\"libx265\" (gray12le, up to 4095)")));
  EXPECT_THAT(CodecsThatHold(4096), ::testing::Not(HasSubstr("libx265")));
}

}  // namespace
}  // namespace reelhouse
