#include "reelhouse/media/h264_keyframe.h"

#include <string>

#include <gtest/gtest.h>

namespace reelhouse {
namespace {

bool IsKey(const std::string& bytes, bool is_length_prefixed) {
  return IsH264Keyframe({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, is_length_prefixed);
}

std::string WithStartCode(const std::string& unit) { return std::string("\0\0\0\1", 4) + unit; }
std::string WithLength(const std::string& unit) {
  return std::string("\0\0\0", 3) + static_cast<char>(unit.size()) + unit;
}

const std::string kIdr("\x65\x88\x84", 3);
const std::string kSlice("\x41\x9a\x24", 3);
const std::string kRecoversNow("\x06\x06\x01\xc4\x80", 5);
const std::string kRecoversLater("\x06\x06\x01\x4c\x80", 5);
const std::string kUserData("\x06\x05\x03\x01\x02\x03\x80", 7);

TEST(H264Keyframe, IsAnIdrSliceOrARecoveryPointThatNeedsNoMoreFrames) {
  for (auto* framed : {WithStartCode, WithLength}) {
    const bool prefixed = framed == WithLength;
    EXPECT_TRUE(IsKey(framed(kIdr), prefixed));
    EXPECT_TRUE(IsKey(framed(kUserData) + framed(kIdr), prefixed));
    EXPECT_TRUE(IsKey(framed(kUserData) + framed(kRecoversNow) + framed(kSlice), prefixed));
    EXPECT_FALSE(IsKey(framed(kSlice), prefixed));
    EXPECT_FALSE(IsKey(framed(kRecoversLater) + framed(kSlice), prefixed));
    EXPECT_FALSE(IsKey("", prefixed));
  }
}

TEST(H264Keyframe, IsNoneInCutBytes) {
  const std::string prefixed = WithLength(kUserData) + WithLength(kRecoversNow);
  const std::string annex_b = WithStartCode(kUserData) + WithStartCode(kRecoversNow);
  for (size_t length = 0; length < prefixed.size(); ++length) EXPECT_FALSE(IsKey(prefixed.substr(0, length), true));
  for (size_t length = 0; length + 2 < annex_b.size(); ++length) EXPECT_FALSE(IsKey(annex_b.substr(0, length), false));
}

}  // namespace
}  // namespace reelhouse
