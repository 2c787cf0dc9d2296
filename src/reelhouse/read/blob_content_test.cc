#include "reelhouse/read/blob_content.h"

#include <string>
#include <vector>

#include <arrow/api.h>
#include <arrow/util/bit_util.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/format/blob/blob_descriptor.h"
#include "reelhouse/format/video/video_frame_descriptor.h"
#include "tests/support/arrow_json.h"
#include "tests/support/counting_file_store.h"

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BlobContent : public ::testing::Test {
 protected:
  BlobContent() {
    std::string bytes;
    for (int i = 0; i < 1000; ++i) bytes += std::to_string(i % 10);
    path_ = folder_.PathOf("data.bin");
    EXPECT_TRUE(files_.CreateNoReplace(path_, bytes).ok());
  }

  std::string Blob(int64_t offset, int64_t length) const { return BlobDescriptor{path_, offset, length}.Serialize(); }

  static std::shared_ptr<arrow::Array> Cells(const std::vector<std::optional<std::string>>& values) {
    arrow::LargeBinaryBuilder builder;
    for (const auto& value : values) {
      EXPECT_TRUE((value ? builder.Append(*value) : builder.AppendNull()).ok());
    }
    return builder.Finish().ValueOrDie();
  }

  Result<std::shared_ptr<arrow::Array>> Read(const std::shared_ptr<arrow::Array>& cells) {
    ARROW_ASSIGN_OR_RAISE(auto content, ReadBlobContent(files_, {folder_.path()}, cells));
    ARROW_RETURN_NOT_OK(content->ValidateFull());
    return content;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  CountingFileStore files_{MakeLocalFileStore({.fsync = false})};
  std::string path_;
};

TEST_F(BlobContent, FollowsDescriptorsAndKeepsContentAndNulls) {
  const std::string frame = VideoFrameDescriptor{path_, 3, 4, 17, -1, 0}.Serialize();
  auto content = Read(Cells({Blob(0, 3), std::nullopt, "raw", frame, Blob(5, 0), Blob(995, -1)})).ValueOrDie();
  EXPECT_TRUE(content->Equals(*ArrayOf(arrow::large_binary(), R"(["012", null, "raw", "3456", "", "56789"])")));
}

TEST_F(BlobContent, ReadsNearbyAndRepeatedRangesOnce) {
  std::vector<std::optional<std::string>> cells;
  for (int k = 0; k < 100; ++k) cells.emplace_back(Blob(k / 2 * 10, 10));
  auto content = Read(Cells(cells)).ValueOrDie();
  EXPECT_EQ(static_cast<const arrow::LargeBinaryArray&>(*content).GetView(99), "0123456789");
  EXPECT_EQ(files_.counts().opens, 1);
  EXPECT_EQ(files_.counts().reads, 1);
  EXPECT_EQ(files_.counts().bytes, 500);
}

TEST_F(BlobContent, KeepsTheTypeOfBinaryCells) {
  arrow::BinaryBuilder builder;
  ASSERT_TRUE(builder.Append(Blob(1, 2)).ok());
  auto content = Read(builder.Finish().ValueOrDie()).ValueOrDie();
  EXPECT_TRUE(content->Equals(*ArrayOf(arrow::binary(), R"(["12"])")));
}

TEST_F(BlobContent, ReadsCollectionsAlsoInSlices) {
  auto values = Cells({Blob(0, 1), Blob(1, 1), std::nullopt, Blob(2, 1), "x", Blob(3, 1)});
  auto offsets = ArrayOf(arrow::int32(), "[0, 2, 2, 2, 4, 6]");
  auto validity = arrow::AllocateEmptyBitmap(5).ValueOrDie();
  for (int64_t i : {0, 1, 3, 4}) arrow::bit_util::SetBit(validity->mutable_data(), i);
  auto lists = arrow::ListArray::FromArrays(*offsets, *values, arrow::default_memory_pool(), validity).ValueOrDie();
  auto type = arrow::list(arrow::large_binary());
  EXPECT_TRUE(
      Read(lists).ValueOrDie()->Equals(*ArrayOf(type, R"([["0","1"], [], null, [null,"2"], ["x","3"]])")->Slice(0)) ||
      Read(lists).ValueOrDie()->Equals(*ArrayOf(type, R"([["0","1"], null, [], [null,"2"], ["x","3"]])")));
  auto slice = Read(lists->Slice(3, 2)).ValueOrDie();
  EXPECT_TRUE(slice->Equals(*ArrayOf(type, R"([[null,"2"], ["x","3"]])"))) << slice->ToString();

  auto keys = ArrayOf(arrow::utf8(), R"(["a","b","c","d","e","f"])");
  auto maps = arrow::MapArray::FromArrays(ArrayOf(arrow::int32(), "[0, 2, 4, 6]"), keys, values).ValueOrDie();
  auto map_type = arrow::map(arrow::utf8(), arrow::large_binary());
  auto map_slice = Read(maps->Slice(1, 2)).ValueOrDie();
  EXPECT_TRUE(map_slice->Equals(*ArrayOf(map_type, R"([[["c",null],["d","2"]], [["e","x"],["f","3"]]])")))
      << map_slice->ToString();
  EXPECT_EQ(Read(lists->Slice(0, 0)).ValueOrDie()->length(), 0);
}

TEST_F(BlobContent, RefusesToReadOutsideTheRoots) {
  for (const std::string& uri : {std::string("/etc/passwd"), folder_.path() + "/../../etc/passwd", folder_.path() + "x",
                                 std::string("s3://bucket/a")}) {
    Status status = Read(Cells({BlobDescriptor{uri, 0, 1}.Serialize()})).status();
    EXPECT_THAT(status.message(), HasSubstr(uri));
    EXPECT_THAT(status.message(), HasSubstr("reelhouse.external-roots"));
    EXPECT_EQ(files_.counts().opens, 0);
  }
}

TEST_F(BlobContent, NamesRangesThatLeaveTheirFile) {
  for (const auto& [offset, length] :
       std::vector<std::pair<int64_t, int64_t>>{{990, 11}, {1001, 0}, {5, 9223372036854775807}, {2000, -1}}) {
    Status status = Read(Cells({BlobDescriptor{path_, offset, length}.Serialize()})).status();
    EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status;
    EXPECT_THAT(status.message(), HasSubstr(path_));
  }
  Status status = Read(Cells({BlobDescriptor{folder_.PathOf("gone"), 0, 1}.Serialize()})).status();
  EXPECT_TRUE(IsKind(status, ErrorKind::kFileNotFound)) << status;
}

TEST_F(BlobContent, RefusesColumnsOfOtherTypes) {
  EXPECT_TRUE(Read(ArrayOf(arrow::int64(), "[1]")).status().IsTypeError());
}

}  // namespace
}  // namespace reelhouse
