#include "reelhouse/scan/plan.h"

#include <string>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/counting_file_store.h"
#include "tests/support/manifest_table.h"

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<arrow::Schema> Numbers() {
  return arrow::schema({arrow::field("id", arrow::int64()), arrow::field("score", arrow::float64())});
}

std::shared_ptr<arrow::Schema> Sites() {
  return arrow::schema({arrow::field("id", arrow::int64()), arrow::field("site", arrow::utf8())});
}

std::vector<int64_t> FirstRowIds(const Plan& plan) {
  std::vector<int64_t> ids;
  for (const Split& split : plan.splits) ids.push_back(split.first_row_id);
  return ids;
}

std::vector<std::string> Names(const std::vector<ManifestEntry>& entries) {
  std::vector<std::string> names;
  for (const ManifestEntry& entry : entries) names.push_back(entry.file.file_name);
  return names;
}

// The file's ids are [first, first + rows), its scores are tenths of them.
ManifestEntry WithStatistics(const ManifestTable& table, ManifestEntry entry) {
  std::string ids = "[", scores = "[";
  for (int64_t i = 0; i < entry.file.row_count; ++i) {
    const std::string id = std::to_string(*entry.file.first_row_id + i);
    ids += (i == 0 ? "" : ",") + id;
    scores += (i == 0 ? "" : ",") + id + ".5";
  }
  auto batch = BatchOf({{"id", arrow::int64(), ids + "]"}, {"score", arrow::float64(), scores + "]"}});
  ManifestTable::SetStatistics(&entry, table.schema()->fields, *batch);
  return entry;
}

TEST(Plan, OfATableWithoutSnapshotIsEmpty) {
  ManifestTable table(*Numbers());
  Plan plan = table.PlanOf().ValueOrDie();
  EXPECT_TRUE(plan.splits.empty());
  EXPECT_EQ(CountRows(plan), 0);
  EXPECT_THAT(ExplainPlan(plan, {}), HasSubstr("no data"));
}

TEST(Plan, PutsFilesOfOneRangeAndTheirSidecarsTogether) {
  ManifestTable table(*arrow::schema({arrow::field("id", arrow::int64()), arrow::field("img", arrow::large_binary())}));
  table.Commit(
      {table.Entry("b.parquet", 10, 5, 1), table.Entry("b-0.blob", 10, 2, 1), table.Entry("b-1.blob", 12, 3, 1)});
  table.Commit({table.Entry("a.parquet", 0, 10, 2), table.Entry("a-0.blob", 0, 10, 2)});
  table.Commit({table.Entry("b-new.parquet", 10, 5, 3)});
  Plan plan = table.PlanOf().ValueOrDie();
  EXPECT_THAT(FirstRowIds(plan), ElementsAre(0, 10));
  EXPECT_THAT(Names(plan.splits[1].normal_files), ElementsAre("b.parquet", "b-new.parquet"));
  EXPECT_THAT(Names(plan.splits[1].sidecars), ElementsAre("b-0.blob", "b-1.blob"));
  EXPECT_EQ(plan.splits[1].row_count, 5);
  EXPECT_EQ(CountRows(plan), 15);
}

TEST(Plan, LeavesOutDeletedFiles) {
  ManifestTable table(*Numbers());
  ManifestEntry gone = table.Entry("a.parquet", 0, 10);
  table.Commit({gone, table.Entry("b.parquet", 10, 5)});
  gone.kind = FileChangeKind::kDelete;
  table.Commit({gone});
  Plan plan = table.PlanOf().ValueOrDie();
  EXPECT_THAT(FirstRowIds(plan), ElementsAre(10));
  EXPECT_EQ(plan.statistics.files_total, 1);
}

TEST(Plan, ReadsOnlyManifestsThatMayHoldTheRowIds) {
  ManifestTable table(*Numbers());
  for (int64_t k = 0; k < 10; ++k) table.Commit({table.Entry("f" + std::to_string(k) + ".parquet", k * 10, 10)});
  Plan plan = table.PlanOf("_ROW_ID IN (15, 71)").ValueOrDie();
  EXPECT_EQ(plan.statistics.manifests_total, 10);
  EXPECT_EQ(plan.statistics.manifests_read, 2);
  EXPECT_THAT(FirstRowIds(plan), ElementsAre(10, 70));

  plan = table.PlanOf("", std::vector<RowIdRange>{{99, 99}, {9, 10}}).ValueOrDie();
  EXPECT_EQ(plan.statistics.manifests_read, 3);
  EXPECT_THAT(FirstRowIds(plan), ElementsAre(0, 10, 90));
}

TEST(Plan, CountsGroupsThatRowIdsRuleOut) {
  ManifestTable table(*Numbers());
  table.Commit({table.Entry("a.parquet", 0, 10), table.Entry("b.parquet", 10, 10), table.Entry("c.parquet", 20, 10)});
  Plan plan = table.PlanOf("_ROW_ID = 12").ValueOrDie();
  EXPECT_THAT(FirstRowIds(plan), ElementsAre(10));
  EXPECT_EQ(plan.statistics.splits_pruned_by_row_id, 2);
  EXPECT_EQ(plan.statistics.splits_total, 3);
}

TEST(Plan, ReadsOnlyManifestsOfThePartitionsAskedFor) {
  ManifestTable table(*Sites(), {"site"});
  auto in_site = [&](ManifestEntry entry, const std::string& site) {
    entry.partition = table.Partition({site});
    return entry;
  };
  table.Commit({in_site(table.Entry("a.parquet", 0, 10), "\"lab\"")});
  table.Commit({in_site(table.Entry("b.parquet", 10, 10), "\"road\"")});
  table.Commit(
      {in_site(table.Entry("c.parquet", 20, 10), "null"), in_site(table.Entry("d.parquet", 30, 10), "\"lab\"")});
  Plan plan = table.PlanOf("site = 'lab'").ValueOrDie();
  EXPECT_EQ(plan.statistics.manifests_read, 2);
  EXPECT_EQ(plan.statistics.splits_pruned_by_partition, 1);
  EXPECT_THAT(FirstRowIds(plan), ElementsAre(0, 30));
  EXPECT_THAT(FirstRowIds(table.PlanOf("site IS NULL").ValueOrDie()), ElementsAre(20));
  EXPECT_THAT(FirstRowIds(table.PlanOf("site <> 'lab'").ValueOrDie()), ElementsAre(10));
}

TEST(Plan, OrdersPartitionsByTheirFirstLiveFile) {
  ManifestTable table(*Sites(), {"site"});
  auto in_site = [&](ManifestEntry entry, const std::string& site) {
    entry.partition = table.Partition({site});
    return entry;
  };
  ManifestEntry gone = in_site(table.Entry("gone.parquet", 0, 10), "\"a\"");
  table.Commit({gone, in_site(table.Entry("z.parquet", 10, 10), "\"z\"")});
  gone.kind = FileChangeKind::kDelete;
  table.Commit(
      {in_site(table.Entry("a.parquet", 20, 10), "\"a\""), in_site(table.Entry("z2.parquet", 30, 10), "\"z\"")});
  table.Commit({gone});
  EXPECT_THAT(FirstRowIds(table.PlanOf().ValueOrDie()), ElementsAre(10, 30, 20));
}

TEST(Plan, RulesGroupsOutByColumnStatistics) {
  ManifestTable table(*Numbers());
  table.Commit({WithStatistics(table, table.Entry("a.parquet", 0, 10)),
                WithStatistics(table, table.Entry("b.parquet", 10, 10)), table.Entry("unknown.parquet", 20, 10)});
  Plan plan = table.PlanOf("id = 13").ValueOrDie();
  EXPECT_THAT(FirstRowIds(plan), ElementsAre(10, 20));
  EXPECT_EQ(plan.statistics.splits_pruned_by_statistics, 1);
  EXPECT_THAT(FirstRowIds(table.PlanOf("id IS NULL").ValueOrDie()), ElementsAre(20));
  EXPECT_THAT(FirstRowIds(table.PlanOf("score > 9.5 OR id = 3").ValueOrDie()), ElementsAre(0, 10, 20));
}

TEST(Plan, TrustsOnlyStatisticsOfTheNewestFileWithTheColumn) {
  ManifestTable table(*Numbers());
  ManifestEntry updated = table.Entry("a-new.parquet", 0, 10, 2);
  updated.file.write_cols = std::vector<std::string>{"id"};
  updated.file.value_stats_cols.emplace();
  table.Commit({WithStatistics(table, table.Entry("a.parquet", 0, 10, 1)), updated});
  // The new ids are not known any more; the scores still are.
  EXPECT_THAT(FirstRowIds(table.PlanOf("id = 500").ValueOrDie()), ElementsAre(0));
  EXPECT_THAT(FirstRowIds(table.PlanOf("score = 500").ValueOrDie()), ElementsAre());
}

TEST(Plan, MakesOnlyTheEntriesOfGroupsThatStatisticsDoNotRuleOut) {
  ManifestTable table(*arrow::schema({arrow::field("id", arrow::int64()), arrow::field("img", arrow::large_binary())}));
  std::vector<ManifestEntry> entries;
  for (int64_t i = 0; i < 500; ++i) {
    ManifestEntry normal = table.Entry("n" + std::to_string(i) + ".parquet", i * 10, 10);
    auto batch = BatchOf({{"id", arrow::int64(), "[" + std::to_string(i) + "]"}});
    ManifestTable::SetStatistics(&normal, {table.schema()->fields[0]}, *batch);
    normal.file.value_stats_cols = normal.file.write_cols = std::vector<std::string>{"id"};
    entries.push_back(normal);
    for (const int64_t part : {0, 5}) {
      entries.push_back(table.Entry("n" + std::to_string(i) + "-" + std::to_string(part) + ".blob", i * 10 + part, 5));
      entries.back().file.write_cols = std::vector<std::string>{"img"};
    }
  }
  table.Commit(entries);
  Plan plan = table.PlanOf("id = 77").ValueOrDie();
  ASSERT_EQ(plan.splits.size(), 1);
  EXPECT_THAT(Names(plan.splits[0].normal_files), ElementsAre("n77.parquet"));
  EXPECT_THAT(Names(plan.splits[0].sidecars), ElementsAre("n77-0.blob", "n77-5.blob"));
  EXPECT_EQ(plan.splits[0].normal_files[0], entries[77 * 3]);
  EXPECT_EQ(plan.statistics.entries_seen, 1500);
  EXPECT_EQ(plan.statistics.entries_made, 3);
  EXPECT_EQ(plan.statistics.files_total, 1500);
  EXPECT_EQ(plan.statistics.splits_total, 500);
  EXPECT_EQ(plan.statistics.splits_pruned_by_statistics, 499);
  EXPECT_EQ(table.PlanOf().ValueOrDie().statistics.entries_made, 1500);
  EXPECT_EQ(table.PlanOf("_ROW_ID = 4999").ValueOrDie().statistics.entries_made, 2);
}

TEST(Plan, RulesOutByTextsAndIntegersAsTheFilterWouldJudge) {
  ManifestTable table(*Sites());
  std::vector<ManifestEntry> entries;
  const std::vector<std::pair<std::string, std::string>> files = {
      {"[1, 5]", R"(["a", "c"])"}, {"[6, 9]", R"(["c", "something long"])"}, {"[-3, null]", R"([null, null])"}};
  for (size_t i = 0; i < files.size(); ++i) {
    entries.push_back(table.Entry("f" + std::to_string(i) + ".parquet", static_cast<int64_t>(i) * 2, 2));
    auto batch = BatchOf({{"id", arrow::int64(), files[i].first}, {"site", arrow::utf8(), files[i].second}});
    ManifestTable::SetStatistics(&entries.back(), table.schema()->fields, *batch);
  }
  table.Commit(entries);
  const auto kept = [&](std::string_view where) { return FirstRowIds(table.PlanOf(where).ValueOrDie()); };
  EXPECT_THAT(kept("id = 5"), ElementsAre(0));
  EXPECT_THAT(kept("id < 1"), ElementsAre(4));
  EXPECT_THAT(kept("id <= 1"), ElementsAre(0, 4));
  EXPECT_THAT(kept("id > 5"), ElementsAre(2));
  EXPECT_THAT(kept("id >= 5"), ElementsAre(0, 2));
  EXPECT_THAT(kept("id <> 5"), ElementsAre(0, 2, 4));
  EXPECT_THAT(kept("NOT id = 5"), ElementsAre(0, 2, 4));
  EXPECT_THAT(kept("id = 2 OR site = 'd'"), ElementsAre(0, 2));
  EXPECT_THAT(kept("id > 2 AND site = 'c'"), ElementsAre(0, 2));
  EXPECT_THAT(kept("site > 'something'"), ElementsAre(2));
  EXPECT_THAT(kept("site < 'b'"), ElementsAre(0));
  EXPECT_THAT(kept("site IS NULL"), ElementsAre(4));
  EXPECT_THAT(kept("id = 5.5"), ElementsAre());
}

TEST(Plan, LeavesOutDeletedFilesThatAFilterWouldKeep) {
  ManifestTable table(*Numbers());
  ManifestEntry gone = WithStatistics(table, table.Entry("gone.parquet", 0, 10));
  table.Commit({gone, WithStatistics(table, table.Entry("stays.parquet", 10, 10))});
  gone.kind = FileChangeKind::kDelete;
  table.Commit({gone});
  Plan plan = table.PlanOf("id < 15").ValueOrDie();
  EXPECT_THAT(FirstRowIds(plan), ElementsAre(10));
  EXPECT_EQ(plan.statistics.files_total, 1);
  EXPECT_EQ(table.PlanOf("id = 3").ValueOrDie().splits.size(), 0);
}

TEST(Plan, OpensNoManifestThatItKeeps) {
  ManifestTable table(*Numbers());
  for (int64_t i = 0; i < 20; ++i) {
    table.Commit({WithStatistics(table, table.Entry("f" + std::to_string(i) + ".parquet", i * 10, 10))});
  }
  auto files = std::make_shared<CountingFileStore>(table.files());
  auto cache = std::make_shared<ManifestCache>(1 << 20);
  const auto plan = [&] {
    PlanRequest request{.snapshot = table.snapshot(), .schema = table.schema()};
    request.predicate = ParsePredicate("id = 13", table.schema()->fields).ValueOrDie();
    request.manifests = cache;
    return MakePlan(files, table.path(), *table.schemas(), std::move(request)).ValueOrDie();
  };
  EXPECT_THAT(FirstRowIds(plan()), ElementsAre(10));
  EXPECT_EQ(files->counts().whole_files, 22);
  EXPECT_THAT(FirstRowIds(plan()), ElementsAre(10));
  EXPECT_EQ(files->counts().whole_files, 22);
  table.Commit({WithStatistics(table, table.Entry("new.parquet", 200, 10))});
  EXPECT_THAT(FirstRowIds(plan()), ElementsAre(10));
  EXPECT_EQ(files->counts().whole_files, 25);  // two lists and the new manifest
}

TEST(Plan, TakesAColumnThatNoFileHasForNull) {
  ManifestTable table(*Numbers());
  table.Commit({table.Entry("a.parquet", 0, 10)});
  table.AddColumn("label", DataType::FromText("STRING").ValueOrDie());
  EXPECT_THAT(FirstRowIds(table.PlanOf("label = 'x'").ValueOrDie()), ElementsAre());
  EXPECT_THAT(FirstRowIds(table.PlanOf("label IS NULL").ValueOrDie()), ElementsAre(0));
}

TEST(Plan, DoesNotTrustStatisticsOfAnotherType) {
  ManifestTable table(*Numbers());
  table.Commit({WithStatistics(table, table.Entry("a.parquet", 0, 10))});
  TableSchema next = *table.schema();
  ++next.id;
  next.fields[0].type = DataType::FromText("STRING").ValueOrDie();
  table.SetSchema(next);
  EXPECT_THAT(FirstRowIds(table.PlanOf("id = 'x'").ValueOrDie()), ElementsAre(0));
}

TEST(Plan, GivesTheAnchorItsDeletionVector) {
  ManifestTable table(*Numbers());
  table.Commit({table.Entry("b.parquet", 0, 10, 1), table.Entry("a.parquet", 0, 10, 1),
                table.Entry("0.parquet", 0, 10, 2), table.Entry("other.parquet", 10, 10, 1)});
  table.Delete({{"a.parquet", {1, 3, 5}}, {"b.parquet", {2}}, {"removed-long-ago.parquet", {0}}});
  Plan plan = table.PlanOf().ValueOrDie();
  ASSERT_TRUE(plan.splits[0].deletion_vector);
  EXPECT_EQ(plan.splits[0].deletion_vector->range.data_file_name, "a.parquet");
  EXPECT_FALSE(plan.splits[1].deletion_vector);
  EXPECT_EQ(CountRows(plan), 17);
}

TEST(Plan, CountsDeadRowsWhereTheManifestDoesNot) {
  ManifestTable table(*Numbers());
  table.Commit({table.Entry("a.parquet", 0, 10), table.Entry("b.parquet", 10, 10)});
  table.Delete({{"a.parquet", {1, 3, 5}}, {"b.parquet", {2}}}, EmptyBinaryRow(), /*with_cardinality=*/false);
  EXPECT_EQ(CountRows(table.PlanOf().ValueOrDie()), 16);
}

TEST(Plan, IgnoresDeletionVectorsWhereTheOptionIsOff) {
  ManifestTable table(*Numbers(), {}, {{"deletion-vectors.enabled", "false"}});
  table.Commit({table.Entry("a.parquet", 0, 10)});
  table.Delete({{"a.parquet", {1}}});
  EXPECT_EQ(CountRows(table.PlanOf().ValueOrDie()), 10);
}

TEST(Plan, RefusesTwoDeletionVectorsOfOneFile) {
  ManifestTable table(*Numbers());
  table.Commit({table.Entry("a.parquet", 0, 10)});
  table.Delete({{"a.parquet", {1}}});
  table.Delete({{"a.parquet", {2}}});
  Status status = table.PlanOf().status();
  EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status;
  EXPECT_THAT(status.message(), HasSubstr("a.parquet"));
}

TEST(Plan, RefusesAFileWithoutFirstRowIdByName) {
  ManifestTable table(*Numbers());
  ManifestEntry entry = table.Entry("lost.parquet", 0, 10);
  entry.file.first_row_id.reset();
  table.Commit({entry});
  Status status = table.PlanOf().status();
  EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status;
  EXPECT_THAT(status.message(), HasSubstr("bucket-0/lost.parquet"));
}

TEST(Plan, RefusesRangesThatOverlapInPart) {
  ManifestTable table(*Numbers());
  table.Commit({table.Entry("a.parquet", 0, 10), table.Entry("b.parquet", 5, 10)});
  Status status = table.PlanOf().status();
  EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status;
  EXPECT_THAT(status.message(), HasSubstr("row ids 5 to 14"));
}

TEST(Plan, RefusesASidecarOutsideOfItsGroup) {
  for (int64_t first_row_id : {5, 50}) {
    ManifestTable table(*Numbers());
    table.Commit({table.Entry("a.parquet", 0, 10), table.Entry("a-0.blob", first_row_id, 10)});
    Status status = table.PlanOf().status();
    EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status;
    EXPECT_THAT(status.message(), HasSubstr("a-0.blob"));
  }
}

// A container that ends behind its header or behind a block is whole by itself.
void CutBehindHeader(ManifestTable& table, const std::string& path) {
  std::string bytes = table.files()->ReadAll(path).ValueOrDie();
  const std::string marker = bytes.substr(bytes.size() - 16);
  bytes.resize(bytes.find(marker) + marker.size());
  ASSERT_TRUE(table.files()->Replace(path, bytes).ok());
}

TEST(Plan, RefusesAManifestThatWasCutBetweenTwoBlocks) {
  ManifestTable table(*Numbers());
  table.Commit({table.Entry("a.parquet", 0, 10), table.Entry("b.parquet", 10, 10)});
  const std::string path = table.path() + "/manifest/manifest-m1-0";
  CutBehindHeader(table, path);
  const Status status = table.PlanOf().status();
  EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status;
  EXPECT_EQ(DetailOf(status)->fields().path, path);
  EXPECT_THAT(status.message(), HasSubstr("says 2 ADD and 0 DELETE entries, the file has 0 entries"));
}

TEST(Plan, RefusesAManifestListOfAnotherSizeThanTheSnapshotSays) {
  ManifestTable table(*Numbers());
  table.Commit({table.Entry("a.parquet", 0, 10)});
  const std::string path = table.path() + "/manifest/" + table.snapshot().delta_manifest_list;
  table.snapshot().delta_manifest_list_size = table.files()->ReadAll(path).ValueOrDie().size();
  EXPECT_TRUE(table.PlanOf().ok());
  CutBehindHeader(table, path);
  const Status status = table.PlanOf().status();
  EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status;
  EXPECT_THAT(status.message(), HasSubstr("the snapshot says"));
}

TEST(Plan, RefusesImpossibleRowNumbers) {
  ManifestTable table(*Numbers());
  ManifestEntry entry = table.Entry("a.parquet", 9223372036854775800, 10);
  table.Commit({entry});
  EXPECT_TRUE(IsKind(table.PlanOf().status(), ErrorKind::kCorruptFile));
}

TEST(Plan, ExplainsWhatIsReadAndWhatIsNot) {
  ManifestTable table(*Numbers());
  table.Commit({WithStatistics(table, table.Entry("a.parquet", 0, 10)),
                WithStatistics(table, table.Entry("b.parquet", 10, 10))});
  table.Delete({{"b.parquet", {1, 2}}});
  Predicate predicate = ParsePredicate("id >= 12", table.schema()->fields).ValueOrDie();
  Plan plan = table.PlanOf("id >= 12").ValueOrDie();
  std::string text = ExplainPlan(plan, predicate);
  EXPECT_THAT(text, HasSubstr("snapshot   1 (APPEND, 2023-11-14 22:13:20.000 UTC"));
  EXPECT_THAT(text, HasSubstr("id >= 12"));
  EXPECT_THAT(text, HasSubstr("1 of 2 kept; ruled out: 0 by partition, 0 by row id, 1 by column statistics"));
  EXPECT_THAT(text, HasSubstr("at most 8 rows (10 stored, 2 deleted) from 1 files"));
  EXPECT_THAT(text, HasSubstr("row ids 10..19 (2 deleted)"));
  EXPECT_THAT(text, HasSubstr("b.parquet"));
}

}  // namespace
}  // namespace reelhouse
