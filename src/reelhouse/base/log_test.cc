#include "reelhouse/base/log.h"

#include <gtest/gtest.h>

namespace reelhouse {
namespace {

TEST(Log, WritesWarningsButNotDetailsUnlessAsked) {
  if (MostVerboseLogLevel() != LogLevel::kWarning) GTEST_SKIP() << "REELHOUSE_LOG is set";
  testing::internal::CaptureStderr();
  Log(LogLevel::kWarning, "disk is slow");
  Log(LogLevel::kInfo, "not this");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "reelhouse: warning: disk is slow\n");
  EXPECT_FALSE(IsLogged(LogLevel::kOff));
}

}  // namespace
}  // namespace reelhouse
