#include "reelhouse/media/exif_orientation.h"

#include <cstring>
#include <string_view>

namespace reelhouse {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr std::string_view kExifPrefix{"Exif\0\0", 6};
constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";

bool StartsWith(Bytes bytes, std::string_view prefix) {
  return bytes.size() >= prefix.size() && std::memcmp(bytes.data(), prefix.data(), prefix.size()) == 0;
}

uint32_t Load(Bytes bytes, size_t offset, int count, bool is_little_endian) {
  uint32_t value = 0;
  for (int i = 0; i < count; ++i) {
    value = value << 8 | bytes[offset + (is_little_endian ? count - 1 - i : i)];
  }
  return value;
}

int OrientationOfBlock(Bytes block) {
  return ReadExifOrientation(StartsWith(block, kExifPrefix) ? block.subspan(kExifPrefix.size()) : block);
}

int OrientationOfJpeg(Bytes image) {
  size_t at = 2;
  while (at + 4 <= image.size()) {
    if (image[at] != 0xff) return 1;
    const uint8_t marker = image[at + 1];
    if (marker == 0xff) {  // fill bytes
      ++at;
      continue;
    }
    if (marker == 0x01 || (marker >= 0xd0 && marker <= 0xd7)) {
      at += 2;
      continue;
    }
    if (marker == 0xda || marker == 0xd9) return 1;
    const size_t length = Load(image, at + 2, 2, false);
    if (length < 2 || length > image.size() - at - 2) return 1;
    const Bytes body = image.subspan(at + 4, length - 2);
    if (marker == 0xe1 && StartsWith(body, kExifPrefix)) return OrientationOfBlock(body);
    at += 2 + length;
  }
  return 1;
}

int OrientationOfPng(Bytes image) {
  size_t at = kPngSignature.size();
  while (at + 12 <= image.size()) {
    const size_t length = Load(image, at, 4, false);
    if (length > image.size() - at - 12) return 1;
    if (StartsWith(image.subspan(at + 4), "eXIf")) return OrientationOfBlock(image.subspan(at + 8, length));
    at += 12 + length;
  }
  return 1;
}

int OrientationOfWebp(Bytes image) {
  size_t at = 12;
  while (at + 8 <= image.size()) {
    const size_t length = Load(image, at + 4, 4, true);
    if (length > image.size() - at - 8) return 1;
    if (StartsWith(image.subspan(at), "EXIF")) return OrientationOfBlock(image.subspan(at + 8, length));
    at += 8 + length + (length & 1);
  }
  return 1;
}

}  // namespace

Orientation OrientationFromExif(int value) {
  switch (value) {
    case 2:
      return {.swaps_axes = false, .mirrors_columns = true, .mirrors_rows = false};
    case 3:
      return {.swaps_axes = false, .mirrors_columns = true, .mirrors_rows = true};
    case 4:
      return {.swaps_axes = false, .mirrors_columns = false, .mirrors_rows = true};
    case 5:
      return {.swaps_axes = true, .mirrors_columns = false, .mirrors_rows = false};
    case 6:
      return {.swaps_axes = true, .mirrors_columns = false, .mirrors_rows = true};
    case 7:
      return {.swaps_axes = true, .mirrors_columns = true, .mirrors_rows = true};
    case 8:
      return {.swaps_axes = true, .mirrors_columns = true, .mirrors_rows = false};
    default:
      return {};
  }
}

int ReadTiffTag(Bytes tiff, uint16_t tag, int absent) {
  if (tiff.size() < 8) return absent;
  const bool is_little_endian = StartsWith(tiff, "II");
  if (!is_little_endian && !StartsWith(tiff, "MM")) return absent;
  if (Load(tiff, 2, 2, is_little_endian) != 42) return absent;
  const size_t directory = Load(tiff, 4, 4, is_little_endian);
  if (directory > tiff.size() - 2) return absent;
  const size_t count = Load(tiff, directory, 2, is_little_endian);
  for (size_t i = 0, at = directory + 2; i < count && at + 12 <= tiff.size(); ++i, at += 12) {
    if (Load(tiff, at, 2, is_little_endian) != tag) continue;
    const uint32_t type = Load(tiff, at + 2, 2, is_little_endian);
    const int value_bytes = type == 3 ? 2 : type == 4 ? 4 : type == 1 ? 1 : 0;
    const uint32_t value = Load(tiff, at + 8, value_bytes, is_little_endian);
    return value_bytes > 0 && value <= INT32_MAX ? static_cast<int>(value) : absent;
  }
  return absent;
}

int ReadExifOrientation(Bytes tiff) {
  constexpr uint16_t kOrientation = 0x0112;
  const int value = ReadTiffTag(tiff, kOrientation, 1);
  return value >= 1 && value <= 8 ? value : 1;
}

int FindExifOrientation(Bytes image) {
  if (StartsWith(image, "\xff\xd8")) return OrientationOfJpeg(image);
  if (StartsWith(image, kPngSignature)) return OrientationOfPng(image);
  if (StartsWith(image, "RIFF") && image.size() >= 12 && StartsWith(image.subspan(8), "WEBP")) {
    return OrientationOfWebp(image);
  }
  return ReadExifOrientation(image);
}

}  // namespace reelhouse
