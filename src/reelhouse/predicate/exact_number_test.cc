#include "reelhouse/predicate/exact_number.h"

#include <limits>

#include <gtest/gtest.h>

#include "reelhouse/predicate/calendar_text.h"

namespace reelhouse {
namespace {

using Place = GridPosition::Place;

TEST(DecimalText, TakesNumbersAndNothingElse) {
  for (const char* text : {"0", "1", "-1", "+1", "1.", ".5", "-.5e-3", "1e3", "1E+3", "00012.5000"}) {
    EXPECT_TRUE(DecimalText::Parse(text).has_value()) << text;
  }
  for (const char* text : {"", "-", ".", "e3", "1e", "1e+", "1_0", "0x1", "1.2.3", " 1", "1 ", "NaN", "--1", "1,5"}) {
    EXPECT_FALSE(DecimalText::Parse(text).has_value()) << text;
  }
}

TEST(DecimalText, FindsItsPlaceOnAGrid) {
  const auto place = [](std::string_view text, int32_t scale) { return DecimalText::Parse(text)->PlaceOnGrid(scale); };
  EXPECT_EQ(place("1.5", 1).place, Place::kOn);
  EXPECT_TRUE(place("1.5", 1).floor == 15);
  EXPECT_EQ(place("1.5", 0).place, Place::kAbove);
  EXPECT_TRUE(place("1.5", 0).floor == 1);
  EXPECT_TRUE(place("-1.5", 0).floor == -2);
  EXPECT_TRUE(place("-1e-30", 0).floor == -1);
  EXPECT_TRUE(place("1200e-2", 0).floor == 12);
  EXPECT_EQ(place("1200e-2", 0).place, Place::kOn);
  EXPECT_EQ(place("1e38", 0).place, Place::kBeyondMax);
  EXPECT_EQ(place("-1e38", 0).place, Place::kBeyondMin);
  EXPECT_EQ(place("0e999999999999999999999", 0).place, Place::kOn);
}

TEST(ExactNumber, ComparesAcrossScalesWithoutOverflow) {
  const Int128 huge = PowerOfTen(38);
  EXPECT_EQ(CompareNumbers({15, 1}, {150, 2}), 0);
  EXPECT_LT(CompareNumbers({15, 1}, {151, 2}), 0);
  EXPECT_GT(CompareNumbers({151, 2}, {15, 1}), 0);
  EXPECT_LT(CompareNumbers({-151, 2}, {-15, 1}), 0);
  EXPECT_GT(CompareNumbers({huge, 0}, {huge, 38}), 0);
  EXPECT_LT(CompareNumbers({-huge, 0}, {huge, 38}), 0);
  EXPECT_LT(CompareNumbers({0, 0}, {1, 60}), 0);
}

TEST(ExactNumber, WritesItsPoint) {
  EXPECT_EQ(ToText(ExactNumber{-5, 2}), "-0.05");
  EXPECT_EQ(ToText(ExactNumber{110, 2}), "1.10");
  EXPECT_EQ(ToText(ExactNumber{0, 0}), "0");
  EXPECT_EQ(ToText(ExactNumber{PowerOfTen(38) - 1, 38}), "0.99999999999999999999999999999999999999");
}

TEST(CalendarText, TakesOnlyDaysOfTheCalendar) {
  EXPECT_EQ(ParseDate("1970-01-01"), 0);
  EXPECT_EQ(ParseDate("2024-02-29"), 19782);
  EXPECT_EQ(ParseDate("0001-01-01"), -719162);
  for (const char* text : {"2023-02-29", "2024-13-01", "2024-00-01", "2024-01-32", "0000-01-01", "24-01-01", "2024-1-1",
                           "2024-01-01 ", "20240101", "+2024-01-01", "10000-01-01", ""}) {
    EXPECT_FALSE(ParseDate(text).has_value()) << text;
  }
  EXPECT_EQ(DateToText(-719162), "0001-01-01");
}

TEST(CalendarText, TakesTimesUpToNanoseconds) {
  EXPECT_EQ(ParseTimeOfDay("00:00"), 0);
  EXPECT_EQ(ParseTimeOfDay("23:59:59.999999999"), 86399999999999);
  EXPECT_EQ(ParseTimeOfDay("00:00:00.5"), 500000000);
  for (const char* text : {"24:00", "12:60", "12:00:60", "12", "1:00", "12:00:00.", "12:00:00.1234567890", "12:00Z"}) {
    EXPECT_FALSE(ParseTimeOfDay(text).has_value()) << text;
  }
  EXPECT_EQ(TimeOfDayToText(1500000001), "00:00:01.500000001");
}

TEST(CalendarText, TakesTimestampsWithAndWithoutAZone) {
  const auto seconds = [](std::string_view text) {
    return static_cast<int64_t>(ParseTimestamp(text)->nanoseconds / 1000000000);
  };
  EXPECT_EQ(seconds("1970-01-02"), 86400);
  EXPECT_EQ(seconds("1970-01-01T01:00"), 3600);
  EXPECT_EQ(seconds("1970-01-01 01:00:00 +01:00"), 0);
  EXPECT_EQ(seconds("1970-01-01 00:00:00-08"), 28800);
  EXPECT_TRUE(ParseTimestamp("1970-01-01 00:00:00z")->has_zone);
  EXPECT_FALSE(ParseTimestamp("1970-01-01 00:00:00")->has_zone);
  for (const char* text : {"1970-01-01Z", "1970-01-01 ", "1970-01-01 00:00:00+24:00", "1970-01-01 00:00:00+1",
                           "0001-01-01 00:00:00+01:00", "9999-12-31 23:00:00-02:00", "1970-01-01 00:00:00 UTC"}) {
    EXPECT_FALSE(ParseTimestamp(text).has_value()) << text;
  }
  EXPECT_EQ(TimestampToText(-1), "1969-12-31 23:59:59.999999999");
}

}  // namespace
}  // namespace reelhouse
