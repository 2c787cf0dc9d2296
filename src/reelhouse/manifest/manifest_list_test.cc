#include "reelhouse/manifest/manifest_list.h"

#include <filesystem>

#include <arrow/scalar.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/manifest/binary_row.h"
#include "tests/support/vector_table.h"

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

class ManifestStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("manifest_store_" + std::to_string(::getpid()) + "_" +
                                                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::shared_ptr<FileStore> files() { return MakeLocalFileStore({.fsync = false}); }
  std::string path() const { return folder_.string(); }

  std::filesystem::path folder_;
};

ManifestEntry Entry(const std::string& name, std::optional<int64_t> first_row_id = {}, int64_t row_count = 10) {
  ManifestEntry entry;
  entry.partition = EmptyBinaryRow();
  entry.file.file_name = name;
  entry.file.row_count = row_count;
  entry.file.first_row_id = first_row_id;
  entry.file.min_key = entry.file.max_key = EmptyBinaryRow();
  return entry;
}

TEST_F(ManifestStoreTest, SummarisesTheManifestsOfTheVectorsLikePypaimon) {
  int manifests = 0;
  for (const std::string& name : VectorTable::Names()) {
    SCOPED_TRACE(name);
    VectorTable table(name);
    ManifestStore theirs(table.files(), table.path());
    ManifestStore ours(files(), path() + "/" + name);
    std::vector<ManifestFile> written;
    for (int64_t id = 1; id <= table.latest_snapshot_id(); ++id) {
      auto list = theirs.ReadList(table.Snapshot(id)["deltaManifestList"].get<std::string>());
      ASSERT_TRUE(list.ok()) << list.status();
      for (ManifestFile expected : *list) {
        auto entries = theirs.ReadManifest(expected.file_name);
        ASSERT_TRUE(entries.ok()) << entries.status();
        auto made = ours.WriteManifests(std::to_string(id), *entries, table.PartitionTypes());
        ASSERT_TRUE(made.ok()) << made.status();
        ASSERT_EQ(made->size(), 1u);
        const ManifestFile& manifest = made->front();
        EXPECT_EQ(*ours.ReadManifest(manifest.file_name), *entries);
        EXPECT_EQ(std::filesystem::file_size(ours.PathOf(manifest.file_name)),
                  static_cast<uint64_t>(manifest.file_size));
        expected.file_name = manifest.file_name;
        expected.file_size = manifest.file_size;
        EXPECT_TRUE(manifest == expected);
        written.push_back(manifest);
        ++manifests;
      }
    }
    auto list_file = ours.WriteList("u", 1, written);
    ASSERT_TRUE(list_file.ok()) << list_file.status();
    EXPECT_EQ(list_file->file_name, "manifest-list-u-1");
    EXPECT_EQ(std::filesystem::file_size(ours.PathOf("manifest-list-u-1")),
              static_cast<uint64_t>(list_file->file_size));
    EXPECT_EQ(*ours.ReadList("manifest-list-u-1"), written);
  }
  EXPECT_GT(manifests, 40);
}

TEST_F(ManifestStoreTest, LeavesRowIdsOutIfOneEntryHasNone) {
  ManifestStore store(files(), path());
  auto with = store.WriteManifests("a", {Entry("1", 5), Entry("2", 100, 7)}, {});
  ASSERT_TRUE(with.ok());
  EXPECT_EQ(with->front().min_row_id, 5);
  EXPECT_EQ(with->front().max_row_id, 106);
  auto without = store.WriteManifests("b", {Entry("1", 5), Entry("2")}, {});
  EXPECT_EQ(without->front().min_row_id, std::nullopt);
  EXPECT_EQ(without->front().max_row_id, std::nullopt);
}

TEST_F(ManifestStoreTest, KeepsOnlyACommonPositiveBucketCount) {
  ManifestStore store(files(), path());
  auto entries = std::vector{Entry("1"), Entry("2")};
  entries[0].total_buckets = entries[1].total_buckets = 4;
  entries[1].bucket = 3;
  auto common = store.WriteManifests("a", entries, {});
  EXPECT_EQ(common->front().total_buckets, 4);
  EXPECT_EQ(common->front().min_bucket, 0);
  EXPECT_EQ(common->front().max_bucket, 3);
  entries[1].total_buckets = 8;
  EXPECT_EQ(store.WriteManifests("b", entries, {})->front().total_buckets, std::nullopt);
}

TEST_F(ManifestStoreTest, CutsManifestsAtTheTargetSize) {
  ManifestStore store(files(), path(), "null");
  std::vector<ManifestEntry> entries;
  for (int i = 0; i < 4500; ++i) entries.push_back(Entry("data-" + std::to_string(i), i * 10));
  auto manifests = store.WriteManifests("u", entries, {}, 150'000);
  ASSERT_TRUE(manifests.ok()) << manifests.status();
  ASSERT_EQ(manifests->size(), 2u);
  std::vector<ManifestEntry> again;
  for (size_t i = 0; i < manifests->size(); ++i) {
    EXPECT_EQ((*manifests)[i].file_name, "manifest-u-" + std::to_string(i));
    auto read = store.ReadManifest((*manifests)[i].file_name);
    EXPECT_EQ((*manifests)[i].num_added_files, static_cast<int64_t>(read->size()));
    again.insert(again.end(), read->begin(), read->end());
  }
  // Looked at after every thousand entries only.
  EXPECT_EQ((*manifests)[0].num_added_files, 3000);
  EXPECT_GE((*manifests)[0].file_size, 150'000);
  EXPECT_EQ(again, entries);
}

TEST_F(ManifestStoreTest, WritesEveryCodecThatTheOptionNames) {
  for (const char* codec : {"zstd", "deflate", "snappy", "bzip2", "null"}) {
    ManifestStore store(files(), path() + "/" + codec, codec);
    ASSERT_TRUE(store.WriteManifests("u", {Entry("1", 0)}, {}).ok());
    EXPECT_EQ(*store.ReadManifest("manifest-u-0"), std::vector{Entry("1", 0)});
  }
  ManifestStore store(files(), path(), "xz");
  EXPECT_THAT(store.WriteList("u", 0, {}).status().message(), HasSubstr("manifest.compression `xz`"));
}

TEST_F(ManifestStoreTest, RefusesAPartitionThatDoesNotFitTheTypes) {
  ManifestStore store(files(), path());
  const std::vector<DataType> types = {DataType::FromText("INT").ValueOrDie()};
  EXPECT_THAT(store.WriteManifests("u", {Entry("data-1", 0)}, types).status().message(),
              HasSubstr("partition of data-1: BinaryRow: expected 1 fields, found 0"));
}

TEST_F(ManifestStoreTest, SaysWhichFileIsMissing) {
  ManifestStore store(files(), path());
  const Status status = store.ReadList("manifest-list-1").status();
  EXPECT_TRUE(IsKind(status, ErrorKind::kFileNotFound));
  EXPECT_THAT(status.message(), HasSubstr("manifest/manifest-list-1"));
}

TEST(LiveEntries, RemovesEveryAddThatADeleteNamesInAnyOrder) {
  ManifestEntry deleted = Entry("2");
  deleted.kind = FileChangeKind::kDelete;
  const std::vector<ManifestEntry> live = LiveEntries({Entry("1"), Entry("2"), deleted, Entry("3"), Entry("2")});
  ASSERT_EQ(live.size(), 2u);
  EXPECT_EQ(live[0].file.file_name, "1");
  EXPECT_EQ(live[1].file.file_name, "3");
}

TEST(LiveEntries, TellsFilesApartByEveryPartOfTheirIdentity) {
  const ManifestEntry base = Entry("1");
  const auto with = [&base](auto change) {
    ManifestEntry entry = base;
    change(entry);
    return entry.Identity();
  };
  std::vector<std::string> identities = {
      base.Identity(),
      with([](ManifestEntry& e) { e.partition += "x"; }),
      with([](ManifestEntry& e) { e.bucket = 1; }),
      with([](ManifestEntry& e) { e.file.level = 1; }),
      with([](ManifestEntry& e) { e.file.file_name = "11"; }),
      with([](ManifestEntry& e) {
        e.file.extra_files = {"a", "b"};
      }),
      with([](ManifestEntry& e) { e.file.extra_files = {"ab"}; }),
      with([](ManifestEntry& e) { e.file.embedded_file_index = ""; }),
      with([](ManifestEntry& e) { e.file.embedded_file_index = "a"; }),
      with([](ManifestEntry& e) { e.file.external_path = "a"; }),
  };
  std::sort(identities.begin(), identities.end());
  EXPECT_EQ(std::unique(identities.begin(), identities.end()), identities.end());
  EXPECT_EQ(with([](ManifestEntry& e) { e.file.row_count = 99; }), base.Identity());
}

TEST(ColumnsOfFile, FollowsWriteColsInTheOrderOfTheFile) {
  VectorTable table("write_cols_optimized");
  for (const ManifestEntry& entry : table.Live()) {
    std::vector<std::string> names;
    const TableSchema& schema = *table.schemas().at(entry.file.schema_id);
    for (const DataField& field : ColumnsOfFile(entry.file, schema)) names.push_back(field.name);
    if (entry.file.write_cols) {
      EXPECT_EQ(names, *entry.file.write_cols);
    } else {
      // The optimization: all columns but those in files of their own.
      EXPECT_EQ(entry.file.kind(), DataFileKind::kNormal);
      EXPECT_LT(names.size(), schema.fields.size());
    }
  }
}

TEST(ColumnsOfFile, IsAllColumnsWithoutWriteCols) {
  VectorTable table("plain_append");
  for (const ManifestEntry& entry : table.Live()) {
    const TableSchema& schema = *table.schemas().at(entry.file.schema_id);
    EXPECT_EQ(entry.file.write_cols, std::nullopt);
    EXPECT_EQ(ColumnsOfFile(entry.file, schema), schema.fields);
  }
}

TEST(ColumnsOfFile, GivesSystemColumnsTheirIds) {
  VectorTable table("plain_append");
  DataFile file;
  file.write_cols = {"id", "_ROW_ID", "no_such_column", "_SEQUENCE_NUMBER"};
  const std::vector<DataField> columns = ColumnsOfFile(file, *table.latest_schema());
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_EQ(columns[1].id, kRowIdFieldId);
  EXPECT_EQ(columns[2].id, kSequenceNumberFieldId);
}

TEST(KindOfFile, IsToldByTheName) {
  EXPECT_EQ(KindOfFile("data-1-0.parquet"), DataFileKind::kNormal);
  EXPECT_EQ(KindOfFile("data-1-0.blob"), DataFileKind::kBlob);
  EXPECT_EQ(KindOfFile("data-1-0.video"), DataFileKind::kVideo);
  EXPECT_EQ(KindOfFile("data-1-0.vector.parquet"), DataFileKind::kVector);
  EXPECT_EQ(KindOfFile("data-1-0.vector"), DataFileKind::kNormal);
}

}  // namespace
}  // namespace reelhouse
