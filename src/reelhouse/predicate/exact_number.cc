#include "reelhouse/predicate/exact_number.h"

#include <algorithm>
#include <array>

namespace reelhouse {

namespace {

constexpr int32_t kMaxDigits = 38;
// Exponents beyond it say the same as it does: the number is huge or tiny. Keeps sums away from overflow.
constexpr int64_t kExponentBound = 1'000'000'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

struct FloorQuotient {
  Int128 quotient;
  bool is_exact;
};

FloorQuotient DivideByPowerOfTen(Int128 units, int32_t exponent) {
  if (exponent > kMaxDigits) return {units < 0 ? -1 : 0, units == 0};
  const Int128 divisor = PowerOfTen(exponent);
  const Int128 remainder = units % divisor;
  return {units / divisor - (remainder < 0 ? 1 : 0), remainder == 0};
}

}  // namespace

Int128 PowerOfTen(int32_t exponent) {
  static constexpr auto kPowers = [] {
    std::array<Int128, kMaxDigits + 1> powers{};
    powers[0] = 1;
    for (int i = 1; i <= kMaxDigits; ++i) powers[i] = powers[i - 1] * 10;
    return powers;
  }();
  return kPowers[exponent];
}

int CompareNumbers(const ExactNumber& a, const ExactNumber& b) {
  if (a.scale > b.scale) return -CompareNumbers(b, a);
  // Bring the finer one down to the coarser grid instead of the coarser one up: that cannot overflow.
  const FloorQuotient floor = DivideByPowerOfTen(b.units, b.scale - a.scale);
  if (a.units != floor.quotient) return a.units < floor.quotient ? -1 : 1;
  return floor.is_exact ? 0 : -1;
}

GridPosition PlaceOnGrid(const ExactNumber& number, int32_t scale) {
  using Place = GridPosition::Place;
  if (scale <= number.scale) {
    const FloorQuotient floor = DivideByPowerOfTen(number.units, number.scale - scale);
    return {floor.is_exact ? Place::kOn : Place::kAbove, floor.quotient};
  }
  if (number.units == 0) return {Place::kOn, 0};
  const auto beyond = number.units > 0 ? Place::kBeyondMax : Place::kBeyondMin;
  if (scale - number.scale > kMaxDigits) return {beyond, 0};
  Int128 product;
  if (__builtin_mul_overflow(number.units, PowerOfTen(scale - number.scale), &product)) return {beyond, 0};
  return {Place::kOn, product};
}

std::optional<DecimalText> DecimalText::Parse(std::string_view text) {
  DecimalText number;
  size_t at = 0;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) number.is_negative_ = text[at++] == '-';
  const size_t first_digit = at;
  while (at < text.size() && IsDigit(text[at])) number.digits_ += text[at++];
  size_t digit_count = at - first_digit;
  if (at < text.size() && text[at] == '.') {
    const size_t point = at++;
    while (at < text.size() && IsDigit(text[at])) number.digits_ += text[at++];
    const size_t fraction_digits = at - point - 1;
    digit_count += fraction_digits;
    number.exponent_ = -static_cast<int64_t>(fraction_digits);
  }
  if (digit_count == 0) return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    bool is_negative = false;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) is_negative = text[at++] == '-';
    if (at == text.size()) return std::nullopt;
    int64_t exponent = 0;
    for (; at < text.size() && IsDigit(text[at]); ++at) {
      exponent = std::min(exponent * 10 + (text[at] - '0'), kExponentBound);
    }
    number.exponent_ += is_negative ? -exponent : exponent;
  }
  if (at != text.size()) return std::nullopt;

  while (!number.digits_.empty() && number.digits_.back() == '0') {
    number.digits_.pop_back();
    ++number.exponent_;
  }
  number.digits_.erase(0, std::min(number.digits_.find_first_not_of('0'), number.digits_.size()));
  if (number.digits_.empty()) {
    number.exponent_ = 0;
    number.is_negative_ = false;
  }
  return number;
}

bool DecimalText::IsLarge() const { return static_cast<int64_t>(digits_.size()) + exponent_ > 0; }

GridPosition DecimalText::PlaceOnGrid(int32_t scale) const {
  using Place = GridPosition::Place;
  if (IsZero()) return {Place::kOn, 0};
  const int64_t shift = exponent_ + scale;
  const int64_t integer_digits = static_cast<int64_t>(digits_.size()) + shift;
  if (integer_digits > kMaxDigits) return {is_negative_ ? Place::kBeyondMin : Place::kBeyondMax, 0};

  Int128 magnitude = 0;
  for (int64_t i = 0; i < integer_digits; ++i) {
    const char digit = i < static_cast<int64_t>(digits_.size()) ? digits_[i] : '0';
    magnitude = magnitude * 10 + (digit - '0');
  }
  // Digits end in no zero, so whatever is cut off is not zero.
  const bool is_exact = shift >= 0;
  if (is_negative_) return {is_exact ? Place::kOn : Place::kAbove, is_exact ? -magnitude : -magnitude - 1};
  return {is_exact ? Place::kOn : Place::kAbove, magnitude};
}

std::string ToText(const ExactNumber& number) {
  // The magnitude of the least Int128 has no positive twin: work on negative digits.
  std::string digits;
  Int128 rest = number.units;
  do {
    const int digit = static_cast<int>(rest % 10);
    digits += static_cast<char>('0' + (digit < 0 ? -digit : digit));
    rest /= 10;
  } while (rest != 0);
  while (static_cast<int32_t>(digits.size()) <= number.scale) digits += '0';
  std::reverse(digits.begin(), digits.end());
  if (number.scale > 0) digits.insert(digits.size() - number.scale, 1, '.');
  return number.units < 0 ? "-" + digits : digits;
}

}  // namespace reelhouse
