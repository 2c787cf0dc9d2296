#include "reelhouse/read/table_reader.h"

#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/format/blob/blob_descriptor.h"
#include "reelhouse/format/video/video_frame_descriptor.h"
#include "tests/support/data_table.h"

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

// Rows that a read gave, as one batch, and what it did for them.
struct Rows {
  std::shared_ptr<arrow::RecordBatch> all;
  std::vector<int64_t> batch_rows;
  ReadStatistics statistics;

  std::shared_ptr<arrow::Array> Column(const std::string& name) const { return all->GetColumnByName(name); }
};

Result<Rows> Read(DataTable& table, ReadRequest request, std::string_view where = "", std::string table_path = "") {
  ARROW_ASSIGN_OR_RAISE(request.predicate, ParsePredicate(where, table.schema()->fields));
  ARROW_ASSIGN_OR_RAISE(Plan plan, table.PlanOf(where, request.row_ids));
  if (table_path.empty()) table_path = table.path();
  TableReader reader({table.files(), table_path, table.schemas(), {}}, std::move(plan), std::move(request));
  Rows rows;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, reader.Next());
    if (batch == nullptr) break;
    ARROW_RETURN_NOT_OK(batch->ValidateFull());
    rows.batch_rows.push_back(batch->num_rows());
    batches.push_back(std::move(batch));
  }
  ARROW_ASSIGN_OR_RAISE(auto joined, arrow::Table::FromRecordBatches(reader.schema(), batches));
  ARROW_ASSIGN_OR_RAISE(rows.all, joined->CombineChunksToBatch());
  rows.statistics = reader.statistics();
  return rows;
}

ReadRequest Select(std::vector<std::string> columns) {
  ReadRequest request;
  request.columns = std::move(columns);
  return request;
}

void ExpectColumn(const Rows& rows, const std::string& name, const std::string& json) {
  auto found = rows.Column(name);
  ASSERT_NE(found, nullptr) << name;
  auto expected = ArrayOf(found->type(), json);
  EXPECT_TRUE(found->Equals(*expected)) << name << ": " << found->ToString();
}

// Content behind descriptors, "NULL" for NULL.
std::vector<std::string> ContentOf(DataTable& table, const arrow::Array& array) {
  const auto& cells = static_cast<const arrow::LargeBinaryArray&>(array);
  std::vector<std::string> content;
  for (int64_t i = 0; i < cells.length(); ++i) {
    if (cells.IsNull(i)) {
      content.emplace_back("NULL");
      continue;
    }
    BlobDescriptor descriptor = BlobDescriptor::Deserialize(cells.GetView(i)).ValueOrDie();
    content.push_back(
        table.files()->ReadAll(descriptor.uri).ValueOrDie().substr(descriptor.offset_bytes, descriptor.length_bytes));
  }
  return content;
}

std::shared_ptr<arrow::Schema> Notes() {
  return arrow::schema({arrow::field("id", arrow::int64()), arrow::field("note", arrow::utf8()),
                        arrow::field("img", arrow::large_binary())});
}

std::shared_ptr<arrow::RecordBatch> Ids(int64_t first, int64_t count) {
  std::string json = "[";
  for (int64_t i = 0; i < count; ++i) json += (i == 0 ? "" : ",") + std::to_string(first + i);
  return BatchOf({{"id", arrow::int64(), json + "]"}});
}

std::shared_ptr<arrow::Schema> OnlyIds() { return arrow::schema({arrow::field("id", arrow::int64())}); }

// Row ids 0 to 5: ids in one file, notes in a newer one, images in a third.
void CommitThreeFiles(DataTable& table) {
  table.Commit(
      {table.Parquet("ids.parquet", 0, *Ids(100, 6), 1),
       table.Parquet("notes.parquet", 0, *BatchOf({{"note", arrow::utf8(), R"(["a","b","c",null,"e","f"])"}}), 2),
       table.Blob("img.blob", "img", 0, {"one", "", "NULL", "four", "five", "six"})});
}

TEST(TableReader, StitchesColumnsOfSeveralFiles) {
  DataTable table(*Notes());
  CommitThreeFiles(table);
  Rows rows = Read(table, Select({"img", "note", "id", "_ROW_ID"})).ValueOrDie();
  ExpectColumn(rows, "id", "[100,101,102,103,104,105]");
  ExpectColumn(rows, "note", R"(["a","b","c",null,"e","f"])");
  ExpectColumn(rows, "_ROW_ID", "[0,1,2,3,4,5]");
  EXPECT_THAT(ContentOf(table, *rows.Column("img")), ::testing::ElementsAre("one", "", "NULL", "four", "five", "six"));
  EXPECT_FALSE(rows.all->schema()->GetFieldByName("_ROW_ID")->nullable());
  EXPECT_EQ(rows.statistics.files_opened, 3);
}

TEST(TableReader, OpensOnlyFilesOfTheFilterWhereNoRowIsLeft) {
  DataTable table(*Notes());
  CommitThreeFiles(table);
  Rows rows = Read(table, Select({"note", "img"}), "id > 102 AND id < 103").ValueOrDie();
  EXPECT_EQ(rows.all->num_rows(), 0);
  EXPECT_EQ(rows.statistics.files_opened, 1);
  EXPECT_EQ(rows.statistics.rows_scanned, 6);

  rows = Read(table, Select({"note", "img"}), "id IN (101, 104)").ValueOrDie();
  ExpectColumn(rows, "note", R"(["b","e"])");
  EXPECT_THAT(ContentOf(table, *rows.Column("img")), ::testing::ElementsAre("", "five"));
  EXPECT_EQ(rows.statistics.files_opened, 3);
  EXPECT_EQ(rows.statistics.rows_returned, 2);
}

TEST(TableReader, ReadsOnlyRowGroupsThatMayMatchAndMakesOnlyWhatTheFilterLeaves) {
  DataTable table(*Notes());
  std::string notes = "[";
  for (int i = 0; i < 100; ++i) notes += (i == 0 ? "\"n" : ",\"n") + std::to_string(i) + "\"";
  auto batch = BatchOf({{"id", arrow::int64(), "[]"}, {"note", arrow::utf8(), "[]"}});
  batch = arrow::RecordBatch::Make(batch->schema(), 100, {Ids(0, 100)->column(0), ArrayOf(arrow::utf8(), notes + "]")});
  table.Commit({table.Parquet("a.parquet", 0, *batch, 1, /*max_row_group_rows=*/10),
                table.Blob("img.blob", "img", 0, std::vector<std::string>(100, "picture"))});
  Rows rows = Read(table, Select({"note", "img", "_ROW_ID"}), "id IN (35, 38)").ValueOrDie();
  ExpectColumn(rows, "note", R"(["n35","n38"])");
  ExpectColumn(rows, "_ROW_ID", "[35,38]");
  EXPECT_EQ(rows.statistics.rows_scanned, 10) << "the row group of both";
  EXPECT_EQ(rows.statistics.column_chunks_read, 2);
  EXPECT_EQ(rows.statistics.values_decoded, 10 + 4) << "the ids of the row group, the notes 35 to 38";
  EXPECT_EQ(rows.statistics.descriptors_made, 2);

  rows = Read(table, Select({"note", "img"}), "id = 5 OR id = 95").ValueOrDie();
  ExpectColumn(rows, "note", R"(["n5","n95"])");
  EXPECT_EQ(rows.statistics.rows_scanned, 20);
  EXPECT_EQ(rows.statistics.column_chunks_read, 4);

  rows = Read(table, Select({"note", "img"}), "id = 1000").ValueOrDie();
  EXPECT_EQ(rows.statistics.rows_scanned, 0);
  EXPECT_EQ(rows.statistics.pages_read, 0);
  EXPECT_EQ(rows.statistics.files_opened, 1);

  ReadRequest first_rows = Select({"note", "img"});
  first_rows.limit = 3;
  rows = Read(table, std::move(first_rows)).ValueOrDie();
  EXPECT_EQ(rows.statistics.values_decoded, 3);
  EXPECT_EQ(rows.statistics.column_chunks_read, 1);
  EXPECT_EQ(rows.statistics.descriptors_made, 3);
}

TEST(TableReader, AsksTheFilterAboutFewRowsWhereALimitMayBeFilledSoon) {
  DataTable table(*OnlyIds());
  table.Commit({table.Parquet("a.parquet", 0, *Ids(0, 50000))});
  ReadRequest request = Select({"id"});
  request.limit = 3;
  Rows rows = Read(table, request, "id <> 1").ValueOrDie();
  ExpectColumn(rows, "id", "[0,2,3]");
  EXPECT_EQ(rows.statistics.rows_scanned, 4096);

  rows = Read(table, request, "id <> 1 AND id >= 7000").ValueOrDie();
  ExpectColumn(rows, "id", "[7000,7001,7002]");
  EXPECT_EQ(rows.statistics.rows_scanned, 3 * 4096) << "then twice as many";
}

TEST(TableReader, OpensNoFileForRowIdsAndConstants) {
  DataTable table(*Notes());
  CommitThreeFiles(table);
  table.Delete({{"ids.parquet", {0, 4}}});
  Rows rows = Read(table, Select({"_ROW_ID", "_SEQUENCE_NUMBER"})).ValueOrDie();
  ExpectColumn(rows, "_ROW_ID", "[1,2,3,5]");
  ExpectColumn(rows, "_SEQUENCE_NUMBER", "[2,2,2,2]");
  EXPECT_EQ(rows.statistics.files_opened, 0);
}

TEST(TableReader, GivesARowOfNullsForEachRowOfAColumnThatIsNew) {
  DataTable table(*Notes());
  CommitThreeFiles(table);
  table.AddColumn("score", DataType::FromText("DOUBLE").ValueOrDie());
  table.AddColumn("depth", DataType::FromText("BLOB").ValueOrDie());
  Rows rows = Read(table, Select({"score", "depth"})).ValueOrDie();
  ExpectColumn(rows, "score", "[null,null,null,null,null,null]");
  ExpectColumn(rows, "depth", "[null,null,null,null,null,null]");
  EXPECT_EQ(rows.statistics.files_opened, 0);
}

TEST(TableReader, FindsRenamedColumnsByTheSchemaOfTheFile) {
  DataTable table(*Notes());
  CommitThreeFiles(table);
  TableSchema next = *table.schema();
  ++next.id;
  next.fields[1].name = "label";
  next.fields.push_back({++next.highest_field_id, "note", DataType::FromText("INT").ValueOrDie(), {}, {}});
  table.SetSchema(next);
  Rows rows = Read(table, Select({"label", "note"})).ValueOrDie();
  ExpectColumn(rows, "label", R"(["a","b","c",null,"e","f"])");
  ExpectColumn(rows, "note", "[null,null,null,null,null,null]");
}

TEST(TableReader, KeepsOrderAndRepeatsOfColumns) {
  DataTable table(*OnlyIds());
  table.Commit({table.Parquet("a.parquet", 0, *Ids(0, 2))});
  Rows rows = Read(table, Select({"id", "_ROW_ID", "id"}), "id > 0").ValueOrDie();
  EXPECT_EQ(rows.all->schema()->field_names(), (std::vector<std::string>{"id", "_ROW_ID", "id"}));
  EXPECT_TRUE(rows.all->column(0)->Equals(rows.all->column(2)));
}

TEST(TableReader, GivesRowCountsWithoutColumns) {
  DataTable table(*OnlyIds());
  table.Commit({table.Parquet("a.parquet", 0, *Ids(0, 5))});
  table.Delete({{"a.parquet", {2}}});
  ReadRequest request;
  Plan plan = table.PlanOf().ValueOrDie();
  TableReader reader({table.files(), table.path(), table.schemas(), {}}, plan, request);
  auto batch = reader.Next().ValueOrDie();
  EXPECT_EQ(batch->num_rows(), 4);
  EXPECT_EQ(batch->num_columns(), 0);
  EXPECT_EQ(reader.Next().ValueOrDie(), nullptr);
}

TEST(TableReader, ReadsBatchesAcrossRowGroups) {
  DataTable table(*OnlyIds());
  table.Commit({table.Parquet("a.parquet", 0, *Ids(0, 100), 1, /*max_row_group_rows=*/7)});
  ReadRequest request = Select({"id"});
  request.max_batch_rows = 9;
  Rows rows = Read(table, std::move(request)).ValueOrDie();
  EXPECT_TRUE(rows.Column("id")->Equals(Ids(0, 100)->column(0)));
  EXPECT_EQ(rows.batch_rows.front(), 9);
  EXPECT_EQ(rows.batch_rows.size(), 12u);
  EXPECT_EQ(rows.statistics.files_opened, 1);
}

TEST(TableReader, FiltersWindowByWindow) {
  DataTable table(*Notes());
  table.Commit({table.Parquet("a.parquet", 0, *Ids(0, 100), 1, 7),
                table.Parquet("n.parquet", 0, *BatchOf({{"note", arrow::utf8(), [] {
                                                           static std::string json = "[";
                                                           for (int i = 0; i < 100; ++i) {
                                                             json +=
                                                                 (i == 0 ? "\"n" : ",\"n") + std::to_string(i) + "\"";
                                                           }
                                                           json += "]";
                                                           return std::string_view(json);
                                                         }()}}))});
  ReadRequest request = Select({"note"});
  request.max_batch_rows = 16;
  Rows rows = Read(table, std::move(request), "id IN (3, 17, 18, 19, 99)").ValueOrDie();
  ExpectColumn(rows, "note", R"(["n3","n17","n18","n19","n99"])");
  EXPECT_THAT(rows.batch_rows, ::testing::ElementsAre(1, 3, 1));
}

TEST(TableReader, GivesNamedRowsOnly) {
  DataTable table(*OnlyIds());
  table.Commit({table.Parquet("a.parquet", 0, *Ids(0, 10)), table.Parquet("b.parquet", 10, *Ids(10, 10)),
                table.Parquet("c.parquet", 20, *Ids(20, 10))});
  table.Delete({{"a.parquet", {9}}});
  ReadRequest request = Select({"id"});
  request.row_ids = std::vector<RowIdRange>{{25, 1000}, {8, 10}, {9, 9}};
  Rows rows = Read(table, std::move(request)).ValueOrDie();
  ExpectColumn(rows, "id", "[8,10,25,26,27,28,29]");

  request = Select({"id"});
  request.row_ids = std::vector<RowIdRange>{{8, 12}};
  rows = Read(table, std::move(request), "_ROW_ID IN (3, 11, 12)").ValueOrDie();
  ExpectColumn(rows, "id", "[11,12]");
  EXPECT_EQ(rows.statistics.rows_scanned, 2);
}

TEST(TableReader, StopsAtTheLimit) {
  DataTable table(*OnlyIds());
  std::vector<ManifestEntry> entries;
  for (int64_t k = 0; k < 20; ++k) {
    entries.push_back(table.Parquet("f" + std::to_string(k) + ".parquet", k * 10, *Ids(k * 10, 10)));
  }
  table.Commit(entries);
  ReadRequest request = Select({"id"});
  request.limit = 15;
  Rows rows = Read(table, request).ValueOrDie();
  EXPECT_TRUE(rows.Column("id")->Equals(Ids(0, 15)->column(0)));
  EXPECT_EQ(rows.statistics.files_opened, 2);
  EXPECT_EQ(rows.statistics.rows_returned, 15);

  rows = Read(table, request, "id >= 5").ValueOrDie();
  EXPECT_TRUE(rows.Column("id")->Equals(Ids(5, 15)->column(0)));
  EXPECT_LE(rows.statistics.files_opened, 3);

  request.limit = 0;
  rows = Read(table, request).ValueOrDie();
  EXPECT_EQ(rows.all->num_rows(), 0);
  EXPECT_EQ(rows.statistics.files_opened, 0);
}

TEST(TableReader, KeepsTheOrderOfManySmallGroups) {
  DataTable table(*OnlyIds());
  std::vector<ManifestEntry> entries;
  for (int64_t k = 0; k < 200; ++k) {
    entries.push_back(table.Parquet("f" + std::to_string(k) + ".parquet", k * 3, *Ids(k * 3, 3)));
  }
  table.Commit(entries);
  ReadRequest request = Select({"id"});
  request.max_batch_rows = 2;
  Rows rows = Read(table, request).ValueOrDie();
  EXPECT_TRUE(rows.Column("id")->Equals(Ids(0, 600)->column(0)));
}

TEST(TableReader, FallsBackRowByRowInBlobColumns) {
  DataTable table(*Notes());
  table.Commit({table.Parquet("ids.parquet", 0, *Ids(0, 6)), table.Blob("old-0.blob", "img", 0, {"a0", "a1"}, 1),
                table.Blob("old-1.blob", "img", 2, {"a2", "a3"}, 1),
                table.Blob("old-2.blob", "img", 4, {"SAME", "a5"}, 1)});
  table.Commit({table.Blob("mid.blob", "img", 0, {"SAME", "b1", "b2", "NULL"}, 2)});
  table.Commit({table.Blob("new.blob", "img", 0, {"SAME", "SAME", "NULL"}, 3)});
  Rows rows = Read(table, Select({"img"})).ValueOrDie();
  EXPECT_THAT(ContentOf(table, *rows.Column("img")), ::testing::ElementsAre("a0", "b1", "NULL", "NULL", "NULL", "a5"));
  EXPECT_EQ(rows.statistics.files_opened, 4) << "old-1.blob is hidden by newer files";

  rows = Read(table, Select({"img"}), "_ROW_ID = 5").ValueOrDie();
  EXPECT_EQ(rows.statistics.files_opened, 1) << "only one file speaks of the last row";
}

TEST(TableReader, ResolvesFramesOfRunsAndPlaceholders) {
  DataTable table(*arrow::schema({arrow::field("id", arrow::int64()), arrow::field("video", arrow::large_binary())}),
                  {}, {{"video-frame-field", "video"}});
  auto payload = [](VideoFileWriter& writer, std::string_view bytes) -> Status {
    ARROW_RETURN_NOT_OK(writer.BeginPayload());
    ARROW_RETURN_NOT_OK(writer.payload_file().Write(bytes));
    return writer.EndPayload("").status();
  };
  table.Commit({table.Parquet("ids.parquet", 0, *Ids(0, 6)),
                table.Video("old.video", "video", 0, 6, [&](VideoFileWriter& writer) -> Status {
                  ARROW_RETURN_NOT_OK(payload(writer, "first"));
                  ARROW_RETURN_NOT_OK(payload(writer, "second!"));
                  ARROW_RETURN_NOT_OK(writer.AppendFrames(0, 7, 3));
                  ARROW_RETURN_NOT_OK(writer.AppendNulls(1));
                  return writer.AppendFrames(1, 0, 2);
                })});
  table.Commit({table.Video(
      "new.video", "video", 0, 2,
      [&](VideoFileWriter& writer) -> Status {
        ARROW_RETURN_NOT_OK(payload(writer, "third"));
        ARROW_RETURN_NOT_OK(writer.AppendPlaceholders(1));
        return writer.AppendFrames(0, 4, 1);
      },
      2)});
  Rows rows = Read(table, Select({"video"}), "id <> 4").ValueOrDie();
  const auto& cells = static_cast<const arrow::LargeBinaryArray&>(*rows.Column("video"));
  ASSERT_EQ(cells.length(), 5);
  const std::string folder = table.path() + "/bucket-0/";
  auto frame = [&](int64_t i) { return VideoFrameDescriptor::Deserialize(cells.GetView(i)).ValueOrDie(); };
  EXPECT_EQ(frame(0), (VideoFrameDescriptor{folder + "old.video", 0, 5, 7, -1, 0}));
  EXPECT_EQ(frame(1), (VideoFrameDescriptor{folder + "new.video", 0, 5, 4, -1, 0}));
  EXPECT_EQ(frame(2), (VideoFrameDescriptor{folder + "old.video", 0, 5, 9, -1, 0}));
  EXPECT_TRUE(cells.IsNull(3));
  EXPECT_EQ(frame(4), (VideoFrameDescriptor{folder + "old.video", 5, 7, 1, -1, 0}));
}

TEST(TableReader, SpellsDescriptorsLikeTheTable) {
  DataTable table(*Notes());
  CommitThreeFiles(table);
  for (const auto& [table_path, folder] : std::vector<std::pair<std::string, std::string>>{
           {table.path(), table.path()},
           {"file:" + table.path(), "file:" + table.path()},
           {"file://" + table.path() + "/", "file:" + table.path()},
           {std::filesystem::relative(table.path()).string(), std::filesystem::relative(table.path()).string()}}) {
    Rows rows = Read(table, Select({"img"}), "", table_path).ValueOrDie();
    auto cell = static_cast<const arrow::LargeBinaryArray&>(*rows.Column("img")).GetView(0);
    EXPECT_EQ(BlobDescriptor::Deserialize(cell).ValueOrDie(), (BlobDescriptor{folder + "/bucket-0/img.blob", 4, 3}));
  }
}

TEST(TableReader, GivesContentInsteadOfDescriptors) {
  DataTable table(*Notes());
  CommitThreeFiles(table);
  ReadRequest request = Select({"img", "id"});
  request.blob_as_descriptor = false;
  Rows rows = Read(table, request, "img IS NOT NULL AND id < 105").ValueOrDie();
  ExpectColumn(rows, "img", R"(["one","","four","five"])");
  ExpectColumn(rows, "id", "[100,101,103,104]");
}

TEST(TableReader, FollowsInlineDescriptorsUnderTheTable) {
  DataTable table(*arrow::schema({arrow::field("id", arrow::int64()), arrow::field("ref", arrow::large_binary())}), {},
                  {{"blob-descriptor-field", "ref"}});
  const std::string inside = table.path() + "/inside.bin";
  ASSERT_TRUE(table.files()->CreateNoReplace(inside, "0123456789").ok());
  arrow::LargeBinaryBuilder refs;
  ASSERT_TRUE(refs.Append(BlobDescriptor{inside, 3, 4}.Serialize()).ok());
  ASSERT_TRUE(refs.AppendNull().ok());
  ASSERT_TRUE(refs.Append(BlobDescriptor{"/etc/passwd", 0, 4}.Serialize()).ok());
  auto schema = arrow::schema({arrow::field("id", arrow::int64()), arrow::field("ref", arrow::large_binary())});
  auto batch = arrow::RecordBatch::Make(schema, 3, {Ids(0, 3)->column(0), refs.Finish().ValueOrDie()});
  table.Commit({table.Parquet("a.parquet", 0, *batch)});

  EXPECT_TRUE(Read(table, Select({"ref"})).ValueOrDie().Column("ref")->Equals(batch->column(1)));
  ReadRequest request = Select({"ref"});
  request.blob_as_descriptor = false;
  Rows rows = Read(table, request, "id < 2").ValueOrDie();
  ExpectColumn(rows, "ref", R"(["3456",null])");
  Status status = Read(table, request).status();
  EXPECT_THAT(status.message(), HasSubstr("/etc/passwd"));
  EXPECT_THAT(status.message(), HasSubstr("reelhouse.external-roots"));
}

TEST(TableReader, TakesPartitionColumnsFromTheManifest) {
  DataTable table(*arrow::schema({arrow::field("id", arrow::int64()), arrow::field("site", arrow::utf8())}), {"site"});
  table.set_partition(table.Partition({"\"lab\""}));
  table.Commit({table.Parquet("a.parquet", 0, *Ids(0, 3))});
  Rows rows = Read(table, Select({"site", "id"}), "site = 'lab' AND id <> 1").ValueOrDie();
  ExpectColumn(rows, "site", R"(["lab","lab"])");
  ExpectColumn(rows, "id", "[0,2]");
}

TEST(TableReader, PrefersPhysicalSequenceNumbers) {
  DataTable table(*OnlyIds());
  TableSchema with_sequence = *table.schema();
  ManifestEntry entry = table.Entry("a.parquet", 0, 3, 8);
  entry.file.write_cols = std::vector<std::string>{"id", "_SEQUENCE_NUMBER"};
  const std::vector<DataField> columns = {
      table.schema()->fields[0], {kSequenceNumberFieldId, "_SEQUENCE_NUMBER", DataType(TypeRoot::kBigInt), {}, {}}};
  auto writer =
      ParquetFileWriter::Make(table.files()->Create(table.PathOf(entry)).ValueOrDie(), columns, {}).ValueOrDie();
  auto batch = BatchOf({{"id", arrow::int64(), "[1,2,3]"}, {"_SEQUENCE_NUMBER", arrow::int64(), "[5,null,6]"}});
  ASSERT_TRUE(writer->Write(*batch).ok());
  entry.file.file_size = writer->Finish().ValueOrDie();
  table.Commit({entry});
  ExpectColumn(Read(table, Select({"_SEQUENCE_NUMBER"})).ValueOrDie(), "_SEQUENCE_NUMBER", "[5,8,6]");
  ExpectColumn(Read(table, Select({"id"}), "_SEQUENCE_NUMBER = 6").ValueOrDie(), "id", "[3]");
}

TEST(TableReader, JoinsVectorFilesAndSaysWhatTheyLeaveOut) {
  auto vectors = arrow::fixed_size_list(arrow::float32(), 2);
  DataTable table(*arrow::schema({arrow::field("id", arrow::int64()), arrow::field("emb", vectors)}), {},
                  {{"vector.file.format", "parquet"}});
  table.Commit({table.Parquet("ids.parquet", 0, *Ids(0, 4)),
                table.Parquet("a.vector.parquet", 0, *BatchOf({{"emb", vectors, "[[0,0],[1,1]]"}})),
                table.Parquet("b.vector.parquet", 2, *BatchOf({{"emb", vectors, "[[2,2],[3,3]]"}})),
                table.Parquet("c.vector.parquet", 1, *BatchOf({{"emb", vectors, "[[9,9]]"}}), 2)});
  ExpectColumn(Read(table, Select({"emb"})).ValueOrDie(), "emb", "[[0,0],[9,9],[2,2],[3,3]]");
  ExpectColumn(Read(table, Select({"emb"}), "id = 3").ValueOrDie(), "emb", "[[3,3]]");

  table.Commit({table.Parquet("more.parquet", 4, *Ids(4, 2)),
                table.Parquet("d.vector.parquet", 4, *BatchOf({{"emb", vectors, "[[4,4]]"}}))});
  Status status = Read(table, Select({"emb"})).status();
  EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status;
  EXPECT_THAT(status.message(), HasSubstr("leave out row id 5"));
}

TEST(TableReader, RefusesUnknownColumnsWithTheNearestOne) {
  DataTable table(*Notes());
  Status status = Read(table, Select({"note", "imgg"})).status();
  EXPECT_THAT(status.message(), HasSubstr("`imgg`"));
  EXPECT_THAT(status.message(), HasSubstr("did you mean `img`?"));
}

TEST(TableReader, NamesTornFiles) {
  for (const std::string torn : {"ids.parquet", "notes.parquet", "img.blob"}) {
    DataTable table(*Notes());
    CommitThreeFiles(table);
    const std::string path = table.path() + "/bucket-0/" + torn;
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 3);
    Status status = Read(table, Select({"id", "note", "img"})).status();
    EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status;
    ASSERT_NE(DetailOf(status), nullptr);
    EXPECT_EQ(DetailOf(status)->fields().path, path);
    EXPECT_THAT(status.message(), HasSubstr(path));

    std::filesystem::remove(path);
    status = Read(table, Select({"id", "note", "img"})).status();
    EXPECT_TRUE(IsKind(status, ErrorKind::kFileNotFound)) << status;
  }
}

TEST(TableReader, NamesFilesWithAnotherNumberOfRowsThanTheManifestSays) {
  DataTable table(*Notes());
  ManifestEntry ids = table.Parquet("ids.parquet", 0, *Ids(0, 3));
  ManifestEntry images = table.Blob("img.blob", "img", 0, {"a", "b", "c"});
  ids.file.row_count = images.file.row_count = 4;
  table.Commit({ids, images});
  for (const char* column : {"id", "img"}) {
    Status status = Read(table, Select({column})).status();
    EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status;
    EXPECT_THAT(status.message(), HasSubstr("the manifest says 4 rows, the file has 3"));
  }
}

TEST(TableReader, GivesRowsBeforeAFailureFirst) {
  DataTable table(*OnlyIds());
  ManifestEntry torn = table.Parquet("b.parquet", 3, *Ids(3, 3));
  table.Commit({table.Parquet("a.parquet", 0, *Ids(0, 3)), torn, table.Parquet("c.parquet", 6, *Ids(6, 3))});
  std::filesystem::resize_file(table.PathOf(torn), 10);
  TableReader reader({table.files(), table.path(), table.schemas(), {}}, table.PlanOf().ValueOrDie(), Select({"id"}));
  EXPECT_EQ(reader.Next().ValueOrDie()->num_rows(), 3);
  EXPECT_TRUE(IsKind(reader.Next().status(), ErrorKind::kCorruptFile));
  EXPECT_TRUE(IsKind(reader.Next().status(), ErrorKind::kCorruptFile)) << "a failed reader stays failed";

  ReadRequest request = Select({"id"});
  request.limit = 3;
  EXPECT_TRUE(Read(table, request).ok());
}

TEST(TableReader, StopsWhenItIsCancelled) {
  DataTable table(*OnlyIds());
  table.Commit({table.Parquet("a.parquet", 0, *Ids(0, 100))});
  ReadRequest request = Select({"id"});
  request.max_batch_rows = 10;
  int asked = 0;
  request.cancelled = [&asked] { return ++asked > 3 ? Status::Cancelled("enough") : Status::OK(); };
  EXPECT_TRUE(Read(table, request).status().IsCancelled());
}

}  // namespace
}  // namespace reelhouse
