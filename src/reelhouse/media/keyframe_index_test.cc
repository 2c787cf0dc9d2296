#include "reelhouse/media/keyframe_index.h"

#include <zlib.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/endian.h"

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

/// The index of the first video of the vector `video_two`, as pypaimon stored it.
constexpr const char* kVideoTwo =
    "0149464b4f454449560200000003000000"
    "00000000000000002c00000000000000cc050000000000007103000000000000"
    "789c636040053a509a0526c001a17633a3701918042094232b84060027780155";

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

KeyframeIndex ThreeKeyframes() { return {{{0, 44}, {1484, 881}}, {{0, 0, 44}, {4, 2048, 955}, {8, 4096, 1345}}}; }

/// Header and ranges by hand, so that each field can be wrong.
std::string Assembled(uint32_t ranges, uint32_t keyframes, const std::string& tail) {
  std::string bytes(1, '\1');
  AppendLe64(bytes, 0x564944454F4B4649);
  AppendLe32(bytes, ranges);
  AppendLe32(bytes, keyframes);
  return bytes + tail;
}

std::string Deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string deflated(size, '\0');
  compress(reinterpret_cast<Bytef*>(deflated.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
           bytes.size());
  deflated.resize(size);
  return deflated;
}

std::string Entry(int64_t frame, int64_t pts, int64_t offset) {
  std::string bytes;
  for (const int64_t value : {frame, pts, offset}) AppendLe64(bytes, static_cast<uint64_t>(value));
  return bytes;
}

std::string Refusal(const std::string& bytes, int64_t length = 2365) {
  const auto index = KeyframeIndex::Deserialize(bytes, length);
  return index.ok() ? "accepted" : index.status().ToString();
}

TEST(KeyframeIndex, IsEmptyWithoutBytes) {
  EXPECT_EQ(KeyframeIndex().Serialize().ValueOrDie(), "");
  EXPECT_TRUE(KeyframeIndex::Deserialize("", 10).ValueOrDie().empty());
}

TEST(KeyframeIndex, HasTheBytesThatPypaimonWrites) {
  const std::string bytes = ThreeKeyframes().Serialize().ValueOrDie();
  EXPECT_EQ(bytes.size(), 81u);
  EXPECT_EQ(bytes, FromHex(kVideoTwo));
  EXPECT_EQ(KeyframeIndex::Deserialize(bytes, 2365).ValueOrDie(), ThreeKeyframes());
}

TEST(KeyframeIndex, ThinsManyKeyframesEvenly) {
  KeyframeIndex index;
  for (int64_t i = 0; i < 200'000; ++i) index.keyframes.push_back({2 * i, 512 * i, 100 * i});
  const auto read = KeyframeIndex::Deserialize(index.Serialize().ValueOrDie(), 100 * 200'000).ValueOrDie();
  ASSERT_EQ(read.keyframes.size(), 50'000u);
  EXPECT_EQ(read.keyframes[0], index.keyframes[0]);
  EXPECT_EQ(read.keyframes[1], index.keyframes[4]);
  EXPECT_EQ(read.keyframes.back(), index.keyframes[199'996]);
}

TEST(KeyframeIndex, RefusesPositionsThatDoNotRise) {
  KeyframeIndex index = ThreeKeyframes();
  index.keyframes[2].offset_bytes = 955;
  EXPECT_THAT(index.Validate(2365).ToString(), HasSubstr("frame 8: positions must rise"));
  EXPECT_FALSE(index.Serialize().ok());
  index = ThreeKeyframes();
  index.keyframes[1].pts = 0;
  EXPECT_THAT(index.Validate(2365).ToString(), HasSubstr("timestamps must rise"));
  index = ThreeKeyframes();
  index.keyframes[0].frame_index = 1;
  EXPECT_THAT(index.Validate(2365).ToString(), HasSubstr("must be frame 0, found 1"));
  index = ThreeKeyframes();
  index.metadata_ranges[1].offset_bytes = 43;
  EXPECT_THAT(index.Validate(2365).ToString(), HasSubstr("starts before 44"));
}

TEST(KeyframeIndex, RefusesWhatLiesOutsideOfTheVideo) {
  const std::string bytes = ThreeKeyframes().Serialize().ValueOrDie();
  EXPECT_THAT(Refusal(bytes, 2364), HasSubstr("outside of a video of 2364 bytes"));
  KeyframeIndex index = ThreeKeyframes();
  index.metadata_ranges = {{INT64_MAX, INT64_MAX}};
  EXPECT_THAT(index.Validate(2365).ToString(), HasSubstr("outside"));
}

TEST(KeyframeIndex, RefusesWrongHeaders) {
  const std::string bytes = ThreeKeyframes().Serialize().ValueOrDie();
  EXPECT_THAT(Refusal(bytes.substr(0, 17)), HasSubstr("expected more than 17 bytes, found 17"));
  EXPECT_THAT(Refusal("\2" + bytes.substr(1)), HasSubstr("expected version 1, found 2"));
  EXPECT_THAT(Refusal(bytes.substr(0, 1) + "x" + bytes.substr(2)), HasSubstr("magic"));
  EXPECT_THAT(Refusal(Assembled(0, 0, "abc")), HasSubstr("1 to 65536 keyframes, found 0"));
  EXPECT_THAT(Refusal(Assembled(0, 65'537, "abc")), HasSubstr("found 65537"));
  EXPECT_THAT(Refusal(Assembled(65'537, 1, "abc")), HasSubstr("at most 65536 metadata ranges, found 65537"));
  EXPECT_THAT(Refusal(Assembled(2, 1, "abc")), HasSubstr("ends inside its metadata ranges"));
}

TEST(KeyframeIndex, RefusesEntriesThatAreNotExactlyThere) {
  const std::string one = Entry(0, 0, 44);
  EXPECT_EQ(Refusal(Assembled(0, 1, Deflated(one))), "accepted");
  EXPECT_THAT(Refusal(Assembled(0, 2, Deflated(one))), HasSubstr("expected 48 bytes of entries, found 24"));
  EXPECT_THAT(Refusal(Assembled(0, 1, Deflated(one + Entry(1, 1, 45)))), HasSubstr("found more"));
  EXPECT_THAT(Refusal(Assembled(0, 1, Deflated(one) + "x")), HasSubstr("1 bytes follow the entries"));
  EXPECT_THAT(Refusal(Assembled(0, 1, Deflated(one).substr(0, 10))), HasSubstr("no complete zlib stream"));
  EXPECT_THAT(Refusal(Assembled(0, 1, "not a zlib stream")), HasSubstr("no complete zlib stream"));
}

TEST(KeyframeIndex, InflatesNoMoreThanItsCountsSay) {
  const std::string bomb = Deflated(std::string(64 << 20, '\0'));
  EXPECT_LT(bomb.size(), 100'000u);
  EXPECT_THAT(Refusal(Assembled(0, 1, bomb)), HasSubstr("expected 24 bytes of entries, found more"));
}

}  // namespace
}  // namespace reelhouse
