#include "reelhouse/base/duration.h"

#include <gtest/gtest.h>

namespace reelhouse {
namespace {

TEST(Duration, ReadsNumbersWithUnits) {
  EXPECT_EQ(*ParseDurationMillis("10 ms"), 10);
  EXPECT_EQ(*ParseDurationMillis("30 s"), 30000);
  EXPECT_EQ(*ParseDurationMillis("5 min"), 300000);
  EXPECT_EQ(*ParseDurationMillis("2 h"), 7200000);
  EXPECT_EQ(*ParseDurationMillis("1 d"), 86400000);
  EXPECT_EQ(*ParseDurationMillis("1d"), 86400000);
  EXPECT_EQ(*ParseDurationMillis("2 Days"), 172800000);
  EXPECT_EQ(*ParseDurationMillis("250"), 250);
}

TEST(Duration, RefusesWhatItCannotRead) {
  for (const char* text : {"", "d", "1 year", "-1 d", "1.5 h", "1 h 30 min"}) {
    EXPECT_TRUE(ParseDurationMillis(text).status().IsInvalid()) << text;
  }
  EXPECT_TRUE(ParseDurationMillis("9223372036854775807 d").status().IsInvalid());
}

}  // namespace
}  // namespace reelhouse
