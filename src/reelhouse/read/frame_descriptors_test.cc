#include "reelhouse/read/frame_descriptors.h"

#include <arrow/array.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

TEST(MakeFrameDescriptors, GivesEachRowTheFrameOfItsRun) {
  const std::vector<std::string> uris = {"file:/a.video", "file:/longer name.video"};
  VideoFrameDescriptor first{.offset_bytes = 10, .length_bytes = 500};
  first.keyframe_index_offset_bytes = 600;
  first.keyframe_index_length_bytes = 7;
  const VideoFrameDescriptor second{.offset_bytes = 0, .length_bytes = 900};
  // Every third row of 150,000: some in the first video, then none, then in the second from frame 4 on.
  std::vector<int64_t> positions;
  for (int64_t position = 0; position < 150000; position += 3) positions.push_back(position);
  const std::vector<FrameRun> runs = {
      {20000, 0, first, 0}, {10, FrameRun::kNull, {}, 0}, {29990, 1, second, 4 - positions[20010]}};
  for (const bool use_threads : {false, true}) {
    const auto made = MakeFrameDescriptors(uris, runs, positions, use_threads).ValueOrDie();
    ASSERT_TRUE(made->ValidateFull().ok());
    ASSERT_EQ(made->length(), 50000);
    EXPECT_EQ(made->null_count(), 10);
    const auto& cells = static_cast<const arrow::LargeBinaryArray&>(*made);
    for (int64_t row = 0; row < cells.length(); ++row) {
      ASSERT_EQ(cells.IsNull(row), row >= 20000 && row < 20010) << row;
      if (cells.IsNull(row)) continue;
      VideoFrameDescriptor expected = row < 20000 ? first : second;
      expected.uri = uris[row < 20000 ? 0 : 1];
      expected.frame_index = row < 20000 ? positions[row] : 4 + positions[row] - positions[20010];
      ASSERT_EQ(cells.GetView(row), expected.Serialize()) << row;
    }
  }
}

TEST(MakeFrameDescriptors, TakesNoRowsAndRefusesRunsOfOtherRows) {
  EXPECT_EQ(MakeFrameDescriptors({}, {}, {}, true).ValueOrDie()->length(), 0);
  const std::vector<int64_t> positions = {0, 1};
  EXPECT_THAT(MakeFrameDescriptors({"u"}, {{1, 0, {}, 0}}, positions, true).status().message(),
              HasSubstr("1 rows for 2 positions"));
}

}  // namespace
}  // namespace reelhouse
