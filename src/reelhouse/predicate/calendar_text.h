#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reelhouse/predicate/exact_number.h"

namespace reelhouse {

inline constexpr int32_t kNanosecondScale = 9;

/// A moment as written: nanoseconds since 1970-01-01 00:00:00, wall clock without a zone, UTC with one.
struct TimestampText {
  Int128 nanoseconds = 0;
  bool has_zone = false;
};

/// `YYYY-MM-DD`, years 1 to 9999: days since 1970-01-01. Nothing for what is no day of the calendar.
std::optional<int32_t> ParseDate(std::string_view text);

/// `HH:MM[:SS[.fffffffff]]`: nanoseconds since midnight.
std::optional<int64_t> ParseTimeOfDay(std::string_view text);

/// A date, or a date and a time with `T` or a blank between, and then perhaps `Z`, `+HH`, `+HHMM` or `+HH:MM`.
std::optional<TimestampText> ParseTimestamp(std::string_view text);

std::string DateToText(int64_t days);
/// With as many digits of the second as it has: `12:30:00`, `12:30:00.25`.
std::string TimeOfDayToText(int64_t nanoseconds);
std::string TimestampToText(Int128 nanoseconds);

}  // namespace reelhouse
