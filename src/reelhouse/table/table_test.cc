#include "reelhouse/table/table.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/table/connection.h"
#include "tests/support/fault_walk.h"

namespace reelhouse {
namespace {

constexpr int kWidth = 64, kHeight = 48;

/// Gray pictures whose brightness tells their number.
class NumberedPictures final : public ImageSource {
 public:
  explicit NumberedPictures(int count) : count_(count) {}

  Result<std::optional<ImageInput>> Next() override {
    if (next_ == count_) return std::nullopt;
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> pixels, arrow::AllocateBuffer(kWidth * kHeight));
    std::fill_n(pixels->mutable_data(), pixels->size(), static_cast<uint8_t>(20 + 10 * next_++));
    return RawImage{std::move(pixels), RawImage::Layout::kGray8, kWidth, kHeight, kWidth};
  }

 private:
  int count_;
  int next_ = 0;
};

class TableTest : public testing::Test {
 protected:
  static std::shared_ptr<arrow::Schema> Columns() {
    return arrow::schema({arrow::field("id", arrow::int64()), arrow::field("blob", arrow::large_binary()),
                          arrow::field("front", arrow::large_binary()), arrow::field("wrist", arrow::large_binary())});
  }

  static RowInput Rows(int64_t count) {
    arrow::Int64Builder ids;
    arrow::LargeBinaryBuilder blobs;
    for (int64_t i = 0; i < count; ++i) {
      EXPECT_TRUE(ids.Append(i).ok());
      EXPECT_TRUE(blobs.Append("content " + std::to_string(i)).ok());
    }
    auto schema = arrow::schema({arrow::field("id", arrow::int64()), arrow::field("blob", arrow::large_binary())});
    auto batch = arrow::RecordBatch::Make(schema, count, {ids.Finish().ValueOrDie(), blobs.Finish().ValueOrDie()});
    return RowInput{arrow::RecordBatchReader::Make({batch}, schema).ValueOrDie()};
  }

  static EpisodeInput Episode(int front, int wrist, int64_t rows) {
    EpisodeInput episode;
    EncodingOptions encoding;
    encoding.fps = {30, 1};
    encoding.codec_options.emplace().emplace_back("preset", "ultrafast");
    episode.cameras["front"] = {std::make_shared<NumberedPictures>(front), encoding};
    if (wrist >= 0) episode.cameras["wrist"] = {std::make_shared<NumberedPictures>(wrist), encoding};
    episode.rows = Rows(rows);
    return episode;
  }

  std::shared_ptr<Connection> Connect(std::shared_ptr<FileStore> files = MakeLocalFileStore({.fsync = false})) {
    return Connection::Open({{"warehouse", folder_.path()}}, "robots", std::move(files)).ValueOrDie();
  }

  Table MakeTable() {
    CreateTableOptions options;
    options.options = {{"video-frame-field", "front,wrist"}};
    return Connect()->CreateTable("frames", *Columns(), options).ValueOrDie();
  }

  std::vector<std::string> FilesOnDisk() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      if (entry.is_regular_file()) names.push_back(std::filesystem::relative(entry.path(), folder_.path()).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  /// Brightness of the frames of a column, to the number that the picture had.
  static std::vector<int> NumbersShown(const Table& table, const std::string& column) {
    FrameRequest request;
    request.format.pixels = FrameFormat::Pixels::kGray8;
    std::vector<int> numbers;
    for (const auto& frame : table.Scan().ReadFrames(column, request).ValueOrDie()) {
      numbers.push_back(frame ? (frame->pixels->data()[kWidth * kHeight / 2] - 15) / 10 : -1);
    }
    return numbers;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make("table").ValueOrDie();
};

TEST_F(TableTest, CamerasOfAnEpisodeAreEncodedSideBySideIntoOneCommit) {
  Table table = MakeTable();
  Snapshot snapshot = *table.AddImagesAsVideo(Episode(6, 6, 6)).ValueOrDie();
  EXPECT_EQ(snapshot.id, 1);
  EXPECT_THAT(NumbersShown(table, "front"), testing::ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(NumbersShown(table, "wrist"), testing::ElementsAre(0, 1, 2, 3, 4, 5));
  VerifyReport report = table.Verify({.deep = true}).ValueOrDie();
  EXPECT_TRUE(report.ok()) << report.ToText();
}

TEST_F(TableTest, OneCameraWithTooFewImagesFailsAllAndLeavesNothing) {
  Table table = MakeTable();
  const std::vector<std::string> before = FilesOnDisk();
  Status failed = table.AddImagesAsVideo(Episode(6, 5, 6)).status();
  EXPECT_THAT(failed.message(), testing::HasSubstr("wrist"));
  EXPECT_THAT(failed.message(), testing::HasSubstr("Image count 5 does not match frame row count 6."));
  EXPECT_EQ(FilesOnDisk(), before);
}

TEST_F(TableTest, EpisodesKeepTheOrderOfTheItemsWhateverWorkerIsFaster) {
  Table table = MakeTable();
  int made = 0;
  EpisodeInputs episodes;
  episodes.next = [&]() -> Result<std::optional<EpisodeInput>> {
    if (made == 7) return std::nullopt;
    ++made;
    return Episode(made, -1, made);
  };
  ASSERT_TRUE(table.AddImagesAsVideos(std::move(episodes)).ok());
  std::vector<int> wanted;
  for (int episode = 1; episode <= 7; ++episode) {
    for (int frame = 0; frame < episode; ++frame) wanted.push_back(frame);
  }
  EXPECT_EQ(NumbersShown(table, "front"), wanted);
  EXPECT_EQ(table.LatestSnapshot().ValueOrDie()->id, 1);
}

TEST_F(TableTest, CancellationEndsEncodingAndLeavesNothing) {
  Table table = MakeTable();
  const std::vector<std::string> before = FilesOnDisk();
  WriteOptions options;
  int asked = 0;
  options.cancelled = [&]() -> Status { return ++asked > 3 ? Status::Cancelled("stop") : Status::OK(); };
  EXPECT_TRUE(table.AddImagesAsVideo(Episode(200, 200, 200), options).status().IsCancelled());
  EXPECT_EQ(FilesOnDisk(), before);
}

TEST_F(TableTest, QueriesRefuseUnknownColumnsAndCountWithoutReading) {
  Table table = MakeTable();
  ASSERT_TRUE(table.Add(Rows(5)).ok());
  Query query = table.Scan();
  EXPECT_THAT(query.Select({"idd"}).message(), testing::HasSubstr("Did you mean 'id'?"));
  EXPECT_THAT(query.Where("idd = 1").message(), testing::HasSubstr("idd"));
  EXPECT_EQ(query.Count().ValueOrDie(), 5);
  ASSERT_TRUE(query.Where("id >= 3").ok());
  EXPECT_EQ(query.Count().ValueOrDie(), 2);
  EXPECT_EQ(table.TakeRowIds({4, 0, 4, 99, -1}).ToTable().ValueOrDie()->num_rows(), 2);
}

TEST_F(TableTest, AtEveryFaultAnAppendIsThereWholeOrLeavesNothing) {
  for (FaultMoment moment : {FaultMoment::kBefore, FaultMoment::kAfter}) {
    std::vector<std::string> before;
    int64_t points = WalkFaults(
        moment,
        [&](const std::shared_ptr<FileStore>& faulty) -> Status {
          folder_ = TemporaryFolder::Make("table").ValueOrDie();
          MakeTable();
          before = FilesOnDisk();
          ARROW_ASSIGN_OR_RAISE(Table table, Connect(faulty)->GetTable("frames"));
          return table.AddImagesAsVideo(Episode(3, -1, 3)).status();
        },
        [&](const Status& outcome, const StorageCall& failed) {
          Table table = Connect()->GetTable("frames").ValueOrDie();
          const int64_t rows = table.Scan().Count().ValueOrDie();
          if (outcome.ok()) {
            EXPECT_EQ(rows, 3);
            EXPECT_TRUE(table.Verify().ValueOrDie().ok());
          } else if (!IsKind(outcome, ErrorKind::kCommitUnknown)) {
            EXPECT_EQ(rows, 0) << outcome;
            EXPECT_EQ(FilesOnDisk(), before) << outcome;
          }
        });
    EXPECT_GT(points, 15);
  }
}

TEST_F(TableTest, AtEveryFaultATableIsCreatedWithItsRowsOrNotAtAll) {
  for (FaultMoment moment : {FaultMoment::kBefore, FaultMoment::kAfter}) {
    WalkFaults(
        moment,
        [&](const std::shared_ptr<FileStore>& faulty) -> Status {
          folder_ = TemporaryFolder::Make("table").ValueOrDie();
          CreateTableOptions options;
          options.data = Rows(3);
          return Connect(faulty)->CreateTable("frames", *Columns(), options).status();
        },
        [&](const Status& outcome, const StorageCall& failed) {
          Result<Table> table = Connect()->GetTable("frames");
          if (table.ok()) {
            EXPECT_EQ(table->Scan().Count().ValueOrDie(), 3);
          } else {
            EXPECT_FALSE(outcome.ok());
          }
        });
  }
}

TEST_F(TableTest, VerifyNamesWhatIsMissingOrCut) {
  Table table = MakeTable();
  ASSERT_TRUE(table.AddImagesAsVideo(Episode(3, -1, 3)).ok());
  for (const std::string& name : FilesOnDisk()) {
    const std::string path = folder_.PathOf(name);
    if (name.ends_with(".video") && std::filesystem::file_size(path) > 100) std::filesystem::resize_file(path, 100);
    if (name.ends_with(".blob")) std::filesystem::remove(folder_.PathOf(name));
  }
  VerifyReport report = table.Verify().ValueOrDie();
  EXPECT_EQ(report.problems.size(), 2);
  EXPECT_THAT(report.ToText(), testing::HasSubstr("the file is missing"));
  EXPECT_THAT(report.ToText(), testing::HasSubstr("found 100"));
}

}  // namespace
}  // namespace reelhouse
