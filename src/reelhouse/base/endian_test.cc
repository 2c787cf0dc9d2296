#include "reelhouse/base/endian.h"

#include <gtest/gtest.h>

namespace reelhouse {
namespace {

TEST(Endian, LoadsFromUnalignedAddresses) {
  const unsigned char bytes[] = {0xff, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08};
  EXPECT_EQ(LoadLe16(bytes + 1), 0x0201u);
  EXPECT_EQ(LoadLe32(bytes + 1), 0x04030201u);
  EXPECT_EQ(LoadLe64(bytes + 1), 0x0807060504030201u);
  EXPECT_EQ(LoadBe16(bytes + 1), 0x0102u);
  EXPECT_EQ(LoadBe32(bytes + 1), 0x01020304u);
  EXPECT_EQ(LoadBe64(bytes + 1), 0x0102030405060708u);
}

TEST(Endian, StoresAndAppendsWhatItLoads) {
  unsigned char bytes[9] = {};
  StoreLe64(bytes + 1, 0x1122334455667788u);
  EXPECT_EQ(LoadLe64(bytes + 1), 0x1122334455667788u);
  StoreBe32(bytes + 1, 0x11223344u);
  EXPECT_EQ(bytes[1], 0x11);
  StoreLe32(bytes + 3, 0x11223344u);
  EXPECT_EQ(bytes[3], 0x44);

  std::string text;
  AppendLe32(text, 4);
  AppendBe32(text, 4);
  AppendLe64(text, 1);
  AppendLe16(text, 0x0102);
  AppendBe16(text, 0x0102);
  AppendBe64(text, 1);
  EXPECT_EQ(text, std::string("\4\0\0\0"
                              "\0\0\0\4"
                              "\1\0\0\0\0\0\0\0"
                              "\2\1"
                              "\1\2"
                              "\0\0\0\0\0\0\0\1",
                              28));
}

}  // namespace
}  // namespace reelhouse
