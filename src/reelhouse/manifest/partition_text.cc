// The texts of partition values (format notes, 1.6). They name folders that other engines made, so every digit counts.
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <fmt/format.h>

#include "reelhouse/manifest/table_paths.h"

namespace reelhouse {
namespace {

constexpr char kDefaultName[] = "partition.default-name";
constexpr char kLegacyName[] = "partition.legacy-name";
constexpr int64_t kNanosPerSecond = 1'000'000'000;

// White space by Unicode, as Python's `isspace` has it: blank values share the folder of null.
bool IsBlankCodePoint(uint32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool IsBlank(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto byte = [&](size_t at) { return static_cast<uint32_t>(static_cast<uint8_t>(text[at])); };
    uint32_t c = byte(i);
    size_t length = 1;
    if (c >= 0xE0 && c < 0xF0 && i + 2 < text.size()) {
      c = (c & 0x0F) << 12 | (byte(i + 1) & 0x3F) << 6 | (byte(i + 2) & 0x3F);
      length = 3;
    } else if (c >= 0xC0 && c < 0xE0 && i + 1 < text.size()) {
      c = (c & 0x1F) << 6 | (byte(i + 1) & 0x3F);
      length = 2;
    } else if (c >= 0x80) {
      return false;
    }
    if (!IsBlankCodePoint(c)) return false;
    i += length;
  }
  return true;
}

struct Clock {
  int64_t year = 0;
  int month = 0, day = 0, hour = 0, minute = 0, second = 0;
  int64_t nanos = 0;
};

Clock DateOf(int64_t days) {
  // std::chrono's years end at 32767; dates of 32 bits go further. Whole eras of 400 years are moved out and back.
  constexpr int64_t kEraDays = 146097;
  const int64_t eras = days / kEraDays;
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<int>(days - eras * kEraDays)))};
  Clock clock;
  clock.year = static_cast<int>(date.year()) + 400 * eras;
  clock.month = static_cast<int>(static_cast<unsigned>(date.month()));
  clock.day = static_cast<int>(static_cast<unsigned>(date.day()));
  return clock;
}

int64_t FloorDiv(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

// What FloorDiv leaves over; a product with its result could be below all numbers.
int64_t FloorMod(int64_t value, int64_t by) { return value % by + (value % by < 0 ? by : 0); }

Clock ClockOf(int64_t seconds, int64_t nanos) {
  const int64_t rest = FloorMod(seconds, 86400);
  Clock clock = DateOf(FloorDiv(seconds, 86400));
  clock.hour = static_cast<int>(rest / 3600);
  clock.minute = static_cast<int>(rest / 60 % 60);
  clock.second = static_cast<int>(rest % 60);
  clock.nanos = nanos;
  return clock;
}

std::string DateText(const Clock& clock) {
  // Java's LocalDate: four digits at least, a sign in front of more.
  const int64_t magnitude = clock.year < 0 ? -clock.year : clock.year;
  const char* sign = clock.year < 0 ? "-" : clock.year > 9999 ? "+" : "";
  return fmt::format("{}{:04d}-{:02d}-{:02d}", sign, magnitude, clock.month, clock.day);
}

// ISO with as much of the time as is not zero: seconds are left out, a fraction has 3, 6 or 9 digits.
std::string IsoText(const Clock& clock) {
  std::string text = fmt::format("{}T{:02d}:{:02d}", DateText(clock), clock.hour, clock.minute);
  if (clock.second != 0 || clock.nanos != 0) text += fmt::format(":{:02d}", clock.second);
  if (clock.nanos == 0) return text;
  if (clock.nanos % 1'000'000 == 0) return text + fmt::format(".{:03d}", clock.nanos / 1'000'000);
  if (clock.nanos % 1'000 == 0) return text + fmt::format(".{:06d}", clock.nanos / 1'000);
  return text + fmt::format(".{:09d}", clock.nanos);
}

// With as many digits of the second as the type declares, and more where they are not zero.
std::string SqlText(const Clock& clock, int32_t precision) {
  std::string text = fmt::format("{} {:02d}:{:02d}:{:02d}", DateText(clock), clock.hour, clock.minute, clock.second);
  std::string fraction = fmt::format("{:09d}", clock.nanos);
  while (static_cast<int32_t>(fraction.size()) > precision && fraction.back() == '0') {
    fraction.pop_back();
    if (fraction.empty()) return text;
  }
  return text + "." + fraction;
}

// Java stops where only zeros are left, but keeps a zero in front of a digit that the precision cuts off.
std::string TimeText(int64_t millis_of_day, int32_t precision) {
  std::string text = fmt::format("{:02d}:{:02d}:{:02d}", millis_of_day / 3'600'000, millis_of_day / 60'000 % 60,
                                 millis_of_day / 1000 % 60);
  int64_t millis = millis_of_day % 1000;
  for (int32_t digit = 0; digit < precision; ++digit) {
    if (digit == 0) text += '.';
    text += static_cast<char>('0' + millis / 100);
    millis = millis % 100 * 10;
    if (millis == 0) break;
  }
  return text;
}

std::string PlainDecimalText(const arrow::Decimal128& value, int32_t scale) {
  std::string digits = value.ToIntegerString();
  std::string sign;
  if (digits.front() == '-') {
    sign = "-";
    digits.erase(0, 1);
  }
  if (scale <= 0) return sign + digits;
  if (static_cast<int32_t>(digits.size()) <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
  digits.insert(digits.size() - scale, 1, '.');
  return sign + digits;
}

// Java's form of the shortest text, of two digits or more, that reads back as the same number. Infinity and NaN are
// spelled as pypaimon spells them.
template <typename Number>
std::string FloatText(Number value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  constexpr int kMostDigits = std::is_same_v<Number, float> ? 9 : 17;
  std::array<char, 64> buffer;
  std::string_view text;
  for (int digits = 2; digits <= kMostDigits; ++digits) {
    const auto printed =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific, digits - 1);
    text = std::string_view(buffer.data(), static_cast<size_t>(printed.ptr - buffer.data()));
    Number again{};
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), again);
    if (parsed.ec == std::errc() && again == value) break;
  }
  const size_t e = text.find('e');
  std::string mantissa(text.substr(0, e));
  int exponent = 0;
  const char* exponent_text = text.data() + e + 1;
  if (*exponent_text == '+') ++exponent_text;
  std::from_chars(exponent_text, text.data() + text.size(), exponent);
  std::string sign;
  if (mantissa.front() == '-') {
    sign = "-";
    mantissa.erase(0, 1);
  }
  std::string digits = mantissa.substr(0, 1) + mantissa.substr(2);
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  if (value == 0) return sign + "0.0";
  if (exponent >= -3 && exponent <= 6) {
    if (exponent < 0) return sign + "0." + std::string(-exponent - 1, '0') + digits;
    const size_t whole = static_cast<size_t>(exponent) + 1;
    if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0') + ".0";
    return sign + digits.substr(0, whole) + "." + digits.substr(whole);
  }
  return sign + digits.substr(0, 1) + "." + (digits.size() > 1 ? digits.substr(1) : "0") + "E" +
         std::to_string(exponent);
}

Result<std::string> TimestampText(const arrow::Scalar& value, const DataType& type, bool legacy) {
  const int64_t count = static_cast<const arrow::TimestampScalar&>(value).value;
  int64_t per_second = 1;
  switch (static_cast<const arrow::TimestampType&>(*value.type).unit()) {
    case arrow::TimeUnit::SECOND:
      per_second = 1;
      break;
    case arrow::TimeUnit::MILLI:
      per_second = 1'000;
      break;
    case arrow::TimeUnit::MICRO:
      per_second = 1'000'000;
      break;
    case arrow::TimeUnit::NANO:
      per_second = kNanosPerSecond;
      break;
  }
  const int64_t seconds = FloorDiv(count, per_second);
  const int64_t nanos = FloorMod(count, per_second) * (kNanosPerSecond / per_second);
  if (legacy) return IsoText(ClockOf(seconds, nanos));
  if (type.root() == TypeRoot::kTimestamp) return SqlText(ClockOf(seconds, nanos), type.precision());
  // Other engines print these in the zone of the machine, so we must as well to find their folders.
  const std::time_t instant = static_cast<std::time_t>(seconds);
  std::tm local{};
  if (::localtime_r(&instant, &local) == nullptr) return Status::Invalid("no local time for second ", seconds);
  return SqlText({local.tm_year + int64_t{1900}, local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min,
                  local.tm_sec, nanos},
                 type.precision());
}

template <typename ScalarType>
std::string IntegerText(const arrow::Scalar& value) {
  return std::to_string(static_cast<const ScalarType&>(value).value);
}

}  // namespace

Result<std::string> PartitionText(const arrow::Scalar& value, const DataType& type, const Options& options) {
  if (!value.is_valid) return options.GetText(kDefaultName, "__DEFAULT_PARTITION__");
  if (!value.type->Equals(*type.ToArrow())) {
    return Status::TypeError("expected a partition value of ", type.ToText(), ", found ", value.type->ToString());
  }
  ARROW_ASSIGN_OR_RAISE(const bool legacy, options.GetBool(kLegacyName, true));
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return static_cast<const arrow::BooleanScalar&>(value).value ? "true" : "false";
    case TypeRoot::kTinyInt:
      return IntegerText<arrow::Int8Scalar>(value);
    case TypeRoot::kSmallInt:
      return IntegerText<arrow::Int16Scalar>(value);
    case TypeRoot::kInt:
      return IntegerText<arrow::Int32Scalar>(value);
    case TypeRoot::kBigInt:
      return IntegerText<arrow::Int64Scalar>(value);
    case TypeRoot::kFloat:
      return FloatText(static_cast<const arrow::FloatScalar&>(value).value);
    case TypeRoot::kDouble:
      return FloatText(static_cast<const arrow::DoubleScalar&>(value).value);
    case TypeRoot::kDecimal:
      return PlainDecimalText(static_cast<const arrow::Decimal128Scalar&>(value).value, type.scale());
    case TypeRoot::kChar:
    case TypeRoot::kVarChar: {
      const std::string_view text = static_cast<const arrow::BaseBinaryScalar&>(value).view();
      if (IsBlank(text)) return options.GetText(kDefaultName, "__DEFAULT_PARTITION__");
      return std::string(text);
    }
    case TypeRoot::kDate: {
      const int32_t days = static_cast<const arrow::Date32Scalar&>(value).value;
      return legacy ? std::to_string(days) : DateText(DateOf(days));
    }
    case TypeRoot::kTime: {
      const int32_t millis = static_cast<const arrow::Time32Scalar&>(value).value;
      return legacy ? std::to_string(millis) : TimeText(millis, type.precision());
    }
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return TimestampText(value, type, legacy);
    default:
      return Status::NotImplemented("partition columns of type ", type.ToText());
  }
}

std::string EscapePartitionText(std::string_view text) {
  constexpr std::string_view kEscaped = "\"#%'*/:=?\\{}[]^";
  std::string escaped;
  for (char c : text) {
    const uint8_t byte = static_cast<uint8_t>(c);
    if (byte < 32 || byte == 127 || kEscaped.find(c) != std::string_view::npos) {
      escaped += fmt::format("%{:02X}", byte);
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace reelhouse
