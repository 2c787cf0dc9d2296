#include "reelhouse/media/png_chunks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace reelhouse {
namespace {

constexpr size_t kSignatureBytes = 8;
constexpr size_t kFrameBytes = 12;  // length, type and checksum of a chunk
constexpr std::array<std::string_view, 4> kLeftOut = {"tEXt", "zTXt", "iTXt", "iCCP"};

uint32_t BigEndian32(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

}  // namespace

size_t CopyPngWithoutTexts(std::span<const uint8_t> png, uint8_t* to) {
  uint8_t* out = to;
  const auto copy = [&](size_t from, size_t count) {
    std::memcpy(out, png.data() + from, count);
    out += count;
  };
  size_t at = std::min(png.size(), kSignatureBytes);
  copy(0, at);
  while (png.size() - at >= kFrameBytes) {
    const size_t body_bytes = BigEndian32(png.data() + at);
    if (body_bytes > png.size() - at - kFrameBytes) break;
    const std::string_view type(reinterpret_cast<const char*>(png.data() + at + 4), 4);
    if (std::find(kLeftOut.begin(), kLeftOut.end(), type) == kLeftOut.end()) copy(at, body_bytes + kFrameBytes);
    at += body_bytes + kFrameBytes;
  }
  copy(at, png.size() - at);
  return static_cast<size_t>(out - to);
}

}  // namespace reelhouse
