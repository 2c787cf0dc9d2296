#include "reelhouse/media/av.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

extern "C" {
#include <libavutil/log.h>
}

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

TEST(AvLogCapture, KeepsWarningsAndErrorsOfItsThread) {
  AvLogCapture log;
  av_log(nullptr, AV_LOG_ERROR, "first %d\n", 1);
  av_log(nullptr, AV_LOG_INFO, "not this\n");
  av_log(nullptr, AV_LOG_WARNING, "second");
  av_log(nullptr, AV_LOG_WARNING, " half\n");
  std::thread([] { av_log(nullptr, AV_LOG_ERROR, "of another thread\n"); }).join();
  EXPECT_EQ(log.Take(), "first 1; second half");
  EXPECT_EQ(log.Take(), "");
}

TEST(AvLogCapture, GivesLinesToTheInnermost) {
  AvLogCapture outer;
  {
    AvLogCapture inner;
    av_log(nullptr, AV_LOG_ERROR, "inside\n");
    EXPECT_EQ(inner.lines(), "inside");
  }
  av_log(nullptr, AV_LOG_ERROR, "outside\n");
  EXPECT_EQ(outer.lines(), "outside");
}

TEST(AvLogCapture, IsBounded) {
  AvLogCapture log;
  for (int i = 0; i < 10'000; ++i) av_log(nullptr, AV_LOG_ERROR, "line %d\n", i);
  EXPECT_LE(log.lines().size(), 1100u);
}

TEST(AvFailure, SaysWhereWhatAndWhatWasLogged) {
  const Status failure = AvFailure("a.mp4", AVERROR_INVALIDDATA, "moov atom not found");
  EXPECT_TRUE(failure.IsInvalid());
  EXPECT_EQ(failure.message(), "a.mp4: Invalid data found when processing input (moov atom not found)");
  EXPECT_TRUE(AvFailure("a.mp4", AVERROR(ENOMEM)).IsOutOfMemory());
}

}  // namespace
}  // namespace reelhouse
