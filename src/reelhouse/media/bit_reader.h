#pragma once

#include <cstdint>
#include <span>

namespace reelhouse {

/// Bits of a byte range, highest first. Reads beyond the end give zeros and are remembered.
class BitReader {
 public:
  explicit BitReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  uint32_t Bits(int count) {
    uint32_t value = 0;
    for (int i = 0; i < count; ++i) value = value << 1 | Bit();
    return value;
  }

  uint32_t Bit() {
    const size_t byte = position_ >> 3;
    if (byte >= bytes_.size()) {
      is_past_end_ = true;
      return 0;
    }
    const uint32_t bit = bytes_[byte] >> (7 - (position_ & 7)) & 1u;
    ++position_;
    return bit;
  }

  /// An unsigned Exp-Golomb number.
  uint32_t Golomb() {
    int zeros = 0;
    while (zeros < 32 && !is_past_end_ && Bit() == 0) ++zeros;
    if (zeros >= 32 || is_past_end_) {
      is_past_end_ = true;
      return 0;
    }
    return (1u << zeros) - 1 + Bits(zeros);
  }

  int32_t SignedGolomb() {
    const uint32_t code = Golomb();
    const auto half = static_cast<int32_t>((code + 1) / 2);
    return code % 2 ? half : -half;
  }

  bool is_past_end() const { return is_past_end_; }

 private:
  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
  bool is_past_end_ = false;
};

}  // namespace reelhouse
