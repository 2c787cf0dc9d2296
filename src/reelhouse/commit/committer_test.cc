#include "reelhouse/commit/committer.h"

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/manifest/binary_row.h"
#include "reelhouse/manifest/manifest_list.h"
#include "reelhouse/schema/schema_store.h"
#include "reelhouse/snapshot/snapshot_store.h"
#include "tests/support/fault_walk.h"

namespace reelhouse {
namespace {

constexpr char kSchema[] = R"({"version": 3, "id": 0, "fields": [{"id": 0, "name": "id", "type": "BIGINT"}],
  "highestFieldId": 0, "partitionKeys": [], "primaryKeys": [],
  "options": {"row-tracking.enabled": "true", "data-evolution.enabled": "true"}, "comment": null, "timeMillis": 0})";

/// An empty table in a folder of its own.
class CommitterTest : public testing::Test {
 protected:
  void SetUp() override { MakeTable(); }

  void MakeTable() {
    folder_.emplace(TemporaryFolder::Make("committer").ValueOrDie());
    table_path_ = folder_->path() + "/t";
    schema_ = std::make_shared<const TableSchema>(TableSchema::FromJsonText(kSchema, "schema-0").ValueOrDie());
    ASSERT_TRUE(SchemaStore(files_, table_path_).Create(*schema_).ValueOrDie());
  }

  FileChanges OneFile(const std::string& name, int64_t rows) {
    const std::string path = table_path_ + "/bucket-0/" + name;
    auto file = files_->Create(path).ValueOrDie();
    EXPECT_TRUE(file->Write("data", 4).ok());
    EXPECT_TRUE(file->Finish().ok());
    ManifestEntry entry;
    entry.partition = EmptyBinaryRow();
    entry.file.file_name = name;
    entry.file.file_size = 4;
    entry.file.row_count = rows;
    entry.file.min_key = entry.file.max_key = EmptyBinaryRow();
    for (ColumnStatistics* stats : {&entry.file.key_stats, &entry.file.value_stats}) {
      stats->min_values = stats->max_values = EmptyBinaryRow();
      stats->null_counts.emplace();
    }
    entry.file.file_source = 0;
    FileChanges changes;
    changes.entries = {entry};
    changes.staged_paths = {path};
    return changes;
  }

  Result<std::optional<Snapshot>> Commit(FileChanges changes) {
    return Committer(files_, table_path_, schema_).Commit(std::move(changes));
  }

  std::vector<std::string> FilesOnDisk() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(table_path_)) {
      if (entry.is_regular_file()) names.push_back(std::filesystem::relative(entry.path(), table_path_).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::optional<TemporaryFolder> folder_;
  std::shared_ptr<FileStore> files_ = MakeLocalFileStore({.fsync = false});
  std::string table_path_;
  std::shared_ptr<const TableSchema> schema_;
};

TEST_F(CommitterTest, NothingToCommitMakesNoSnapshot) {
  EXPECT_FALSE(Commit({}).ValueOrDie().has_value());
  EXPECT_FALSE(SnapshotStore(files_, table_path_).Latest().ValueOrDie().has_value());
}

TEST_F(CommitterTest, AppendsContinueRowIdsAndBaseLists) {
  Snapshot first = *Commit(OneFile("a.parquet", 3)).ValueOrDie();
  Snapshot second = *Commit(OneFile("b.parquet", 4)).ValueOrDie();
  EXPECT_EQ(first.id, 1);
  EXPECT_EQ(first.next_row_id, 3);
  EXPECT_EQ(second.id, 2);
  EXPECT_EQ(second.next_row_id, 7);
  EXPECT_EQ(second.total_record_count, 7);
  EXPECT_EQ(second.delta_record_count, 4);
  EXPECT_EQ(second.commit_kind, "APPEND");

  ManifestStore manifests(files_, table_path_);
  std::vector<ManifestFile> base = manifests.ReadList(second.base_manifest_list).ValueOrDie();
  ASSERT_EQ(base.size(), 1);
  ManifestEntry entry = manifests.ReadManifest(base[0].file_name).ValueOrDie().at(0);
  EXPECT_EQ(entry.file.file_name, "a.parquet");
  EXPECT_EQ(entry.file.max_sequence_number, 1);
  EXPECT_TRUE(manifests.ReadList(first.base_manifest_list).ValueOrDie().empty());
}

TEST_F(CommitterTest, PropertiesLandInTheSnapshot) {
  FileChanges changes = OneFile("a.parquet", 1);
  changes.properties = {{"robot", "arm-7"}};
  ASSERT_TRUE(Commit(std::move(changes)).ok());
  EXPECT_EQ(SnapshotStore(files_, table_path_).Latest().ValueOrDie()->properties.at("robot"), "arm-7");
}

TEST_F(CommitterTest, WritersAtTheSameTimeAllLandWithDisjointRowIds) {
  constexpr int kWriters = 4, kCommits = 6;
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([this, w] {
      for (int c = 0; c < kCommits; ++c) {
        Result<std::optional<Snapshot>> done =
            Commit(OneFile("w" + std::to_string(w) + "-" + std::to_string(c) + ".parquet", 10));
        EXPECT_TRUE(done.ok()) << done.status();
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  SnapshotStore snapshots(files_, table_path_);
  Snapshot latest = *snapshots.Latest().ValueOrDie();
  EXPECT_EQ(latest.id, kWriters * kCommits);
  EXPECT_EQ(latest.next_row_id, kWriters * kCommits * 10);
  // Manifests of lost attempts are gone: one manifest and two lists for each snapshot.
  int manifests = 0;
  for (const std::string& name : FilesOnDisk()) manifests += name.starts_with("manifest/");
  EXPECT_EQ(manifests, 3 * kWriters * kCommits);
}

TEST_F(CommitterTest, ADroppedTableIsNotWrittenTo) {
  FileChanges changes = OneFile("a.parquet", 1);
  ASSERT_TRUE(files_->DeleteTree(table_path_ + "/schema").ok());
  Result<std::optional<Snapshot>> done = Commit(std::move(changes));
  EXPECT_TRUE(IsKind(done.status(), ErrorKind::kTableNotExist)) << done.status();
  EXPECT_THAT(FilesOnDisk(), testing::IsEmpty());
}

TEST_F(CommitterTest, AtEveryFaultTheCommitTookPlaceOrNothingIsLeft) {
  for (FaultMoment moment : {FaultMoment::kBefore, FaultMoment::kAfter}) {
    int64_t points = WalkFaults(
        moment,
        [&](const std::shared_ptr<FileStore>& faulty) {
          MakeTable();
          FileChanges changes = OneFile("a.parquet", 3);
          return Committer(faulty, table_path_, schema_).Commit(std::move(changes)).status();
        },
        [&](const Status& outcome, const StorageCall& failed) {
          std::optional<Snapshot> latest = SnapshotStore(files_, table_path_).Latest().ValueOrDie();
          if (outcome.ok()) {
            EXPECT_TRUE(latest.has_value());
          } else if (IsKind(outcome, ErrorKind::kCommitUnknown)) {
            EXPECT_THAT(FilesOnDisk(), testing::Contains("bucket-0/a.parquet"));
            EXPECT_THAT(outcome.message(), testing::StartsWith(table_path_ + "/snapshot/snapshot-1: it is not known"));
          } else {
            EXPECT_FALSE(latest.has_value()) << outcome;
            EXPECT_THAT(FilesOnDisk(), testing::ElementsAre("schema/schema-0")) << outcome;
          }
        });
    EXPECT_GT(points, 5);
  }
}

}  // namespace
}  // namespace reelhouse
