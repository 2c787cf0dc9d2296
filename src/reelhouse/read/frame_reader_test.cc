#include "reelhouse/read/frame_reader.h"

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/format/video/video_frame_descriptor.h"
#include "reelhouse/read/table_reader.h"
#include "reelhouse/scan/plan.h"
#include "reelhouse/snapshot/snapshot_store.h"
#include "tests/support/arrow_json.h"

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

std::string Pixels(const std::optional<DecodedFrame>& frame) {
  return frame ? std::string(reinterpret_cast<const char*>(frame->pixels->data()),
                             static_cast<size_t>(frame->pixels->size()))
               : "NULL";
}

// The video column of a test warehouse, and readers on it.
class FramesOfWarehouse : public ::testing::Test {
 protected:
  void Open(const std::string& name, const std::string& column = "video") {
    const std::string table_path =
        std::string(REELHOUSE_SOURCE_DIR) + "/tests/data/vectors/" + name + "/wh/robots.db/frames";
    root_ = table_path;
    auto schemas = std::make_shared<SchemaStore>(files_, table_path);
    PlanRequest request;
    request.schema = schemas->LoadLatest().ValueOrDie();
    request.snapshot = SnapshotStore(files_, table_path).Latest().ValueOrDie();
    Plan plan = MakePlan(files_, table_path, *schemas, request).ValueOrDie();
    ReadRequest read;
    read.columns = {column, "_ROW_ID"};
    TableReader reader({files_, table_path, schemas, {}}, plan, read);
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
    while (auto batch = reader.Next().ValueOrDie()) batches.push_back(batch);
    auto table = arrow::Table::FromRecordBatches(reader.schema(), batches).ValueOrDie();
    auto all = table->CombineChunksToBatch().ValueOrDie();
    cells_ = std::static_pointer_cast<arrow::LargeBinaryArray>(all->column(0));
    row_ids_ = std::static_pointer_cast<arrow::Int64Array>(all->column(1));
  }

  VideoFrameDescriptor Cell(int64_t i) const {
    return VideoFrameDescriptor::Deserialize(cells_->GetView(i)).ValueOrDie();
  }

  static std::shared_ptr<arrow::LargeBinaryArray> CellsOf(const std::vector<VideoFrameDescriptor>& descriptors) {
    arrow::LargeBinaryBuilder builder;
    for (const auto& descriptor : descriptors) EXPECT_TRUE(builder.Append(descriptor.Serialize()).ok());
    return std::static_pointer_cast<arrow::LargeBinaryArray>(builder.Finish().ValueOrDie());
  }

  std::vector<std::optional<DecodedFrame>> ReadAll() {
    return FrameReader(files_, {root_}).Read(*cells_, row_ids_.get(), {}).ValueOrDie();
  }

  std::shared_ptr<FileStore> files_ = MakeLocalFileStore();
  std::string root_;
  std::shared_ptr<arrow::LargeBinaryArray> cells_;
  std::shared_ptr<arrow::Int64Array> row_ids_;
};

TEST_F(FramesOfWarehouse, AreThoseOfASequentialDecode) {
  Open("video_two");
  auto frames = ReadAll();
  ASSERT_EQ(static_cast<int64_t>(frames.size()), cells_->length());
  for (int64_t i = 0; i < cells_->length(); ++i) {
    ASSERT_EQ(frames[i].has_value(), cells_->IsValid(i)) << i;
    if (cells_->IsNull(i)) continue;
    const VideoFrameDescriptor descriptor = Cell(i);
    VideoBytes video{files_->OpenInput(descriptor.uri).ValueOrDie(), descriptor.offset_bytes, descriptor.length_bytes,
                     "video"};
    auto decoder = FrameDecoder::Open(video, {}).ValueOrDie();
    std::vector<int64_t> from_the_start(static_cast<size_t>(descriptor.frame_index) + 1);
    for (size_t k = 0; k < from_the_start.size(); ++k) from_the_start[k] = static_cast<int64_t>(k);
    std::optional<DecodedFrame> last;
    ASSERT_TRUE(decoder
                    ->Decode(
                        from_the_start, {},
                        [&](size_t at, DecodedFrame frame) {
                          if (at + 1 == from_the_start.size()) last = std::move(frame);
                          return Status::OK();
                        },
                        [](size_t, Status why) { return why; })
                    .ok());
    EXPECT_EQ(Pixels(frames[i]), Pixels(last)) << i;
    EXPECT_EQ(frames[i]->width, 32);
    EXPECT_EQ(frames[i]->height, 24);
  }
}

TEST_F(FramesOfWarehouse, ComeInTheOrderOfTheRowsWhateverThatIs) {
  for (const char* name :
       {"video_two", "video_rolled", "no_keyframe_index", "after_replace_video", "images_as_video"}) {
    Open(name);
    auto frames = ReadAll();
    std::vector<int64_t> order;
    for (int64_t i = 0; i < cells_->length(); ++i) order.insert(order.end(), {i, i});
    std::shuffle(order.begin(), order.end(), std::mt19937(7));
    arrow::LargeBinaryBuilder builder;
    for (int64_t i : order) {
      ASSERT_TRUE((cells_->IsNull(i) ? builder.AppendNull() : builder.Append(cells_->GetView(i))).ok());
    }
    FrameReader reader(files_, {root_});
    auto shuffled = reader.Read(*builder.Finish().ValueOrDie(), nullptr, {}).ValueOrDie();
    for (size_t k = 0; k < order.size(); ++k) EXPECT_EQ(Pixels(shuffled[k]), Pixels(frames[order[k]])) << name << k;
    EXPECT_GT(reader.stats().frames_decoded, 0);
  }
}

TEST_F(FramesOfWarehouse, DoNotDependOnTheStoredKeyframeIndex) {
  Open("video_two");
  auto frames = ReadAll();
  std::vector<VideoFrameDescriptor> without, garbled, outside;
  std::vector<std::string> expected;
  for (int64_t i = 0; i < cells_->length(); ++i) {
    if (cells_->IsNull(i)) continue;
    VideoFrameDescriptor descriptor = Cell(i);
    expected.push_back(Pixels(frames[i]));
    descriptor.keyframe_index_offset_bytes += 1;
    garbled.push_back(descriptor);
    descriptor.keyframe_index_offset_bytes = int64_t{1} << 50;
    outside.push_back(descriptor);
    descriptor.keyframe_index_offset_bytes = -1;
    descriptor.keyframe_index_length_bytes = 0;
    without.push_back(descriptor);
  }
  for (const auto& descriptors : {without, garbled, outside}) {
    auto found = FrameReader(files_, {root_}).Read(*CellsOf(descriptors), nullptr, {}).ValueOrDie();
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(Pixels(found[i]), expected[i]) << i;
  }
}

TEST_F(FramesOfWarehouse, ThatAreNotThereAreNamedOrLeftOut) {
  Open("video_two");
  VideoFrameDescriptor beyond = Cell(0);
  beyond.frame_index = 9;
  auto cells = CellsOf({Cell(0), beyond, Cell(1)});
  auto row_ids = std::static_pointer_cast<arrow::Int64Array>(ArrayOf(arrow::int64(), "[70, 71, 72]"));
  FrameReader reader(files_, {root_});
  Status status = reader.Read(*cells, row_ids.get(), {}).status();
  ASSERT_TRUE(IsKind(status, ErrorKind::kVideoDecode)) << status;
  EXPECT_EQ(DetailOf(status)->fields().path, beyond.uri);
  EXPECT_EQ(DetailOf(status)->fields().row_id, 71);
  EXPECT_EQ(DetailOf(status)->fields().frame_index, 9);
  EXPECT_THAT(status.message(), HasSubstr("row id 71, frame 9"));

  FrameRequest forgiving;
  forgiving.on_error = OnFrameError::kNull;
  auto frames = reader.Read(*cells, row_ids.get(), forgiving).ValueOrDie();
  EXPECT_TRUE(frames[0].has_value());
  EXPECT_FALSE(frames[1].has_value());
  EXPECT_TRUE(frames[2].has_value());
}

TEST_F(FramesOfWarehouse, OfAPayloadBeyondItsFileAreCorrupt) {
  Open("video_two");
  VideoFrameDescriptor descriptor = Cell(0);
  descriptor.length_bytes = int64_t{1} << 40;
  FrameReader reader(files_, {root_});
  Status status = reader.Read(*CellsOf({descriptor}), nullptr, {}).status();
  EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status;
  EXPECT_THAT(status.message(), HasSubstr(descriptor.uri));
  FrameRequest forgiving;
  forgiving.on_error = OnFrameError::kNull;
  EXPECT_FALSE(reader.Read(*CellsOf({descriptor}), nullptr, forgiving).ValueOrDie()[0].has_value());
}

TEST_F(FramesOfWarehouse, OutsideTheRootsAreRefused) {
  Open("video_two");
  TemporaryFolder elsewhere = TemporaryFolder::Make().ValueOrDie();
  VideoFrameDescriptor descriptor = Cell(0);
  std::filesystem::copy_file(descriptor.uri, elsewhere.PathOf("v.video"));
  descriptor.uri = elsewhere.PathOf("v.video");
  Status status = FrameReader(files_, {root_}).Read(*CellsOf({descriptor}), nullptr, {}).status();
  EXPECT_THAT(status.message(), HasSubstr(descriptor.uri));
  EXPECT_TRUE(FrameReader(files_, {root_, elsewhere.path()}).Read(*CellsOf({descriptor}), nullptr, {}).ok());
}

TEST_F(FramesOfWarehouse, NeedVideoFrameDescriptors) {
  Open("video_two");
  FrameReader reader(files_, {root_});
  Status status = reader
                      .Read(*ArrayOf(arrow::large_binary(), R"(["no descriptor, but long enough to be one, is this"])"),
                            nullptr, {})
                      .status();
  EXPECT_TRUE(status.IsInvalid()) << status;
  EXPECT_THAT(status.message(), HasSubstr("row 0"));
  EXPECT_TRUE(reader.Read(*ArrayOf(arrow::int64(), "[1]"), nullptr, {}).status().IsTypeError());
}

TEST_F(FramesOfWarehouse, StopWithTheCaller) {
  Open("video_rolled");
  FrameReader reader(files_, {root_});
  Status status = reader.ReadInto(*cells_, nullptr, {}, [](int64_t, DecodedFrame) { return Status::IOError("full"); });
  EXPECT_TRUE(status.IsIOError()) << status;
  FrameRequest request;
  request.threads = 1;
  int asked = 0;
  request.cancelled = [&asked] { return ++asked > 5 ? Status::Cancelled("enough") : Status::OK(); };
  EXPECT_TRUE(reader.Read(*cells_, nullptr, request).status().IsCancelled());
}

}  // namespace
}  // namespace reelhouse
