#include "reelhouse/commit/row_lineage.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelhouse {
namespace {

ManifestEntry NewFile(std::string name, int64_t rows, std::vector<std::string> columns = {"id"},
                      std::string partition = "") {
  ManifestEntry entry;
  entry.partition = std::move(partition);
  entry.file.file_name = std::move(name);
  entry.file.row_count = rows;
  entry.file.file_source = 0;
  entry.file.write_cols = std::move(columns);
  return entry;
}

std::vector<int64_t> FirstRowIds(const std::vector<ManifestEntry>& entries) {
  std::vector<int64_t> ids;
  for (const ManifestEntry& entry : entries) ids.push_back(entry.file.first_row_id.value_or(-1));
  return ids;
}

TEST(RowLineage, SidecarsOfEachColumnRunAlongWithTheirNormalFile) {
  std::vector<ManifestEntry> entries = {NewFile("a.parquet", 5),          NewFile("a.video", 3, {"front"}),
                                        NewFile("b.video", 2, {"front"}), NewFile("c.blob", 5, {"wrist"}),
                                        NewFile("b.parquet", 4),          NewFile("d.video", 4, {"front"})};
  EXPECT_EQ(AssignRowIds(entries, 10), 19);
  EXPECT_THAT(FirstRowIds(entries), testing::ElementsAre(10, 10, 13, 10, 15, 15));
}

TEST(RowLineage, VectorFilesRunOnThroughTheWholeCommit) {
  std::vector<ManifestEntry> entries = {NewFile("a.parquet", 5), NewFile("a.vector.parquet", 5, {"emb"}),
                                        NewFile("b.parquet", 4), NewFile("b.vector.parquet", 4, {"emb"})};
  EXPECT_EQ(AssignRowIds(entries, 0), 9);
  EXPECT_THAT(FirstRowIds(entries), testing::ElementsAre(0, 0, 5, 5));
}

TEST(RowLineage, FilesThatRepeatAnExistingRangeKeepIt) {
  std::vector<ManifestEntry> entries = {NewFile("delta.parquet", 5), NewFile("new.parquet", 2)};
  entries[0].file.first_row_id = 3;
  EXPECT_EQ(AssignRowIds(entries, 10), 12);
  EXPECT_THAT(FirstRowIds(entries), testing::ElementsAre(3, 10));
}

TEST(RowLineage, StampsEveryFileAlsoRolledSidecars) {
  std::vector<ManifestEntry> entries = {NewFile("a.parquet", 5), NewFile("a-0.video", 3, {"v"}),
                                        NewFile("a-1.video", 2, {"v"})};
  entries[2].file.max_sequence_number = 4;  // a writer's counter, which must not survive
  StampSequenceNumbers(entries, 7);
  for (const ManifestEntry& entry : entries) {
    EXPECT_EQ(entry.file.min_sequence_number, 7) << entry.file.file_name;
    EXPECT_EQ(entry.file.max_sequence_number, 7) << entry.file.file_name;
  }
}

TEST(RowLineage, GroupsByPartitionInOrderOfFirstAppearance) {
  std::vector<ManifestEntry> entries = {NewFile("1", 1, {"id"}, "q"), NewFile("2", 1, {"id"}, "p"),
                                        NewFile("3", 1, {"id"}, "q"), NewFile("4", 1, {"id"}, "p")};
  GroupByPartition(entries);
  std::vector<std::string> names;
  for (const ManifestEntry& entry : entries) names.push_back(entry.file.file_name);
  EXPECT_THAT(names, testing::ElementsAre("1", "3", "2", "4"));
}

}  // namespace
}  // namespace reelhouse
