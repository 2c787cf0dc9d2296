#include "reelhouse/base/delta_varint.h"

namespace reelhouse {
namespace {

constexpr int kMostBytesPerNumber = 10;

uint64_t ZigZag(int64_t value) { return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63); }

int64_t FromZigZag(uint64_t value) { return static_cast<int64_t>((value >> 1) ^ (0 - (value & 1))); }

Status BrokenVarint(size_t offset, const char* what) {
  return Status::Invalid("delta varints: number at byte ", offset, ": ", what);
}

}  // namespace

std::string EncodeDeltaVarints(std::span<const int64_t> values) {
  std::string bytes;
  // Neighbours are mostly close: two bytes a number is a good first guess.
  bytes.reserve(values.size() * 2);
  uint64_t previous = 0;
  for (int64_t value : values) {
    // In unsigned arithmetic, where a difference may wrap around.
    uint64_t rest = ZigZag(static_cast<int64_t>(static_cast<uint64_t>(value) - previous));
    previous = static_cast<uint64_t>(value);
    char digits[kMostBytesPerNumber];
    int count = 0;
    while (rest >= 0x80) {
      digits[count++] = static_cast<char>(rest | 0x80);
      rest >>= 7;
    }
    digits[count++] = static_cast<char>(rest);
    bytes.append(digits, static_cast<size_t>(count));
  }
  return bytes;
}

Result<std::vector<int64_t>> DecodeDeltaVarints(std::string_view bytes) {
  const auto* const begin = reinterpret_cast<const uint8_t*>(bytes.data());
  const uint8_t* const end = begin + bytes.size();

  // Every number has exactly one byte without the "more" bit, so the count is known before anything is allocated.
  size_t count = 0;
  for (const uint8_t* at = begin; at != end; ++at) count += *at < 0x80 ? 1 : 0;
  std::vector<int64_t> values(count);

  int64_t sum = 0;
  int64_t* value = values.data();
  const uint8_t* at = begin;
  while (at != end) {
    const uint8_t* const start = at;
    uint64_t number = *at++;
    if (number >= 0x80) {
      number &= 0x7f;
      int shift = 7;
      while (true) {
        if (at == end) return BrokenVarint(static_cast<size_t>(start - begin), "cut off by the end of the bytes");
        const uint64_t digit = *at++;
        // The tenth byte has room for the highest bit alone.
        if (shift == 63 && digit > 1) {
          return BrokenVarint(static_cast<size_t>(start - begin), "expected at most 10 bytes and 64 bits, found more");
        }
        number |= (digit & 0x7f) << shift;
        if (digit < 0x80) break;
        shift += 7;
      }
    }
    if (__builtin_add_overflow(sum, FromZigZag(number), &sum)) {
      return BrokenVarint(static_cast<size_t>(start - begin), "the running sum leaves 64 bits");
    }
    *value++ = sum;
  }
  return values;
}

}  // namespace reelhouse
