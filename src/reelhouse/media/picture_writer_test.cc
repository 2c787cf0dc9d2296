#include "reelhouse/media/picture_writer.h"

#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "reelhouse/media/image_decoder.h"
#include "tests/support/test_pictures.h"

namespace reelhouse {
namespace {

DecodedFrame FrameOf(const TestPicture& picture) { return {RawRgb(picture).pixels, picture.width, picture.height}; }

TEST(PictureWriter, PngGivesTheSamePixelsBack) {
  const TestPicture picture = GradientPicture(37, 21);
  const auto png = EncodePng(FrameOf(picture), FrameFormat::Pixels::kRgb24).ValueOrDie();
  ImageDecoder decoder({});
  const UprightPicture read = decoder.Decode(EncodedImage{png}).ValueOrDie();
  ASSERT_EQ(read.frame->format, AV_PIX_FMT_RGB24);
  ASSERT_EQ(read.frame->width, 37);
  ASSERT_EQ(read.frame->height, 21);
  for (int y = 0; y < 21; ++y) {
    EXPECT_EQ(std::memcmp(read.frame->data[0] + y * read.frame->linesize[0], picture.at(0, y), 37 * 3), 0) << y;
  }
}

TEST(PictureWriter, WritesGrayOfEightAndSixteenBits) {
  const DecodedFrame gray{arrow::Buffer::FromString(std::string("\0\x7f\xff", 3)), 3, 1};
  const auto png = EncodePng(gray, FrameFormat::Pixels::kGray8).ValueOrDie();
  ImageDecoder decoder({});
  const UprightPicture read = decoder.Decode(EncodedImage{png}).ValueOrDie();
  ASSERT_EQ(read.frame->format, AV_PIX_FMT_GRAY8);
  EXPECT_EQ(read.frame->data[0][1], 0x7f);
  const DecodedFrame deep{arrow::Buffer::FromString(std::string("\x34\x12", 2)), 1, 1};
  const std::string bytes = EncodePng(deep, FrameFormat::Pixels::kGray16).ValueOrDie()->ToString();
  EXPECT_EQ(bytes[24], 16) << "bit depth in the header of the PNG";
  const DecodedFrame stored{deep.pixels, 1, 1, FrameFormat::Pixels::kGray16};
  EXPECT_EQ(EncodePng(stored, FrameFormat::Pixels::kStored).ValueOrDie()->ToString(), bytes);
}

TEST(PictureWriter, JpegIsNearTheSamePixels) {
  const TestPicture picture = SolidPicture(32, 16, {200, 40, 40});
  const auto jpeg = EncodeJpeg(FrameOf(picture), 95).ValueOrDie();
  ImageDecoder decoder({.wants_rgb = true});
  const UprightPicture read = decoder.Decode(EncodedImage{jpeg}).ValueOrDie();
  EXPECT_LE(Difference(SolidPicture(32, 1, {200, 40, 40}), read.frame->data[0]).largest, 3);
}

TEST(PictureWriter, RefusesABufferOfAnotherSize) {
  DecodedFrame frame = FrameOf(GradientPicture(8, 8));
  frame.height = 9;
  EXPECT_TRUE(EncodePng(frame, FrameFormat::Pixels::kRgb24).status().IsInvalid());
  EXPECT_TRUE(EncodeJpeg(frame).status().IsInvalid());
  frame.height = 0;
  EXPECT_TRUE(EncodePng(frame, FrameFormat::Pixels::kRgb24).status().IsInvalid());
}

}  // namespace
}  // namespace reelhouse
