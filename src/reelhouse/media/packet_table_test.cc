#include "reelhouse/media/packet_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/media/coded_picture.h"
#include "reelhouse/media/video_reader.h"
#include "tests/support/test_video.h"

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

/// A table of packets with these presentation times; negative ones are discarded.
PacketTable TableOf(const std::vector<int64_t>& times) {
  PacketTable table;
  const AvPacket packet(av_packet_alloc());
  for (size_t i = 0; i < times.size(); ++i) {
    packet->pts = times[i];
    packet->dts = static_cast<int64_t>(i);
    packet->pos = static_cast<int64_t>(100 * i);
    packet->flags = (i % 4 == 0 ? AV_PKT_FLAG_KEY : 0) | (times[i] < 0 ? AV_PKT_FLAG_DISCARD : 0);
    EXPECT_TRUE(table.Append(*packet, nullptr).ok());
  }
  return table;
}

PacketTable TableOf(const std::string& name, bool is_parsing) {
  const auto source = VideoSource::Open(TestVideo(name)).ValueOrDie();
  const auto reader = VideoReader::Open(source, {.is_probing = is_parsing, .is_parsing = is_parsing}).ValueOrDie();
  CodedPictureReader pictures(reader->parameters());
  return PacketTable::Read(*reader, &pictures).ValueOrDie();
}

std::vector<bool> KeysOf(const PacketTable& table, const FrameOrder& order) {
  std::vector<bool> keys;
  for (int64_t frame = 0; frame < order.frame_count(); ++frame) keys.push_back(table[order.packet_of(frame)].is_key);
  return keys;
}

TEST(PacketTable, OrdersFramesByTimeAndLeavesOutDiscardedOnes) {
  const FrameOrder order = TableOf({-1, 3, 1, 2, 4}).OrderByTime().ValueOrDie();
  ASSERT_EQ(order.frame_count(), 4);
  EXPECT_EQ(order.packet_of(0), 2);
  EXPECT_EQ(order.packet_of(2), 1);
  EXPECT_EQ(order.frame_of(4), 3);
  EXPECT_EQ(order.frame_of(0), -1);
  EXPECT_EQ(order.frame_of(99), -1);
}

TEST(PacketTable, HasNoOrderWhereTimesAreEqualOrMissing) {
  EXPECT_THAT(TableOf({0, 1, 1}).OrderByTime().status().ToString(), HasSubstr("shares its time"));
  const int64_t none = AV_NOPTS_VALUE;
  PacketTable table = TableOf({0, 1});
  table.at(1).pts = none;
  EXPECT_THAT(table.OrderByTime().status().ToString(), HasSubstr("packet 1 has no presentation time"));
}

TEST(PacketTable, MeasuresHowFarPicturesAreReordered) {
  EXPECT_EQ(TableOf({0, 1, 2, 3}).ReorderDepth(), 0);
  EXPECT_EQ(TableOf({0, 4, 2, 1, 3}).ReorderDepth(), 2);
  std::vector<int64_t> backwards;
  for (int64_t i = 100; i > 0; --i) backwards.push_back(i);
  EXPECT_EQ(TableOf(backwards).ReorderDepth(), 0) << "decoders abort on depths that no stream has";
}

TEST(KeyframesOfPackets, AreListedWithTimeAndPosition) {
  const PacketTable table = TableOf({0, 3, 1, 2, 7, 5, 4, 6});
  const FrameOrder order = table.OrderByTime().ValueOrDie();
  const KeyframeIndex index = MakeKeyframeIndex(table, order, KeysOf(table, order), {{0, 9}});
  ASSERT_EQ(index.keyframes.size(), 2u);
  EXPECT_EQ(index.keyframes[1], (KeyframeIndex::Keyframe{7, 7, 400}));
  EXPECT_EQ(index.metadata_ranges.size(), 1u);
}

TEST(KeyframesOfPackets, AreNoneWhereTheFormatCannotSayThem) {
  PacketTable table = TableOf({1, 0, 2, 3, 4});
  FrameOrder order = table.OrderByTime().ValueOrDie();
  EXPECT_TRUE(MakeKeyframeIndex(table, order, KeysOf(table, order), {}).empty()) << "the first frame is no key";
  table = TableOf({0, 1, 2, 3, 4});
  order = table.OrderByTime().ValueOrDie();
  EXPECT_EQ(MakeKeyframeIndex(table, order, KeysOf(table, order), {}).keyframes.size(), 2u);
  table.at(4).offset_bytes = 0;
  EXPECT_TRUE(MakeKeyframeIndex(table, order, KeysOf(table, order), {}).empty()) << "positions do not rise";
}

TEST(PacketTable, IsTheSameWithoutTheParserOfFfmpeg) {
  for (const char* name :
       {"bframes.mp4", "open_gop264.mp4", "intra_refresh.mp4", "edit_list.mp4", "fragmented.mp4", "cropped.mp4"}) {
    const PacketTable parsed = TableOf(name, true);
    const PacketTable plain = TableOf(name, false);
    ASSERT_EQ(plain.size(), parsed.size()) << name;
    for (int64_t i = 0; i < parsed.size(); ++i) {
      EXPECT_EQ(plain[i].pts, parsed[i].pts) << name << ", packet " << i;
      EXPECT_EQ(plain[i].offset_bytes, parsed[i].offset_bytes) << name << ", packet " << i;
      EXPECT_EQ(plain[i].size_bytes, parsed[i].size_bytes) << name << ", packet " << i;
      EXPECT_EQ(plain[i].is_discarded, parsed[i].is_discarded) << name << ", packet " << i;
      const bool is_key = parsed[i].is_key && parsed[i].start >= DecodeStart::kLoose;
      EXPECT_EQ(plain[i].is_key, is_key) << name << ", packet " << i;
    }
  }
}

}  // namespace
}  // namespace reelhouse
