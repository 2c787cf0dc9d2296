#include "reelhouse/base/memory_size.h"

#include <limits>

#include <gtest/gtest.h>

namespace reelhouse {
namespace {

TEST(MemorySize, ReadsNumbersWithUnits) {
  EXPECT_EQ(*ParseMemorySize("256 mb"), 256 << 20);
  EXPECT_EQ(*ParseMemorySize("2kb"), 2048);
  EXPECT_EQ(*ParseMemorySize("1048576"), 1048576);
  EXPECT_EQ(*ParseMemorySize("  1 GiB "), int64_t{1} << 30);
  EXPECT_EQ(*ParseMemorySize("3 tb"), int64_t{3} << 40);
  EXPECT_EQ(*ParseMemorySize("7 b"), 7);
  EXPECT_EQ(*ParseMemorySize("0"), 0);
  EXPECT_EQ(*ParseMemorySize("4 KIB"), 4096);
}

TEST(MemorySize, RefusesWhatItCannotRead) {
  for (const char* text : {"", "mb", "-1 mb", "1.5 mb", "1 mbit", "1 m b", "+3", "0x10", "9223372036854775808"}) {
    EXPECT_TRUE(ParseMemorySize(text).status().IsInvalid()) << text;
  }
  EXPECT_TRUE(ParseMemorySize("9000000000000 tb").status().IsInvalid());
  EXPECT_EQ(ParseMemorySize("12 mbit").status().message(),
            "memory size `12 mbit`: unknown unit `mbit`; expected `256 mb`, `64 kb`, `1 gb` or a number of bytes");
}

TEST(MemorySize, FormatsForPeople) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(1024), "1.0 KiB");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatBytes((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(FormatBytes(int64_t{20} << 30), "20.0 GiB");
  EXPECT_EQ(FormatBytes(-2048), "-2.0 KiB");
  EXPECT_EQ(FormatBytes(std::numeric_limits<int64_t>::max()), "8.0 EiB");
  EXPECT_EQ(FormatBytes(std::numeric_limits<int64_t>::min()), "-8.0 EiB");
}

}  // namespace
}  // namespace reelhouse
