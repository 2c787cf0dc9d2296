#include "reelhouse/predicate/calendar_text.h"

#include <chrono>

#include <fmt/format.h>

namespace reelhouse {

namespace {

constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr int64_t kNanosecondsPerMinute = 60 * kNanosecondsPerSecond;
constexpr int64_t kNanosecondsPerHour = 60 * kNanosecondsPerMinute;
constexpr int64_t kNanosecondsPerDay = 24 * kNanosecondsPerHour;

/// A cursor over a text of digits and separators.
class DigitCursor {
 public:
  explicit DigitCursor(std::string_view text) : rest_(text) {}

  bool IsAtEnd() const { return rest_.empty(); }
  bool StartsWithDigit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }

  bool Take(char wanted) {
    if (rest_.empty() || rest_[0] != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// Exactly `count` digits.
  std::optional<int32_t> TakeNumber(int count) {
    int32_t number = 0;
    for (int i = 0; i < count; ++i) {
      if (!StartsWithDigit()) return std::nullopt;
      number = number * 10 + (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    return number;
  }

 private:
  std::string_view rest_;
};

std::optional<int32_t> TakeDate(DigitCursor& cursor) {
  const auto year = cursor.TakeNumber(4);
  if (!year || !cursor.Take('-')) return std::nullopt;
  const auto month = cursor.TakeNumber(2);
  if (!month || !cursor.Take('-')) return std::nullopt;
  const auto day = cursor.TakeNumber(2);
  if (!day || *year < 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return static_cast<int32_t>(std::chrono::sys_days{date}.time_since_epoch().count());
}

/// Up to 9 digits behind the point of a second.
std::optional<int64_t> TakeFraction(DigitCursor& cursor) {
  int64_t nanoseconds = 0;
  int digits = 0;
  for (; cursor.StartsWithDigit(); ++digits) {
    if (digits == kNanosecondScale) return std::nullopt;
    nanoseconds = nanoseconds * 10 + *cursor.TakeNumber(1);
  }
  if (digits == 0) return std::nullopt;
  for (; digits < kNanosecondScale; ++digits) nanoseconds *= 10;
  return nanoseconds;
}

std::optional<int64_t> TakeTimeOfDay(DigitCursor& cursor) {
  const auto hour = cursor.TakeNumber(2);
  if (!hour || !cursor.Take(':')) return std::nullopt;
  const auto minute = cursor.TakeNumber(2);
  if (!minute || *hour > 23 || *minute > 59) return std::nullopt;
  int64_t nanoseconds = *hour * kNanosecondsPerHour + *minute * kNanosecondsPerMinute;
  if (!cursor.Take(':')) return nanoseconds;
  const auto second = cursor.TakeNumber(2);
  if (!second || *second > 59) return std::nullopt;
  nanoseconds += *second * kNanosecondsPerSecond;
  if (!cursor.Take('.')) return nanoseconds;
  const auto fraction = TakeFraction(cursor);
  if (!fraction) return std::nullopt;
  return nanoseconds + *fraction;
}

/// What a zone adds to UTC.
std::optional<int64_t> TakeZoneOffset(DigitCursor& cursor) {
  if (cursor.Take('Z') || cursor.Take('z')) return 0;
  const bool is_west = cursor.Take('-');
  if (!is_west && !cursor.Take('+')) return std::nullopt;
  const auto hours = cursor.TakeNumber(2);
  if (!hours || *hours > 23) return std::nullopt;
  int32_t minutes = 0;
  if (cursor.Take(':') || cursor.StartsWithDigit()) {
    const auto number = cursor.TakeNumber(2);
    if (!number || *number > 59) return std::nullopt;
    minutes = *number;
  }
  const int64_t offset = *hours * kNanosecondsPerHour + minutes * kNanosecondsPerMinute;
  return is_west ? -offset : offset;
}

}  // namespace

std::optional<int32_t> ParseDate(std::string_view text) {
  DigitCursor cursor(text);
  const auto days = TakeDate(cursor);
  return cursor.IsAtEnd() ? days : std::nullopt;
}

std::optional<int64_t> ParseTimeOfDay(std::string_view text) {
  DigitCursor cursor(text);
  const auto nanoseconds = TakeTimeOfDay(cursor);
  return cursor.IsAtEnd() ? nanoseconds : std::nullopt;
}

std::optional<TimestampText> ParseTimestamp(std::string_view text) {
  DigitCursor cursor(text);
  const auto days = TakeDate(cursor);
  if (!days) return std::nullopt;
  TimestampText moment;
  moment.nanoseconds = Int128{*days} * kNanosecondsPerDay;
  if (cursor.IsAtEnd()) return moment;
  if (!cursor.Take(' ') && !cursor.Take('T') && !cursor.Take('t')) return std::nullopt;
  const auto time_of_day = TakeTimeOfDay(cursor);
  if (!time_of_day) return std::nullopt;
  moment.nanoseconds += *time_of_day;
  if (cursor.IsAtEnd()) return moment;
  cursor.Take(' ');
  const auto offset = TakeZoneOffset(cursor);
  if (!offset || !cursor.IsAtEnd()) return std::nullopt;
  moment.nanoseconds -= *offset;
  moment.has_zone = true;
  // In UTC too the year has four digits, so that the canonical text can be read again.
  constexpr Int128 kFirst = Int128{-719162} * kNanosecondsPerDay;
  constexpr Int128 kEnd = Int128{2932897} * kNanosecondsPerDay;
  if (moment.nanoseconds < kFirst || moment.nanoseconds >= kEnd) return std::nullopt;
  return moment;
}

std::string DateToText(int64_t days) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::string TimeOfDayToText(int64_t nanoseconds) {
  std::string text = fmt::format("{:02}:{:02}:{:02}", nanoseconds / kNanosecondsPerHour,
                                 nanoseconds / kNanosecondsPerMinute % 60, nanoseconds / kNanosecondsPerSecond % 60);
  if (const int64_t fraction = nanoseconds % kNanosecondsPerSecond; fraction != 0) {
    text += fmt::format(".{:09}", fraction);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

std::string TimestampToText(Int128 nanoseconds) {
  Int128 days = nanoseconds / kNanosecondsPerDay;
  if (nanoseconds % kNanosecondsPerDay < 0) --days;
  return DateToText(static_cast<int64_t>(days)) + " " +
         TimeOfDayToText(static_cast<int64_t>(nanoseconds - days * kNanosecondsPerDay));
}

}  // namespace reelhouse
