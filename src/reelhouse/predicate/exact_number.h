#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelhouse {

__extension__ using Int128 = __int128;

/// A number `units` / 10^`scale`, exact: every integer, decimal, date, time and timestamp of a filter is one.
struct ExactNumber {
  Int128 units = 0;
  int32_t scale = 0;
};

/// Negative, zero or positive as `a` is below, equal to or above `b`; scales may differ, nothing overflows.
int CompareNumbers(const ExactNumber& a, const ExactNumber& b);

/// Where a number lies on the grid of steps 10^-scale.
struct GridPosition {
  enum class Place : uint8_t {
    kOn,     ///< equal to `floor`
    kAbove,  ///< strictly between `floor` and `floor` + 1
    kBeyondMax,
    kBeyondMin,
  };
  Place place = Place::kOn;
  Int128 floor = 0;
};

/// `number` on the grid of `scale`; beyond the ends if it does not fit 128 bits.
GridPosition PlaceOnGrid(const ExactNumber& number, int32_t scale);

/// The text of a decimal number, `[+-]digits[.digits][e[+-]digits]`, of any size and precision.
class DecimalText {
 public:
  /// Nothing if `text` is no such number; no blanks, underscores, hexadecimal, NaN.
  static std::optional<DecimalText> Parse(std::string_view text);

  bool is_negative() const { return is_negative_; }
  bool IsZero() const { return digits_.empty(); }
  /// True if the number is at least 1 in size: tells overflow from underflow.
  bool IsLarge() const;
  /// Its place on the grid of `scale`; more than 38 digits before the grid's point are beyond the ends.
  GridPosition PlaceOnGrid(int32_t scale) const;

 private:
  bool is_negative_ = false;
  std::string digits_;    // without zeros at both ends; empty = 0
  int64_t exponent_ = 0;  // value = digits * 10^exponent
};

/// 10^exponent, 0 <= exponent <= 38.
Int128 PowerOfTen(int32_t exponent);

/// `units` with the decimal point before the last `scale` digits.
std::string ToText(const ExactNumber& number);

}  // namespace reelhouse
