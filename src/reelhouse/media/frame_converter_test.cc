#include "reelhouse/media/frame_converter.h"

#include <cstring>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/test_video.h"

namespace reelhouse {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

AvFrame NewPicture(AVPixelFormat format, int width, int height) {
  AvFrame picture(av_frame_alloc());
  picture->format = format;
  picture->width = width;
  picture->height = height;
  EXPECT_EQ(av_frame_get_buffer(picture.get(), 0), 0);
  return picture;
}

void Fill(AVFrame& picture, int plane, int rows, int value) {
  std::memset(picture.data[plane], value, static_cast<size_t>(rows) * picture.linesize[plane]);
}

AvFrame YuvPicture(int y, int u, int v, AVPixelFormat format = AV_PIX_FMT_YUV420P) {
  AvFrame picture = NewPicture(format, 16, 8);
  Fill(*picture, 0, 8, y);
  Fill(*picture, 1, 4, u);
  Fill(*picture, 2, 4, v);
  return picture;
}

std::vector<int> FirstPixel(const AVFrame& picture, DisplayOrientation turn = {}) {
  const DecodedFrame frame = FrameConverter(turn).Convert(picture, {}).ValueOrDie();
  EXPECT_EQ(frame.pixels->size(), int64_t{3} * frame.width * frame.height);
  return {frame.pixels->data()[0], frame.pixels->data()[1], frame.pixels->data()[2]};
}

FrameFormat As(FrameFormat::Pixels pixels) {
  FrameFormat format;
  format.pixels = pixels;
  return format;
}

std::vector<int> Bytes(const DecodedFrame& frame) {
  return {frame.pixels->data(), frame.pixels->data() + frame.pixels->size()};
}

TEST(FrameConverter, TakesUntaggedVideoForBt601WithLimitedRange) {
  EXPECT_THAT(FirstPixel(*YuvPicture(16, 128, 128)), ElementsAre(0, 0, 0));
  EXPECT_THAT(FirstPixel(*YuvPicture(235, 128, 128)), ElementsAre(255, 255, 255));
  EXPECT_THAT(FirstPixel(*YuvPicture(81, 90, 240)), ElementsAre(254, 0, 0)) << "red of BT.601";
}

TEST(FrameConverter, HonoursMatrixAndRange) {
  AvFrame red = YuvPicture(63, 102, 240);
  red->colorspace = AVCOL_SPC_BT709;
  const std::vector<int> pixel = FirstPixel(*red);
  EXPECT_NEAR(pixel[0], 255, 2);
  EXPECT_NEAR(pixel[1], 0, 2);
  EXPECT_NEAR(pixel[2], 0, 2);
  AvFrame full = YuvPicture(16, 128, 128);
  full->color_range = AVCOL_RANGE_JPEG;
  EXPECT_THAT(FirstPixel(*full), ElementsAre(16, 16, 16));
  EXPECT_THAT(FirstPixel(*YuvPicture(16, 128, 128, AV_PIX_FMT_YUVJ420P)), ElementsAre(16, 16, 16));
  AvFrame strange = YuvPicture(16, 128, 128);
  strange->colorspace = AVCOL_SPC_YCGCO;
  EXPECT_THAT(FrameConverter({}).Convert(*strange, {}).status().ToString(), HasSubstr("ycgco"));
}

TEST(FrameConverter, ScalesDeepVideoByItsDepth) {
  AvFrame picture = NewPicture(AV_PIX_FMT_YUV420P10LE, 16, 8);
  for (int plane = 0; plane < 3; ++plane) {
    for (int y = 0; y < (plane ? 4 : 8); ++y) {
      auto* row = reinterpret_cast<uint16_t*>(picture->data[plane] + y * picture->linesize[plane]);
      std::fill(row, row + (plane ? 8 : 16), static_cast<uint16_t>(plane ? 512 : 940));
    }
  }
  EXPECT_THAT(FirstPixel(*picture), ElementsAre(255, 255, 255));
}

TEST(FrameConverter, StretchesLumaToGray) {
  FrameConverter converter({});
  const DecodedFrame dark = converter.Convert(*YuvPicture(16, 0, 255), As(FrameFormat::Pixels::kGray8)).ValueOrDie();
  EXPECT_EQ(dark.pixels->size(), 16 * 8);
  EXPECT_THAT(Bytes(dark), Each(0));
  EXPECT_THAT(Bytes(*converter.Convert(*YuvPicture(235, 0, 0), As(FrameFormat::Pixels::kGray8))), Each(255));
  EXPECT_THAT(Bytes(*converter.Convert(*YuvPicture(126, 0, 0), As(FrameFormat::Pixels::kGray8))), Each(128));
  AvFrame full = YuvPicture(126, 0, 0);
  full->color_range = AVCOL_RANGE_JPEG;
  EXPECT_THAT(Bytes(*converter.Convert(*full, As(FrameFormat::Pixels::kGray8))), Each(126));
}

TEST(FrameConverter, GivesStoredValuesOfDeepGrey) {
  const auto decoder = FrameDecoder::Open(TestVideo("depth.mkv"), {}).ValueOrDie();
  std::vector<DecodedFrame> frames;
  const auto take = [&](size_t, DecodedFrame frame) {
    frames.push_back(std::move(frame));
    return Status::OK();
  };
  const auto fail = [](size_t, Status status) { return status; };
  FrameFormat format = As(FrameFormat::Pixels::kGray16);
  ASSERT_TRUE(decoder->Decode(std::vector<int64_t>{3}, format, take, fail).ok());
  format.height = 12;
  format.width = 16;
  format.scaler = FrameFormat::Scaler::kNearest;
  ASSERT_TRUE(decoder->Decode(std::vector<int64_t>{3}, format, take, fail).ok());
  ASSERT_EQ(frames.size(), 2u);
  const auto* values = reinterpret_cast<const uint16_t*>(frames[0].pixels->data());
  ASSERT_EQ(frames[0].pixels->size(), 2 * 32 * 24);
  for (int i = 0; i < 32 * 24; ++i) ASSERT_EQ(values[i], i % 32 * 2000 + 3);
  const auto* nearest = reinterpret_cast<const uint16_t*>(frames[1].pixels->data());
  for (int x = 0; x < 16; ++x) EXPECT_EQ(nearest[x], (2 * x + 1) * 2000 + 3);
}

TEST(FrameConverter, GivesOneChannelOfGreyVideoWhereItIsAskedForWhatIsStored) {
  const FrameFormat stored = As(FrameFormat::Pixels::kStored);
  const auto decoder = FrameDecoder::Open(TestVideo("depth.mkv"), {}).ValueOrDie();
  const auto take = [&](size_t, DecodedFrame frame) {
    EXPECT_EQ(frame.kind, FrameFormat::Pixels::kGray16);
    EXPECT_EQ(frame.pixels->size(), 2 * 32 * 24);
    return Status::OK();
  };
  ASSERT_TRUE(
      decoder->Decode(std::vector<int64_t>{3}, stored, take, [](size_t, Status status) { return status; }).ok());
  EXPECT_EQ(FrameConverter({}).Convert(*YuvPicture(1, 2, 3), stored)->kind, FrameFormat::Pixels::kRgb24);
}

TEST(FrameConverter, RefusesDeepGreyOfOtherVideo) {
  const auto refused = FrameConverter({}).Convert(*YuvPicture(1, 2, 3), As(FrameFormat::Pixels::kGray16));
  EXPECT_THAT(refused.status().ToString(), HasSubstr("gray16 needs grey video of 9 to 16 bits, found yuv420p"));
}

TEST(FrameConverter, LeavesRgbAsItIs) {
  const auto decoder = FrameDecoder::Open(TestVideo("rgb.mkv"), {}).ValueOrDie();
  DecodedFrame frame;
  const auto take = [&](size_t, DecodedFrame taken) {
    frame = std::move(taken);
    return Status::OK();
  };
  ASSERT_TRUE(decoder->Decode(std::vector<int64_t>{4}, {}, take, [](size_t, Status status) { return status; }).ok());
  for (int y = 0; y < 24; ++y) {
    for (int x = 0; x < 32; ++x) {
      const uint8_t* pixel = frame.pixels->data() + (y * 32 + x) * 3;
      ASSERT_THAT(std::vector<int>(pixel, pixel + 3), ElementsAre(x * 8, y * 10, 80)) << x << ", " << y;
    }
  }
}

TEST(FrameConverter, LaysChannelsOutInPlanes) {
  AvFrame picture = NewPicture(AV_PIX_FMT_RGB24, 3, 2);
  for (int y = 0; y < 2; ++y) {
    for (int i = 0; i < 9; ++i) picture->data[0][y * picture->linesize[0] + i] = static_cast<uint8_t>(y * 9 + i);
  }
  FrameFormat format;
  format.layout = FrameFormat::Layout::kChw;
  EXPECT_THAT(Bytes(*FrameConverter({}).Convert(*picture, format)),
              ElementsAre(0, 3, 6, 9, 12, 15, 1, 4, 7, 10, 13, 16, 2, 5, 8, 11, 14, 17));
}

TEST(FrameConverter, TurnsAndMirrors) {
  AvFrame picture = NewPicture(AV_PIX_FMT_GRAY8, 3, 2);
  for (int i = 0; i < 6; ++i) picture->data[0][i / 3 * picture->linesize[0] + i % 3] = static_cast<uint8_t>(i);
  const auto turned = [&](DisplayOrientation turn) {
    const DecodedFrame frame = FrameConverter(turn).Convert(*picture, As(FrameFormat::Pixels::kGray8)).ValueOrDie();
    EXPECT_EQ(frame.width, turn.is_transposed ? 2 : 3);
    return Bytes(frame);
  };
  EXPECT_THAT(turned({}), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(turned({false, true, false}), ElementsAre(2, 1, 0, 5, 4, 3));
  EXPECT_THAT(turned({false, true, true}), ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THAT(turned({true, false, false}), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(turned({true, true, false}), ElementsAre(3, 0, 4, 1, 5, 2)) << "90 degrees clockwise";
  EXPECT_THAT(turned({true, false, true}), ElementsAre(2, 5, 1, 4, 0, 3)) << "90 degrees counterclockwise";
}

TEST(FrameConverter, ResizesToTheSizeThatIsShown) {
  AvFrame picture = YuvPicture(126, 128, 128);
  for (const auto scaler : {FrameFormat::Scaler::kNearest, FrameFormat::Scaler::kBilinear,
                            FrameFormat::Scaler::kBicubic, FrameFormat::Scaler::kArea}) {
    for (const auto pixels : {FrameFormat::Pixels::kRgb24, FrameFormat::Pixels::kGray8}) {
      FrameFormat format = As(pixels);
      format.height = 21;
      format.width = 5;
      format.scaler = scaler;
      const DecodedFrame frame = FrameConverter({true, true, false}).Convert(*picture, format).ValueOrDie();
      EXPECT_EQ(frame.height, 21);
      EXPECT_EQ(frame.width, 5);
      EXPECT_EQ(frame.pixels->size(), 21 * 5 * (pixels == FrameFormat::Pixels::kRgb24 ? 3 : 1));
      EXPECT_THAT(Bytes(frame), Each(128)) << static_cast<int>(scaler);
    }
  }
}

TEST(FrameConverter, AveragesAreasOfRgb) {
  AvFrame picture = NewPicture(AV_PIX_FMT_RGB24, 4, 4);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 4; ++x) {
      uint8_t* pixel = picture->data[0] + y * picture->linesize[0] + 3 * x;
      pixel[0] = x % 2 ? 100 : 0;
      pixel[1] = 200;
      pixel[2] = y % 2 ? 40 : 60;
    }
  }
  FrameFormat format;
  format.height = format.width = 2;
  format.scaler = FrameFormat::Scaler::kArea;
  const std::vector<int> pixels = Bytes(*FrameConverter({}).Convert(*picture, format));
  for (size_t i = 0; i < pixels.size(); i += 3) {
    EXPECT_NEAR(pixels[i], 50, 1);
    EXPECT_NEAR(pixels[i + 1], 200, 1);
    EXPECT_NEAR(pixels[i + 2], 50, 1);
  }
}

TEST(FrameConverter, RefusesASizeOfOneSide) {
  FrameFormat format;
  format.height = 5;
  EXPECT_THAT(FrameConverter::CheckFormat(format).ToString(), HasSubstr("height and a width"));
  format.width = 0;
  EXPECT_THAT(FrameConverter::CheckFormat(format).ToString(), HasSubstr("from 1 to"));
}

}  // namespace
}  // namespace reelhouse
