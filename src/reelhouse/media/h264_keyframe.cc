#include "reelhouse/media/h264_keyframe.h"

#include <cstddef>

namespace reelhouse {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr int kIdrSlice = 5;
constexpr int kSei = 6;
constexpr uint32_t kRecoveryPoint = 6;

/// A value of SEI's own coding: bytes of 255 add up, the first other byte ends it.
bool ReadSeiValue(Bytes sei, size_t& at, uint32_t& value) {
  value = 0;
  while (at < sei.size()) {
    const uint8_t byte = sei[at++];
    value += byte;
    if (byte != 255) return true;
  }
  return false;
}

bool RecoversAtOnce(Bytes sei) {
  size_t at = 1;
  while (at + 2 < sei.size()) {
    uint32_t type = 0;
    uint32_t size = 0;
    if (!ReadSeiValue(sei, at, type) || !ReadSeiValue(sei, at, size)) return false;
    // recovery_frame_cnt is an Exp-Golomb number: a leading 1 bit is zero.
    if (type == kRecoveryPoint) return at < sei.size() && (sei[at] & 0x80);
    at += size;
  }
  return false;
}

bool StartsDecoding(Bytes unit) {
  if (unit.empty()) return false;
  const int type = unit[0] & 0x1f;
  return type == kIdrSlice || (type == kSei && RecoversAtOnce(unit));
}

/// The first position of 00 00 01 at or after `at`, or the size.
size_t FindStartCode(Bytes bytes, size_t at) {
  for (; at + 3 <= bytes.size(); ++at) {
    if (bytes[at] == 0 && bytes[at + 1] == 0 && bytes[at + 2] == 1) return at;
  }
  return bytes.size();
}

}  // namespace

bool IsH264Keyframe(Bytes unit, bool is_length_prefixed) {
  if (is_length_prefixed) {
    size_t at = 0;
    while (at + 4 <= unit.size()) {
      const size_t size =
          size_t{unit[at]} << 24 | size_t{unit[at + 1]} << 16 | size_t{unit[at + 2]} << 8 | unit[at + 3];
      at += 4;
      if (size > unit.size() - at) return false;
      if (StartsDecoding(unit.subspan(at, size))) return true;
      at += size;
    }
    return false;
  }
  size_t at = FindStartCode(unit, 0);
  while (at + 3 < unit.size()) {
    const int type = unit[at + 3] & 0x1f;
    if (type == kIdrSlice) return true;
    if (type == 1) return false;  // slices come last: nothing behind them decides
    const size_t next = FindStartCode(unit, at + 3);
    if (StartsDecoding(unit.subspan(at + 3, next - at - 3))) return true;
    at = next;
  }
  return false;
}

}  // namespace reelhouse
