#include "reelhouse/media/image_decoder.h"

#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jpeglib.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/media/picture_converter.h"
#include "tests/support/test_pictures.h"

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

/// What a decoder of images followed by the converter to RGB24 shows.
Result<TestPicture> Shown(const ImageInput& image, ImageDecoderOptions options = {}) {
  options.wants_rgb = true;
  ImageDecoder decoder(options);
  ARROW_ASSIGN_OR_RAISE(UprightPicture picture, decoder.Decode(image));
  PictureConverter converter({AV_PIX_FMT_RGB24, picture.frame->width, picture.frame->height});
  ARROW_ASSIGN_OR_RAISE(const AvFrame frame, converter.Convert(std::move(picture.frame)));
  TestPicture shown = SolidPicture(frame->width, frame->height, {});
  for (int y = 0; y < frame->height; ++y) {
    std::memcpy(shown.at(0, y), frame->data[0] + static_cast<ptrdiff_t>(y) * frame->linesize[0], frame->width * 3);
  }
  return shown;
}

Result<TestPicture> Shown(const std::string& bytes, ImageDecoderOptions options = {}) {
  return Shown(ImageInput(Encoded(bytes)), options);
}

void ExpectNear(const TestPicture& wanted, const Result<TestPicture>& shown, double mean, int largest,
                const std::string& what) {
  ASSERT_TRUE(shown.ok()) << what << ": " << shown.status();
  ASSERT_EQ(shown->width, wanted.width) << what;
  ASSERT_EQ(shown->height, wanted.height) << what;
  const PictureDifference difference = Difference(wanted, shown->rgb.data());
  EXPECT_LE(difference.mean, mean) << what;
  EXPECT_LE(difference.largest, largest) << what;
}

/// Four components as they lie in the file; libjpeg adds Adobe's marker.
std::string CmykJpeg(int width, int height, std::array<uint8_t, 4> stored, J_COLOR_SPACE space) {
  jpeg_compress_struct jpeg;
  jpeg_error_mgr errors;
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &bytes, &size);
  jpeg.image_width = static_cast<JDIMENSION>(width);
  jpeg.image_height = static_cast<JDIMENSION>(height);
  jpeg.input_components = 4;
  jpeg.in_color_space = JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  jpeg_set_colorspace(&jpeg, space);
  jpeg_set_quality(&jpeg, 97, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  std::vector<uint8_t> line;
  for (int x = 0; x < width; ++x) line.insert(line.end(), stored.begin(), stored.end());
  JSAMPROW row = line.data();
  while (jpeg.next_scanline < jpeg.image_height) jpeg_write_scanlines(&jpeg, &row, 1);
  jpeg_finish_compress(&jpeg);
  std::string file(reinterpret_cast<char*>(bytes), size);
  jpeg_destroy_compress(&jpeg);
  std::free(bytes);
  return file;
}

std::string WithoutAdobeMarker(const std::string& jpeg) {
  const size_t marker = jpeg.find("\xff\xee");
  const size_t length = static_cast<uint8_t>(jpeg[marker + 2]) << 8 | static_cast<uint8_t>(jpeg[marker + 3]);
  return jpeg.substr(0, marker) + jpeg.substr(marker + 2 + length);
}

TEST(ImageDecoder, KeepsThePlanesOfJpegInTheirOwnSubsampling) {
  const TestPicture picture = GradientPicture(70, 50);
  ImageDecoder decoder({});
  const std::pair<int, AVPixelFormat> kinds[] = {{TJSAMP_420, AV_PIX_FMT_YUV420P}, {TJSAMP_422, AV_PIX_FMT_YUV422P},
                                                 {TJSAMP_444, AV_PIX_FMT_YUV444P}, {TJSAMP_440, AV_PIX_FMT_YUV440P},
                                                 {TJSAMP_411, AV_PIX_FMT_YUV411P}, {TJSAMP_GRAY, AV_PIX_FMT_GRAY8}};
  for (const int flags : {0, TJFLAG_PROGRESSIVE}) {
    for (const auto& [subsampling, format] : kinds) {
      const UprightPicture read = decoder.Decode(Encoded(TestJpeg(picture, subsampling, flags))).ValueOrDie();
      EXPECT_EQ(read.frame->format, format);
      EXPECT_EQ(read.frame->color_range, AVCOL_RANGE_JPEG);
      EXPECT_GT(read.encoded_bytes, 0);
    }
  }
}

TEST(ImageDecoder, PlanesAreThoseThatTurbojpegGives) {
  const std::string jpeg = TestJpeg(GradientPicture(75, 53), TJSAMP_420, 0, 90);
  ImageDecoder decoder({});
  const UprightPicture read = decoder.Decode(Encoded(jpeg)).ValueOrDie();
  std::vector<uint8_t> planes(tjBufSizeYUV2(75, 1, 53, TJSAMP_420));
  tjhandle turbo = tjInitDecompress();
  ASSERT_EQ(tjDecompressToYUV2(turbo, reinterpret_cast<const uint8_t*>(jpeg.data()), jpeg.size(), planes.data(), 75, 1,
                               53, TJFLAG_ACCURATEDCT),
            0);
  tjDestroy(turbo);
  const uint8_t* expected = planes.data();
  for (int plane = 0; plane < 3; ++plane) {
    const int width = tjPlaneWidth(plane, 75, TJSAMP_420);
    for (int y = 0; y < tjPlaneHeight(plane, 53, TJSAMP_420); ++y, expected += width) {
      const int shown_width = plane == 0 ? 75 : 38;
      if (y >= (plane == 0 ? 53 : 27)) continue;
      const uint8_t* row = read.frame->data[plane] + static_cast<ptrdiff_t>(y) * read.frame->linesize[plane];
      ASSERT_EQ(std::memcmp(row, expected, shown_width), 0) << "plane " << plane << " row " << y;
    }
  }
}

TEST(ImageDecoder, CmykIsNoNegativeWithOrWithoutAdobesMarker) {
  const TestPicture red = SolidPicture(64, 64, {200, 40, 40});
  for (const J_COLOR_SPACE space : {JCS_CMYK, JCS_YCCK}) {
    const std::string jpeg = CmykJpeg(64, 64, {200, 40, 40, 255}, space);
    ExpectNear(red, Shown(jpeg), 2, 4, "with marker");
    if (space == JCS_CMYK) ExpectNear(red, Shown(WithoutAdobeMarker(jpeg)), 2, 4, "without marker");
    // Half as much light by black ink.
    ExpectNear(SolidPicture(64, 64, {100, 20, 20}), Shown(CmykJpeg(64, 64, {200, 40, 40, 128}, space)), 2, 4, "black");
  }
}

TEST(ImageDecoder, AppliesAllEightOrientations) {
  for (const auto& [width, height] : {std::pair(64, 48), std::pair(63, 45)}) {
    const TestPicture stored = GradientPicture(width, height);
    for (int value = 1; value <= 8; ++value) {
      for (const int subsampling : {TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_411, TJSAMP_GRAY}) {
        const std::string jpeg = JpegWithOrientation(TestJpeg(stored, subsampling), value);
        ImageDecoder decoder({});
        UprightPicture upright = decoder.Decode(Encoded(jpeg)).ValueOrDie();
        const TestPicture wanted = TurnedPicture(stored, value);
        ASSERT_EQ(upright.frame->width, wanted.width);
        ASSERT_EQ(upright.frame->height, wanted.height);
        // Planes are turned, not RGB: compare luma.
        for (const auto& [x, y] : {std::pair(3, 3), std::pair(wanted.width - 4, 5), std::pair(6, wanted.height - 5)}) {
          const uint8_t* pixel = wanted.at(x, y);
          const double luma = 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
          EXPECT_NEAR(upright.frame->data[0][y * upright.frame->linesize[0] + x], luma, 3)
              << value << " " << subsampling;
        }
        if (subsampling == TJSAMP_GRAY) continue;
        ExpectNear(wanted, Shown(jpeg), 2, 12, "RGB, orientation " + std::to_string(value));
        const PictureDifference ignored =
            Difference(stored, Shown(jpeg, {.apply_orientation = false}).ValueOrDie().rgb.data());
        EXPECT_LE(ignored.mean, 2) << "ignored, orientation " << value;
      }
    }
  }
}

TEST(ImageDecoder, ReadsEveryFormatByItsContent) {
  const TestPicture picture = GradientPicture(40, 30);
  const auto encode = [&](AVCodecID id, AVPixelFormat format) {
    return TestImage(id, format, picture.width, picture.height, picture.rgb.data(), picture.width * 3);
  };
  for (const AVCodecID id : {AV_CODEC_ID_PNG, AV_CODEC_ID_TIFF, AV_CODEC_ID_PPM, AV_CODEC_ID_SGI}) {
    ExpectNear(picture, Shown(encode(id, AV_PIX_FMT_RGB24)), 0, 0, avcodec_get_name(id));
  }
  TestPicture swapped = picture;
  for (size_t i = 0; i < swapped.rgb.size(); i += 3) std::swap(swapped.rgb[i], swapped.rgb[i + 2]);
  const std::string bmp = TestImage(AV_CODEC_ID_BMP, AV_PIX_FMT_BGR24, 40, 30, swapped.rgb.data(), 120);
  ExpectNear(picture, Shown(bmp), 0, 0, "BMP");
}

TEST(ImageDecoder, ReadsOneBitPictures) {
  const std::string pbm("P4\n16 1\n\xf0\x0f", 10);
  const TestPicture shown = Shown(pbm).ValueOrDie();
  EXPECT_EQ(shown.at(0, 0)[0], 0);
  EXPECT_EQ(shown.at(15, 0)[0], 0);
  EXPECT_EQ(shown.at(7, 0)[0], 255);
}

TEST(ImageDecoder, DropsOpaqueAlphaAndAsksForABackgroundOtherwise) {
  std::string rgba;
  for (int i = 0; i < 16 * 16; ++i) rgba += std::string("\xc8\x28\x28\xff", 4);
  const auto png = [&] {
    return TestImage(AV_CODEC_ID_PNG, AV_PIX_FMT_RGBA, 16, 16, reinterpret_cast<const uint8_t*>(rgba.data()), 64);
  };
  const auto raw = [&] { return RawImage{arrow::Buffer::FromString(rgba), RawImage::Layout::kRgba8, 16, 16, 64}; };
  ExpectNear(SolidPicture(16, 16, {200, 40, 40}), Shown(png()), 0, 0, "opaque");
  ExpectNear(SolidPicture(16, 16, {200, 40, 40}), Shown(ImageInput(raw())), 0, 0, "opaque raw");
  for (size_t i = 3; i < rgba.size(); i += 4) rgba[i] = '\0';
  EXPECT_THAT(Shown(png()).status().message(), HasSubstr("background=(r, g, b)"));
  EXPECT_THAT(Shown(ImageInput(raw())).status().message(), HasSubstr("background=(r, g, b)"));
  const ImageDecoderOptions over_blue{.background = std::array<uint8_t, 3>{0, 0, 250}};
  ExpectNear(SolidPicture(16, 16, {0, 0, 250}), Shown(png(), over_blue), 0, 0, "transparent");
  ExpectNear(SolidPicture(16, 16, {0, 0, 250}), Shown(ImageInput(raw()), over_blue), 0, 0, "transparent raw");
}

/// The numbers of a depth picture.
std::vector<uint16_t> NumbersOf(const ImageInput& image, const ImageDecoderOptions& options = {}) {
  ImageDecoder decoder(options);
  auto picture = decoder.Decode(image);
  EXPECT_TRUE(picture.ok()) << picture.status();
  if (!picture.ok()) return {};
  EXPECT_EQ(picture->kind(), PictureKind::kDepth);
  const AVFrame& frame = *picture->frame;
  std::vector<uint16_t> numbers(static_cast<size_t>(frame.width) * frame.height);
  for (int y = 0; y < frame.height; ++y) {
    std::memcpy(numbers.data() + static_cast<ptrdiff_t>(frame.width) * y,
                frame.data[0] + static_cast<ptrdiff_t>(frame.linesize[0]) * y, static_cast<size_t>(frame.width) * 2);
  }
  return numbers;
}

/// A depth picture as a PNG file.
std::string DepthPng(const std::vector<uint16_t>& numbers, int width) {
  const std::string bytes = BigEndianBytes(numbers);
  return TestImage(AV_CODEC_ID_PNG, AV_PIX_FMT_GRAY16BE, width, static_cast<int>(numbers.size()) / width,
                   reinterpret_cast<const uint8_t*>(bytes.data()), width * 2);
}

TEST(ImageDecoder, GivesTheNumbersOfDepthPicturesAsTheyAreStored) {
  const std::vector<uint16_t> numbers = DepthNumbers(20 * 12, 65535);
  const std::string big = BigEndianBytes(numbers);
  const auto* little = reinterpret_cast<const uint8_t*>(numbers.data());
  EXPECT_EQ(NumbersOf(Encoded(DepthPng(numbers, 20))), numbers);
  EXPECT_EQ(NumbersOf(Encoded(TestImage(AV_CODEC_ID_TIFF, AV_PIX_FMT_GRAY16LE, 20, 12, little, 40))), numbers);
  EXPECT_EQ(NumbersOf(Encoded("P5 20 12 65535\n" + big)), numbers);
  const std::string pam = "P7\nWIDTH 20\nHEIGHT 12\nDEPTH 1\nMAXVAL 65535\nTUPLTYPE GRAYSCALE\nENDHDR\n";
  EXPECT_EQ(NumbersOf(Encoded(pam + big)), numbers);
  EXPECT_EQ(NumbersOf(RawDepth(numbers, 20)), numbers);
}

TEST(ImageDecoder, NumbersOfGraymapsAreNotStretched) {
  EXPECT_EQ(NumbersOf(Encoded(std::string("P5\n# mm\n3 1\n4095\n") + std::string("\0\x01\x0f\xff\0\0", 6))),
            (std::vector<uint16_t>{1, 4095, 0}));
  EXPECT_EQ(NumbersOf(Encoded("P2 2 2 1000\n0 7\n1000 999")), (std::vector<uint16_t>{0, 7, 1000, 999}));
  for (const char* broken : {"P2 2 2 1000\n0 7 1000", "P2 2 2 1000\n0 7 1000 1001", "P2 2 2 1000\n0 7 1000 x",
                             "P5 2 2 1000\n1234567", "P5 60000 60000 1000\n", "P2 0 2 1000\n1 1", "P5 1 1 70000\n12"}) {
    EXPECT_TRUE(Shown(std::string(broken)).status().IsInvalid()) << broken;
  }
}

TEST(ImageDecoder, DepthWithTransparencyIsRefusedAndOpaqueAlphaDropped) {
  const std::vector<uint16_t> pairs = {7, 65535, 300, 65535};
  const std::string opaque = BigEndianBytes(pairs);
  const auto png = [](const std::string& bytes) {
    return TestImage(AV_CODEC_ID_PNG, AV_PIX_FMT_YA16BE, 2, 1, reinterpret_cast<const uint8_t*>(bytes.data()), 8);
  };
  EXPECT_EQ(NumbersOf(Encoded(png(opaque))), (std::vector<uint16_t>{7, 300}));
  std::string thin = opaque;
  thin[7] = 0;
  EXPECT_THAT(Shown(png(thin)).status().message(), HasSubstr("without alpha"));
}

/// An uncompressed grey TIFF of 16 bits with further short tags (ascending, above 279).
std::string DepthTiff(const std::vector<uint16_t>& numbers, int width, std::vector<std::pair<int, int>> more,
                      int photometric = 1) {
  const int height = static_cast<int>(numbers.size()) / width;
  std::vector<std::pair<int, int>> tags = {{256, width},       {257, height}, {258, 16},     {259, 1},
                                           {262, photometric}, {273, 8},      {278, height}, {279, width * height * 2}};
  // The orientation has its place among them.
  for (const auto& tag : more) tags.push_back(tag);
  std::sort(tags.begin(), tags.end());
  const auto number = [](int value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
    return text;
  };
  std::string tiff = std::string("II*\0", 4) + number(8 + static_cast<int>(numbers.size()) * 2, 4);
  tiff.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * 2);
  tiff += number(static_cast<int>(tags.size()), 2);
  for (const auto& [tag, value] : tags) tiff += number(tag, 2) + number(3, 2) + number(1, 4) + number(value, 4);
  return tiff + number(0, 4);
}

TEST(ImageDecoder, TurnsDepthUpright) {
  const std::vector<uint16_t> numbers = {1, 2, 3, 40000, 50000, 60000};
  const std::string tiff = DepthTiff(numbers, 3, {{274, 6}});
  EXPECT_EQ(NumbersOf(Encoded(tiff)), (std::vector<uint16_t>{40000, 1, 50000, 2, 60000, 3}));
  EXPECT_EQ(NumbersOf(Encoded(tiff), {.apply_orientation = false}), numbers);
}

TEST(ImageDecoder, RefusesTiffWhoseNumbersAreNotPlainOnes) {
  const std::vector<uint16_t> numbers = {1, 2, 3, 40000, 50000, 60000};
  EXPECT_EQ(NumbersOf(Encoded(DepthTiff(numbers, 3, {{339, 1}}))), numbers);
  EXPECT_THAT(Shown(DepthTiff(numbers, 3, {{339, 2}})).status().message(), HasSubstr("signed"));
  EXPECT_THAT(Shown(DepthTiff(numbers, 3, {{339, 3}})).status().message(), HasSubstr("float"));
  EXPECT_THAT(Shown(DepthTiff(numbers, 3, {}, 0)).status().message(), HasSubstr("0 is white"));
}

TEST(ImageDecoder, RefusesWhatHasNoExactPlaceInAVideo) {
  const std::string deep(16 * 16 * 6, '\x12');
  const std::string colour =
      TestImage(AV_CODEC_ID_PNG, AV_PIX_FMT_RGB48BE, 16, 16, reinterpret_cast<const uint8_t*>(deep.data()), 96);
  EXPECT_THAT(Shown(colour).status().message(), HasSubstr("colour pictures of 16 bits"));
}

TEST(ImageDecoder, RefusesWhatIsNoImageOrOnlyAPartOfOne) {
  EXPECT_THAT(Shown(std::string("junk")).status().message(), HasSubstr("4 bytes that start with 6a756e6b"));
  EXPECT_THAT(Shown(std::string()).status().message(), HasSubstr("0 bytes"));
  const TestPicture picture = GradientPicture(64, 48);
  const std::string whole[] = {TestJpeg(picture), TestJpeg(picture, TJSAMP_444, TJFLAG_PROGRESSIVE), TestPng(picture)};
  for (const std::string& file : whole) {
    for (const double part : {0.1, 0.5, 0.9}) {
      const Status status = Shown(file.substr(0, static_cast<size_t>(file.size() * part))).status();
      EXPECT_TRUE(status.IsInvalid()) << part << " of " << file.size() << " bytes: " << status;
    }
  }
  for (const char* start :
       {"\xff\xd8\xff", "\x89PNG\r\n\x1a\n", "GIF89a", "BM", "II*", "RIFF....WEBPVP8 ", "P6 9 9 255\n"}) {
    EXPECT_TRUE(Shown(std::string(start)).status().IsInvalid()) << start;
  }
}

TEST(ImageDecoder, SurvivesDamageAnywhere) {
  const TestPicture picture = GradientPicture(40, 24);
  const auto* pixels = picture.rgb.data();
  std::vector<std::string> files = {TestJpeg(picture), TestJpeg(picture, TJSAMP_422, TJFLAG_PROGRESSIVE),
                                    JpegWithOrientation(TestJpeg(picture, TJSAMP_444), 6), TestPng(picture)};
  for (const AVCodecID id : {AV_CODEC_ID_TIFF, AV_CODEC_ID_PPM, AV_CODEC_ID_SGI}) {
    files.push_back(TestImage(id, AV_PIX_FMT_RGB24, 40, 24, pixels, 120));
  }
  files.push_back(TestImage(AV_CODEC_ID_BMP, AV_PIX_FMT_BGR24, 40, 24, pixels, 120));
  files.push_back(TestImage(AV_CODEC_ID_GIF, AV_PIX_FMT_GRAY8, 40, 24, pixels, 40));
  std::mt19937 random(7);
  for (const std::string& file : files) {
    ImageDecoder decoder({});
    for (int round = 0; round < 60; ++round) {
      std::string damaged = file;
      for (int i = 0; i < 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
      const Status status = decoder.Decode(Encoded(damaged)).status();
      EXPECT_TRUE(status.ok() || status.IsInvalid() || status.IsOutOfMemory()) << status;
    }
    EXPECT_TRUE(decoder.Decode(Encoded(file)).ok()) << "the decoder is as good as new";
  }
}

TEST(ImageDecoder, RefusesSizesThatNobodyHasMemoryFor) {
  EXPECT_TRUE(Shown(std::string("P5 60000 60000 255\n")).status().IsInvalid());
  std::string jpeg = TestJpeg(GradientPicture(64, 48));
  const size_t frame = jpeg.find("\xff\xc0");
  jpeg.replace(frame + 5, 4, std::string("\xf0\0\xf0\0", 4));
  EXPECT_THAT(Shown(jpeg).status().message(), HasSubstr("more pixels than"));
}

TEST(ImageDecoder, RefusesRawPicturesThatReachBeyondTheirBuffer) {
  RawImage raw = RawRgb(GradientPicture(8, 8));
  EXPECT_TRUE(Shown(ImageInput(raw)).ok());
  raw.height = 9;
  EXPECT_TRUE(Shown(ImageInput(raw)).status().IsInvalid());
  raw.height = 8;
  raw.row_bytes = 23;
  EXPECT_TRUE(Shown(ImageInput(raw)).status().IsInvalid());
  raw.row_bytes = int64_t{1} << 62;
  EXPECT_TRUE(Shown(ImageInput(raw)).status().IsInvalid());
  raw.pixels = nullptr;
  EXPECT_TRUE(Shown(ImageInput(raw)).status().IsInvalid());
}

TEST(ImageDecoder, ReadsFilesAndNamesTheOnesThatAreMissing) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  const std::string path = folder.PathOf("picture.txt");
  std::ofstream(path, std::ios::binary) << TestPng(SolidPicture(4, 4, {1, 2, 3}));
  ExpectNear(SolidPicture(4, 4, {1, 2, 3}), Shown(ImageInput(ImagePath{path})), 0, 0, "file");
  const Status missing = Shown(ImageInput(ImagePath{folder.PathOf("none.png")})).status();
  EXPECT_TRUE(IsKind(missing, ErrorKind::kFileNotFound)) << missing;
  EXPECT_THAT(missing.message(), HasSubstr("none.png"));
  EXPECT_TRUE(Shown(ImageInput(ImagePath{folder.path()})).status().IsIOError());
}

TEST(PictureConverter, JpegOfFourTwoZeroOnlyChangesItsRange) {
  const std::string jpeg = TestJpeg(GradientPicture(64, 48), TJSAMP_420, 0, 90);
  ImageDecoder decoder({});
  const UprightPicture full = decoder.Decode(Encoded(jpeg)).ValueOrDie();
  UprightPicture again = decoder.Decode(Encoded(jpeg)).ValueOrDie();
  const uint8_t* before = again.frame->data[0];
  PictureConverter converter({AV_PIX_FMT_YUV420P, 64, 48});
  const AvFrame limited = converter.Convert(std::move(again.frame)).ValueOrDie();
  EXPECT_EQ(limited->data[0], before) << "converted in place";
  EXPECT_EQ(limited->color_range, AVCOL_RANGE_MPEG);
  for (int plane = 0; plane < 3; ++plane) {
    for (int x = 0; x < (plane == 0 ? 64 : 32); ++x) {
      const double value = full.frame->data[plane][x];
      const double wanted = plane == 0 ? 16 + value * 219 / 255 : 128 + (value - 128) * 224 / 255;
      EXPECT_NEAR(limited->data[plane][x], wanted, 0.51);
    }
  }
}

}  // namespace
}  // namespace reelhouse
