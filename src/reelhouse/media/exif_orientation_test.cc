#include "reelhouse/media/exif_orientation.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/test_pictures.h"

namespace reelhouse {
namespace {

std::span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string Chunk(const std::string& type, const std::string& body) {
  const auto size = static_cast<uint32_t>(body.size());
  std::string length{static_cast<char>(size >> 24), static_cast<char>(size >> 16), static_cast<char>(size >> 8),
                     static_cast<char>(size)};
  return length + type + body + "crc!";
}

TEST(ExifOrientation, IsFoundInEveryContainer) {
  for (int value = 1; value <= 8; ++value) {
    const std::string exif = TestExif(value);
    EXPECT_EQ(ReadExifOrientation(BytesOf(exif)), value);
    EXPECT_EQ(FindExifOrientation(BytesOf(exif)), value) << "TIFF";
    const std::string jpeg = JpegWithOrientation(TestJpeg(SolidPicture(8, 8, {1, 2, 3})), value);
    EXPECT_EQ(FindExifOrientation(BytesOf(jpeg)), value) << "JPEG";
    const std::string png =
        "\x89PNG\r\n\x1a\n" + Chunk("IHDR", "13 bytes here") + Chunk("IDAT", "x") + Chunk("eXIf", exif);
    EXPECT_EQ(FindExifOrientation(BytesOf(png)), value) << "PNG";
    const std::string size{static_cast<char>(exif.size() + 6), 0, 0, 0};
    const std::string webp =
        std::string("RIFF\0\0\0\0WEBPVP8 \x01\0\0\0x\0EXIF", 26) + size + std::string("Exif\0\0", 6) + exif;
    EXPECT_EQ(FindExifOrientation(BytesOf(webp)), value) << "WebP";
  }
}

TEST(ExifOrientation, ReadsLittleEndianBlocks) {
  const std::string tiff("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0", 26);
  EXPECT_EQ(ReadExifOrientation(BytesOf(tiff)), 6);
}

TEST(ExifOrientation, IsUprightForBrokenBlocksOfAnyLength) {
  EXPECT_EQ(ReadExifOrientation(BytesOf(TestExif(9))), 1);
  EXPECT_EQ(ReadExifOrientation(BytesOf(TestExif(0))), 1);
  const std::string jpeg = JpegWithOrientation(TestJpeg(SolidPicture(8, 8, {1, 2, 3})), 6);
  for (size_t length = 0; length < 44; ++length) {
    FindExifOrientation(BytesOf(jpeg.substr(0, length)));
    const std::string exif = TestExif(6);
    const int found = ReadExifOrientation(BytesOf(exif.substr(0, std::min(length, exif.size()))));
    EXPECT_TRUE(found == 1 || found == 6);
  }
  std::string far = TestExif(6);
  far[4] = far[5] = far[6] = far[7] = '\xff';
  EXPECT_EQ(ReadExifOrientation(BytesOf(far)), 1);
}

}  // namespace
}  // namespace reelhouse
