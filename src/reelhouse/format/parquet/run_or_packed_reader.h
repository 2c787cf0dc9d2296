#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

namespace reelhouse {

/// Numbers in Parquet's mixture of runs and bit-packed groups (its "RLE" encoding of levels and dictionary indexes). A
/// view of foreign bytes: every step is checked, and bytes that end early give fewer numbers.
class RunOrPackedReader {
 public:
  /// A stretch of numbers: a run of one value, or `packed` ones that Unpack gives.
  struct Stretch {
    int64_t count = 0;  ///< 0 = the bytes have ended
    bool is_run = true;
    uint32_t value = 0;
  };

  static constexpr int kMostBitWidth = 32;

  RunOrPackedReader() = default;
  RunOrPackedReader(std::span<const uint8_t> bytes, int bit_width) : bytes_(bytes), bit_width_(bit_width) {}

  /// The next numbers, at most `most`. Those of a run are consumed; packed ones when they are unpacked or passed over.
  Stretch Next(int64_t most) {
    if (bit_width_ == 0) return {most, true, 0};
    if (left_ == 0 && !ReadHeader()) return {};
    const int64_t count = std::min(left_, most);
    if (is_run_) left_ -= count;
    return {count, is_run_, value_};
  }

  /// The first `count` numbers of the packed stretch that Next gave.
  template <class T>
  void Unpack(int64_t count, T* to) {
    const uint64_t mask = (uint64_t{1} << bit_width_) - 1;
    const auto size = static_cast<int64_t>(bytes_.size());
    int64_t bit = bit_;
    int64_t i = 0;
    if (bit % 8 == 0) {
      // Groups of eight begin with a byte, so their shifts are known to the compiler.
      const int64_t groups = std::min(count / 8, (size - bit / 8 - 8) / bit_width_);
      UnpackGroups(bytes_.data() + bit / 8, groups, to);
      i = std::max<int64_t>(groups, 0) * 8;
      bit += i * bit_width_;
    }
    // Eight bytes at once hold any number of up to 32 bits, wherever it begins.
    for (; i < count && bit / 8 + 8 <= size; ++i, bit += bit_width_) {
      uint64_t word;
      std::memcpy(&word, bytes_.data() + bit / 8, 8);
      to[i] = static_cast<T>((word >> (bit % 8)) & mask);
    }
    for (; i < count; ++i, bit += bit_width_) {
      uint64_t word = 0;
      std::memcpy(&word, bytes_.data() + bit / 8, static_cast<size_t>(std::min<int64_t>(8, size - bit / 8)));
      to[i] = static_cast<T>((word >> (bit % 8)) & mask);
    }
    Pass(count);
  }

  /// Passes over `count` numbers of the packed stretch that Next gave.
  void Pass(int64_t count) {
    bit_ += count * bit_width_;
    left_ -= count;
    if (left_ == 0) bytes_ = bytes_.subspan(std::min(bytes_.size(), packed_bytes_));
  }

  /// Passes over `count` numbers; false if there are fewer.
  bool Skip(int64_t count) {
    while (count > 0) {
      const Stretch stretch = Next(count);
      if (stretch.count == 0) return false;
      if (!stretch.is_run) Pass(stretch.count);
      count -= stretch.count;
    }
    return true;
  }

  /// Writes `count` numbers; false if there are fewer.
  template <class T>
  bool Read(int64_t count, T* to) {
    while (count > 0) {
      const Stretch stretch = Next(count);
      if (stretch.count == 0) return false;
      if (stretch.is_run) {
        std::fill_n(to, stretch.count, static_cast<T>(stretch.value));
      } else {
        Unpack(stretch.count, to);
      }
      to += stretch.count;
      count -= stretch.count;
    }
    return true;
  }

 private:
  template <int kWidth, class T, size_t... kAt>
  static void UnpackGroup(const uint8_t* from, T* to, std::index_sequence<kAt...>) {
    ((to[kAt] =
          static_cast<T>((LoadWord(from + kAt * kWidth / 8) >> (kAt * kWidth % 8)) & ((uint64_t{1} << kWidth) - 1))),
     ...);
  }

  template <int kWidth, class T>
  static void UnpackGroupsOf(const uint8_t* from, int64_t groups, T* to) {
    for (; groups > 0; --groups, from += kWidth, to += 8) {
      UnpackGroup<kWidth>(from, to, std::make_index_sequence<8>());
    }
  }

  // Dispatches on the width by halving, down to a function for each.
  template <int kLow, int kHigh, class T>
  void UnpackBetween(const uint8_t* from, int64_t groups, T* to) const {
    if constexpr (kLow == kHigh) {
      UnpackGroupsOf<kLow>(from, groups, to);
    } else {
      constexpr int kMiddle = (kLow + kHigh) / 2;
      if (bit_width_ <= kMiddle) {
        UnpackBetween<kLow, kMiddle>(from, groups, to);
      } else {
        UnpackBetween<kMiddle + 1, kHigh>(from, groups, to);
      }
    }
  }

  template <class T>
  void UnpackGroups(const uint8_t* from, int64_t groups, T* to) const {
    UnpackBetween<1, kMostBitWidth>(from, groups, to);
  }

  static uint64_t LoadWord(const uint8_t* from) {
    uint64_t word;
    std::memcpy(&word, from, 8);
    return word;
  }

  bool ReadHeader() {
    while (true) {
      uint64_t header = 0;
      size_t at = 0;
      for (int shift = 0;; shift += 7) {
        if (at == bytes_.size() || shift > 28) return false;
        header |= uint64_t{bytes_[at] & 0x7Fu} << shift;
        if (bytes_[at++] < 0x80) break;
      }
      bytes_ = bytes_.subspan(at);
      is_run_ = (header & 1) == 0;
      const auto number = static_cast<int64_t>(header >> 1);
      if (is_run_) {
        const auto value_bytes = static_cast<size_t>((bit_width_ + 7) / 8);
        if (value_bytes > bytes_.size()) return false;
        value_ = 0;
        std::memcpy(&value_, bytes_.data(), value_bytes);  // little endian, as the machine
        bytes_ = bytes_.subspan(value_bytes);
        left_ = number;
      } else {
        bit_ = 0;
        // Groups of eight numbers take a byte for each bit of a number.
        packed_bytes_ = std::min(static_cast<size_t>(number * bit_width_), bytes_.size());
        left_ = std::min<int64_t>(number * 8, static_cast<int64_t>(packed_bytes_) * 8 / bit_width_);
        if (left_ == 0) bytes_ = bytes_.subspan(packed_bytes_);
      }
      if (left_ > 0) return true;
    }
  }

  std::span<const uint8_t> bytes_;
  int bit_width_ = 0;
  bool is_run_ = true;
  uint32_t value_ = 0;
  int64_t left_ = 0;  ///< of the current stretch
  int64_t bit_ = 0;   ///< of a packed stretch: where its next number begins
  size_t packed_bytes_ = 0;
};

}  // namespace reelhouse
