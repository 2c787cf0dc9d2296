#include "reelhouse/base/crc32.h"

#include <gtest/gtest.h>

namespace reelhouse {
namespace {

TEST(Crc32, HasTheKnownCheckValue) { EXPECT_EQ(Crc32("123456789"), 0xCBF43926u); }

TEST(Crc32, GoesOnWhereItStopped) {
  EXPECT_EQ(Crc32("56789", Crc32("1234")), 0xCBF43926u);
  EXPECT_EQ(Crc32("", Crc32("123456789")), 0xCBF43926u);
  EXPECT_EQ(Crc32(""), 0u);
}

}  // namespace
}  // namespace reelhouse
