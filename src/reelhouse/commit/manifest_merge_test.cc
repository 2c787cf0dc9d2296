#include "reelhouse/commit/manifest_merge.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/commit/committer.h"
#include "reelhouse/manifest/binary_row.h"
#include "reelhouse/manifest/manifest_layout.h"
#include "reelhouse/schema/schema_store.h"
#include "reelhouse/snapshot/snapshot_store.h"
#include "tests/support/fault_walk.h"

namespace reelhouse {
namespace {

std::string SchemaText(const std::string& options) {
  return R"({"version": 3, "id": 0, "fields": [{"id": 0, "name": "id", "type": "BIGINT"}],
  "highestFieldId": 0, "partitionKeys": [], "primaryKeys": [],
  "options": {"row-tracking.enabled": "true", "data-evolution.enabled": "true")" +
         options + R"(}, "comment": null, "timeMillis": 0})";
}

ManifestEntry Entry(const std::string& name, FileChangeKind kind = FileChangeKind::kAdd) {
  ManifestEntry entry;
  entry.kind = kind;
  entry.partition = EmptyBinaryRow();
  entry.file.file_name = name;
  entry.file.row_count = 10;
  entry.file.min_key = entry.file.max_key = EmptyBinaryRow();
  for (ColumnStatistics* stats : {&entry.file.key_stats, &entry.file.value_stats}) {
    stats->min_values = stats->max_values = EmptyBinaryRow();
    stats->null_counts.emplace();
  }
  entry.file.file_source = 0;
  return entry;
}

/// A table that is appended to, one file a commit.
class MergingTable {
 public:
  explicit MergingTable(const std::string& options = "") {
    schema_ =
        std::make_shared<const TableSchema>(TableSchema::FromJsonText(SchemaText(options), "schema-0").ValueOrDie());
    EXPECT_TRUE(SchemaStore(files_, path_).Create(*schema_).ValueOrDie());
  }

  const std::shared_ptr<FileStore>& files() const { return files_; }
  ManifestStore manifests() const { return ManifestStore(files_, path_); }
  SnapshotStore snapshots() const { return SnapshotStore(files_, path_); }

  Status Append(const std::string& name, std::shared_ptr<FileStore> through = nullptr) {
    FileChanges changes;
    changes.entries = {Entry(name)};
    return Committer(through != nullptr ? through : files_, path_, schema_).Commit(std::move(changes)).status();
  }
  void AppendMany(int count) {
    for (int i = 0; i < count; ++i) ASSERT_TRUE(Append("f" + std::to_string(next_++)).ok());
  }

  std::vector<ManifestFile> BaseOf(int64_t id) {
    return manifests().ReadList(snapshots().Load(id).ValueOrDie().base_manifest_list).ValueOrDie();
  }
  std::vector<ManifestFile> ManifestsOf(int64_t id) {
    std::vector<ManifestFile> all = BaseOf(id);
    const auto delta = manifests().ReadList(snapshots().Load(id).ValueOrDie().delta_manifest_list).ValueOrDie();
    all.insert(all.end(), delta.begin(), delta.end());
    return all;
  }
  std::vector<std::string> NamesOf(int64_t id) {
    std::vector<ManifestEntry> entries;
    for (const ManifestFile& manifest : ManifestsOf(id)) {
      for (ManifestEntry& entry : manifests().ReadManifest(manifest.file_name).ValueOrDie()) {
        entries.push_back(std::move(entry));
      }
    }
    std::vector<std::string> names;
    for (const ManifestEntry& entry : LiveEntries(std::move(entries))) names.push_back(entry.file.file_name);
    return names;
  }
  int64_t LatestId() { return *snapshots().LatestId().ValueOrDie(); }

  /// Files in the folder of manifests that no snapshot needs.
  std::set<std::string> Orphans() {
    std::set<std::string> names;
    for (const FileEntry& entry : files_->List(path_ + "/manifest").ValueOrDie()) names.insert(entry.name);
    for (int64_t id : snapshots().ListIds().ValueOrDie()) {
      const Snapshot snapshot = snapshots().Load(id).ValueOrDie();
      names.erase(snapshot.base_manifest_list);
      names.erase(snapshot.delta_manifest_list);
      for (const ManifestFile& manifest : ManifestsOf(id)) names.erase(manifest.file_name);
    }
    return names;
  }

  const std::string& path() const { return path_; }

 private:
  TemporaryFolder folder_ = TemporaryFolder::Make("merge").ValueOrDie();
  std::shared_ptr<FileStore> files_ = MakeLocalFileStore({.fsync = false});
  std::string path_ = folder_.path() + "/t";
  std::shared_ptr<const TableSchema> schema_;
  int next_ = 0;
};

std::vector<std::string> NumberedNames(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("f" + std::to_string(i));
  return names;
}

TEST(ManifestMerge, MergesThirtySmallManifestsAndLeavesOldSnapshotsAsTheyAre) {
  MergingTable table;
  table.AppendMany(30);
  EXPECT_EQ(table.BaseOf(30).size(), 29);
  table.AppendMany(1);
  ASSERT_EQ(table.BaseOf(31).size(), 1);
  const ManifestFile merged = table.BaseOf(31)[0];
  EXPECT_EQ(merged.num_added_files, 30);
  EXPECT_EQ(merged.num_deleted_files, 0);
  EXPECT_EQ(merged.min_row_id, 0);
  EXPECT_EQ(merged.max_row_id, 299);
  EXPECT_EQ(merged.min_bucket, 0);
  EXPECT_EQ(table.NamesOf(31), NumberedNames(31));
  EXPECT_EQ(table.NamesOf(30), NumberedNames(30));
  EXPECT_EQ(table.NamesOf(1), NumberedNames(1));
  EXPECT_THAT(table.Orphans(), testing::IsEmpty());
}

TEST(ManifestMerge, KeepsListsShortAndCopiesAnEntryFewTimes) {
  MergingTable table;
  constexpr int kCommits = 1000;
  table.AppendMany(kCommits);
  EXPECT_LE(table.BaseOf(kCommits).size(), 40);
  EXPECT_EQ(table.NamesOf(kCommits), NumberedNames(kCommits));
  int64_t manifests = 0, entries = 0;
  std::set<std::string> seen;
  for (int64_t id = 1; id <= kCommits; ++id) {
    for (const ManifestFile& manifest : table.ManifestsOf(id)) {
      if (!seen.insert(manifest.file_name).second) continue;
      ++manifests;
      entries += manifest.num_added_files;
    }
  }
  EXPECT_LE(manifests, kCommits * 11 / 10);
  EXPECT_LE(entries, kCommits * 6);
}

TEST(ManifestMerge, FollowsTheOptionsOfTheTable) {
  MergingTable table(R"(, "manifest.merge-min-count": "3")");
  table.AppendMany(3);
  EXPECT_EQ(table.BaseOf(3).size(), 2);
  table.AppendMany(1);
  EXPECT_EQ(table.BaseOf(4).size(), 1);
  // Manifests that have their size already are left alone.
  MergingTable of_tiny_manifests(R"(, "manifest.merge-min-count": "3", "manifest.target-file-size": "1 b")");
  of_tiny_manifests.AppendMany(8);
  EXPECT_EQ(of_tiny_manifests.BaseOf(8).size(), 7);
}

/// Manifests made by hand, and the merge of a list of them.
class HandMadeManifests : public testing::Test {
 protected:
  void Write(const std::vector<ManifestEntry>& entries) {
    for (ManifestFile& manifest : store_.WriteManifests("h" + std::to_string(list_.size()), entries, {}).ValueOrDie()) {
      list_.push_back(std::move(manifest));
    }
  }
  std::vector<ManifestFile> Merged(MergeOptions options) {
    FileBatch batch(*table_.files());
    ManifestMerge merge(store_, options, {});
    std::vector<ManifestFile> merged = merge.Apply(list_, &batch).ValueOrDie();
    EXPECT_TRUE(batch.Finish().ok());
    merge.Settle();
    return merged;
  }
  std::vector<std::string> EntriesOf(const std::vector<ManifestFile>& list) {
    std::vector<std::string> names;
    for (const ManifestFile& manifest : list) {
      for (const ManifestEntry& entry : store_.ReadManifest(manifest.file_name).ValueOrDie()) {
        names.push_back((entry.kind == FileChangeKind::kAdd ? "+" : "-") + entry.file.file_name);
      }
    }
    return names;
  }

  MergingTable table_;
  ManifestStore store_ = table_.manifests();
  std::vector<ManifestFile> list_;
};

TEST_F(HandMadeManifests, AnAddAndADeleteVanishTogetherAndADeleteOfAnOlderManifestStays) {
  std::vector<ManifestEntry> large;
  for (int i = 0; i < 1000; ++i) large.push_back(Entry("old" + std::to_string(i)));
  Write(large);
  Write({Entry("a"), Entry("b")});
  Write({Entry("a", FileChangeKind::kDelete), Entry("old3", FileChangeKind::kDelete)});
  Write({Entry("c")});
  const std::vector<ManifestFile> merged = Merged({.min_count = 4});
  ASSERT_EQ(merged.size(), 2);
  EXPECT_EQ(merged[0], list_[0]);
  EXPECT_THAT(EntriesOf({merged[1]}), testing::ElementsAre("+b", "-old3", "+c"));
  EXPECT_EQ(merged[1].num_added_files, 2);
  EXPECT_EQ(merged[1].num_deleted_files, 1);
}

TEST_F(HandMadeManifests, AFullMergeLeavesNoDeleteAndTouchesOnlyLargeManifestsThatOneStrikes) {
  std::vector<ManifestEntry> first, second;
  for (int i = 0; i < 300; ++i) {
    first.push_back(Entry("first" + std::to_string(i)));
    second.push_back(Entry("second" + std::to_string(i)));
  }
  Write(first);
  Write(second);
  Write({Entry("a")});
  Write({Entry("second7", FileChangeKind::kDelete), Entry("never-there", FileChangeKind::kDelete)});
  const int64_t target_bytes = std::min(list_[0].file_size, list_[1].file_size);
  const std::vector<ManifestFile> merged =
      Merged({.min_count = 30, .target_bytes = target_bytes, .full_threshold_bytes = 1});
  ASSERT_GE(merged.size(), 2);
  EXPECT_EQ(merged[0], list_[0]);
  const std::vector<std::string> entries = EntriesOf(merged);
  EXPECT_EQ(entries.size(), 300 + 299 + 1);
  EXPECT_THAT(entries, testing::Not(testing::Contains("+second7")));
  EXPECT_THAT(entries, testing::Each(testing::StartsWith("+")));
  EXPECT_EQ(entries.back(), "+a");
}

TEST_F(HandMadeManifests, ALongBacklogIsMergedFromItsOldestEnd) {
  for (int i = 0; i < 40; ++i) Write({Entry("f" + std::to_string(i))});
  const std::vector<ManifestFile> merged =
      Merged({.min_count = 4, .target_bytes = list_[0].file_size * 10, .full_threshold_bytes = 1 << 30});
  ASSERT_EQ(merged.size(), 31);
  EXPECT_EQ(merged[0].num_added_files, 10);
  EXPECT_EQ(merged[1], list_[10]);
}

TEST_F(HandMadeManifests, OnesThatHoldWhatWeDoNotKnowAreLeftAsTheyAre) {
  for (int i = 0; i < 4; ++i) Write({Entry("f" + std::to_string(i))});
  std::string schema(kManifestSchema);
  const std::string last = R"({"name": "_BUCKET", "type": "int"})";
  schema.replace(schema.find(last), last.size(),
                 R"({"name": "_BUCKET", "type": "int"}, {"name": "_NEW", "type": "null"})");
  AvroContainerWriter writer = AvroContainerWriter::Make(schema, "zstandard").ValueOrDie();
  ASSERT_TRUE(PutRecord(writer, Entry("of-the-future")).ok());
  const std::string bytes = writer.Finish().ValueOrDie();
  std::ofstream(store_.PathOf(list_[1].file_name), std::ios::binary) << bytes;
  EXPECT_EQ(Merged({.min_count = 4}), list_);
  EXPECT_THAT(EntriesOf(list_), testing::Contains("+of-the-future"));
}

TEST_F(HandMadeManifests, OnesThatCannotBeReadAreLeftAsTheyAre) {
  for (int i = 0; i < 4; ++i) Write({Entry("f" + std::to_string(i))});
  std::ofstream(store_.PathOf(list_[1].file_name), std::ios::binary) << "torn";
  EXPECT_EQ(Merged({.min_count = 4}), list_);
  std::filesystem::remove(store_.PathOf(list_[2].file_name));
  EXPECT_EQ(Merged({.min_count = 4}), list_);
}

/// Lets another writer commit right before the first snapshots of this one, so many times.
std::function<Fault(const StorageCall&)> BeatenBy(MergingTable* table, int times, std::vector<StorageCall>* calls) {
  return [=, left = times](const StorageCall& call) mutable -> Fault {
    calls->push_back(call);
    if (call.operation == "create_no_replace" && left > 0) {
      const std::string name = "faster" + std::to_string(left--);
      EXPECT_TRUE(table->Append(name).ok());
    }
    return {};
  };
}

TEST(ManifestMerge, GivesWayWhereAFasterWriterMergedTheSame) {
  MergingTable table(R"(, "manifest.merge-min-count": "10")");
  table.AppendMany(10);
  std::vector<StorageCall> calls;
  auto beaten = MakeFaultInjectingFileStore(table.files(), BeatenBy(&table, 1, &calls));
  ASSERT_TRUE(table.Append("mine", beaten).ok());
  EXPECT_EQ(table.LatestId(), 12);
  EXPECT_EQ(table.BaseOf(12).size(), 2);
  EXPECT_THAT(table.NamesOf(12), testing::SizeIs(12));
  EXPECT_THAT(table.Orphans(), testing::IsEmpty());
}

TEST(ManifestMerge, IsDoneOnceHoweverOftenTheRaceIsLost) {
  MergingTable table;
  table.AppendMany(30);
  // Writers that never merge, as pypaimon's.
  std::vector<StorageCall> calls;
  int left = 3;
  auto beaten = MakeFaultInjectingFileStore(table.files(), [&](const StorageCall& call) -> Fault {
    calls.push_back(call);
    if (call.operation != "create_no_replace" || left-- <= 0) return {};
    Snapshot latest = *table.snapshots().Latest().ValueOrDie();
    ManifestStore store = table.manifests();
    const std::string uuid = "other" + std::to_string(left);
    ManifestEntry entry = Entry(uuid);
    entry.file.first_row_id = *latest.next_row_id;
    auto delta = store.WriteManifests(uuid, {entry}, {}).ValueOrDie();
    const auto base = table.ManifestsOf(latest.id);
    const WrittenFile base_list = store.WriteList(uuid, 0, base).ValueOrDie();
    const WrittenFile delta_list = store.WriteList(uuid, 1, delta).ValueOrDie();
    latest.base_manifest_list = base_list.file_name;
    latest.base_manifest_list_size = base_list.file_size;
    latest.delta_manifest_list = delta_list.file_name;
    latest.delta_manifest_list_size = delta_list.file_size;
    ++latest.id;
    *latest.next_row_id += 10;
    EXPECT_TRUE(table.snapshots().CreateNoReplace(latest).ValueOrDie());
    return {};
  });
  ASSERT_TRUE(table.Append("mine", beaten).ok());
  EXPECT_EQ(table.LatestId(), 34);
  EXPECT_EQ(table.BaseOf(34).size(), 4);  // the merged one and those of the others
  EXPECT_THAT(table.NamesOf(34), testing::SizeIs(34));
  EXPECT_THAT(table.Orphans(), testing::IsEmpty());
  int64_t manifests = 0, lists = 0;
  for (const StorageCall& call : calls) {
    if (call.operation != "create") continue;
    const std::string name = call.path.substr(call.path.rfind('/') + 1);
    ++(name.starts_with("manifest-list-") ? lists : manifests);
  }
  EXPECT_EQ(lists, 4 * 2);
  EXPECT_EQ(manifests, 4 + 1);
}

TEST(ManifestMerge, EveryFaultLeavesTheTableAsBeforeOrAfter) {
  for (const FaultMoment moment : {FaultMoment::kBefore, FaultMoment::kAfter}) {
    std::optional<MergingTable> table;
    const int64_t points = WalkFaults(
        moment,
        [&](const std::shared_ptr<FileStore>& faulty) {
          table.emplace(R"(, "manifest.merge-min-count": "5")");
          table->AppendMany(5);
          return table->Append("f5", faulty);
        },
        [&](const Status& outcome, const StorageCall& failed) {
          const int64_t latest = table->LatestId();
          if (outcome.ok()) {
            EXPECT_EQ(latest, 6);
          } else if (!IsKind(outcome, ErrorKind::kCommitUnknown)) {
            EXPECT_EQ(latest, 5) << outcome;
          }
          if (!IsKind(outcome, ErrorKind::kCommitUnknown)) EXPECT_THAT(table->Orphans(), testing::IsEmpty()) << outcome;
          EXPECT_EQ(table->NamesOf(latest), NumberedNames(static_cast<int>(latest)));
          EXPECT_TRUE(table->Append("next").ok());
          EXPECT_THAT(table->NamesOf(latest + 1), testing::SizeIs(latest + 1));
        });
    EXPECT_GT(points, 10);
  }
}

TEST(ManifestMerge, AnAppendWaitsForTheDiskOnceForAllItsLists) {
  MergingTable table;
  table.AppendMany(40);
  std::map<std::string, int> calls;
  auto counted = MakeFaultInjectingFileStore(table.files(), [&](const StorageCall& call) -> Fault {
    ++calls[call.operation];
    return {};
  });
  ASSERT_TRUE(table.Append("one-more", counted).ok());
  EXPECT_EQ(calls["create"], 3);  // its manifest and two lists
  EXPECT_EQ(calls["finish"], 3);
  EXPECT_EQ(calls["sync_directory"], 1);
  EXPECT_EQ(calls["create_no_replace"], 1);
  EXPECT_EQ(calls["replace_hint"], 1);
  EXPECT_EQ(calls["replace"], 0);
}

}  // namespace
}  // namespace reelhouse
