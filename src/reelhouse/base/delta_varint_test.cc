#include "reelhouse/base/delta_varint.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace reelhouse {
namespace {

using namespace std::string_literals;

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();

void ExpectBytes(std::vector<int64_t> values, std::string_view bytes) {
  EXPECT_EQ(EncodeDeltaVarints(values), bytes);
  Result<std::vector<int64_t>> decoded = DecodeDeltaVarints(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(*decoded, values);
}

TEST(DeltaVarint, EncodesTheWorkedExamplesOfTheFormat) {
  ExpectBytes({2365, 2091}, "\xFA\x24\xA3\x04"s);
  ExpectBytes({81, 81}, "\xA2\x01\x00"s);
  ExpectBytes({9, 5}, "\x12\x07"s);
  ExpectBytes({0, 1}, "\x00\x02"s);
  ExpectBytes({0, 0}, "\x00\x00"s);
  ExpectBytes({2, 4, 2}, "\x04\x04\x03"s);
  ExpectBytes({-1, 0, -1}, "\x01\x02\x01"s);
  ExpectBytes({0, 3, 0}, "\x00\x06\x05"s);
}

TEST(DeltaVarint, AnEmptySequenceIsZeroBytes) { ExpectBytes({}, ""); }

TEST(DeltaVarint, HoldsTheWholeRangeOf64Bits) {
  ExpectBytes({kHighest}, "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"s);
  ExpectBytes({kLowest}, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"s);
  const std::vector<int64_t> values{kHighest, 0, kLowest, -1};
  ExpectBytes(values, EncodeDeltaVarints(values));
}

TEST(DeltaVarint, RefusesASumThatLeaves64Bits) {
  // 1 more than the highest number.
  const std::string bytes = EncodeDeltaVarints(std::vector<int64_t>{kHighest}) + "\x02";
  Result<std::vector<int64_t>> decoded = DecodeDeltaVarints(bytes);
  ASSERT_TRUE(decoded.status().IsInvalid());
  EXPECT_EQ(decoded.status().message(), "delta varints: number at byte 10: the running sum leaves 64 bits");
  EXPECT_FALSE(DecodeDeltaVarints(EncodeDeltaVarints(std::vector<int64_t>{kLowest}) + "\x01").ok());
}

TEST(DeltaVarint, RefusesACutNumber) {
  Result<std::vector<int64_t>> decoded = DecodeDeltaVarints("\x02\x80"s);
  ASSERT_TRUE(decoded.status().IsInvalid());
  EXPECT_EQ(decoded.status().message(), "delta varints: number at byte 1: cut off by the end of the bytes");
  EXPECT_FALSE(DecodeDeltaVarints("\xff\xff\xff\xff\xff\xff\xff\xff\xff"s).ok());
}

TEST(DeltaVarint, RefusesMoreThanTenBytesOr64Bits) {
  EXPECT_FALSE(DecodeDeltaVarints("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"s).ok());
  EXPECT_FALSE(DecodeDeltaVarints("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02"s).ok());
  EXPECT_TRUE(DecodeDeltaVarints("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"s).ok());
  // Longer than needed, yet within ten bytes: read.
  EXPECT_EQ(*DecodeDeltaVarints("\x82\x80\x00"s), std::vector<int64_t>{1});
}

TEST(DeltaVarint, RoundTripsRandomSequences) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> values(random() % 50);
    // Half of the range, so that no difference leaves 64 bits.
    for (int64_t& value : values) value = static_cast<int64_t>(random()) >> (1 + random() % 63);
    Result<std::vector<int64_t>> decoded = DecodeDeltaVarints(EncodeDeltaVarints(values));
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(*decoded, values);
  }
}

}  // namespace
}  // namespace reelhouse
