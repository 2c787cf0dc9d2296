#include "reelhouse/media/rational.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelhouse {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(FrameRate, KeepsFractionsExactly) {
  EXPECT_EQ(ParseFrameRate("30").ValueOrDie(), (Rational{30, 1}));
  EXPECT_EQ(ParseFrameRate("30000/1001").ValueOrDie(), (Rational{30000, 1001}));
  EXPECT_EQ(ParseFrameRate("1/7").ValueOrDie(), (Rational{1, 7}));
}

TEST(FrameRate, RefusesWhatIsNoPositiveFractionWithTheWayOut) {
  for (const char* text : {"", "0", "-1", "+1", "1/0", "0/5", "/2", "2/", "1/2/3", " 30", "30 ", "ntsc", "29.97", "3e1",
                           "2147483648", "99999999999999999999"}) {
    const Status status = ParseFrameRate(text).status();
    EXPECT_TRUE(status.IsInvalid()) << text;
    EXPECT_THAT(status.message(), StartsWith("fps must be a positive int")) << text;
  }
  EXPECT_THAT(ParseFrameRate("29.97").status().message(), HasSubstr("30000/1001"));
  EXPECT_THAT(ParseFrameRate("23.976").status().message(), HasSubstr("24000/1001"));
}

}  // namespace
}  // namespace reelhouse
