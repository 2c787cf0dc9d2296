#include <filesystem>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/format/parquet/parquet_file_reader.h"
#include "reelhouse/format/parquet/parquet_file_writer.h"
#include "tests/support/arrow_json.h"

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

DataField Column(int32_t id, const std::string& name, DataType type) { return {id, name, std::move(type), {}, {}}; }

DataType Text(std::string_view text) { return DataType::FromText(text).ValueOrDie(); }

class ParquetFileTest : public ::testing::Test {
 protected:
  std::string PathOf(const std::string& name) const { return folder_.PathOf(name); }

  std::unique_ptr<ParquetFileWriter> Create(const std::string& name, const std::vector<DataField>& columns,
                                            ParquetWriteOptions options = {}) {
    return ParquetFileWriter::Make(files_->Create(PathOf(name)).ValueOrDie(), columns, options).ValueOrDie();
  }

  int64_t WriteOne(const std::string& name, const std::vector<DataField>& columns, const arrow::RecordBatch& batch,
                   ParquetWriteOptions options = {}) {
    auto writer = Create(name, columns, options);
    const Status written = writer->Write(batch);
    EXPECT_TRUE(written.ok()) << written.ToString();
    return writer->Finish().ValueOrDie();
  }

  std::unique_ptr<ParquetFileReader> Open(const std::string& name) {
    return ParquetFileReader::Open(*files_, PathOf(name), -1).ValueOrDie();
  }

  // A file of another engine: snappy, small row groups, no Arrow schema.
  void WriteForeign(const std::string& name, const arrow::RecordBatch& batch, int64_t group_rows) {
    auto file = std::shared_ptr<OutputFile>(files_->Create(PathOf(name)).ValueOrDie());
    const auto properties = parquet::WriterProperties::Builder().compression(arrow::Compression::SNAPPY)->build();
    const auto table = arrow::Table::FromRecordBatches({batch.Slice(0)}).ValueOrDie();
    ASSERT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), file, group_rows, properties).ok());
    ASSERT_TRUE(file->Finish().ok());
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::shared_ptr<FileStore> files_ = MakeLocalFileStore({.fsync = false});
};

std::vector<DataField> EveryType() {
  return {Column(0, "flag", Text("BOOLEAN")),
          Column(1, "tiny", Text("TINYINT")),
          Column(2, "small", Text("SMALLINT")),
          Column(3, "int", Text("INT NOT NULL")),
          Column(4, "big", Text("BIGINT")),
          Column(5, "float", Text("FLOAT")),
          Column(6, "double", Text("DOUBLE")),
          Column(7, "money", Text("DECIMAL(10, 2)")),
          Column(8, "huge", Text("DECIMAL(38, 0)")),
          Column(9, "text", Text("STRING")),
          Column(10, "bytes", Text("BYTES")),
          Column(11, "fixed", Text("BINARY(3)")),
          Column(12, "day", Text("DATE")),
          Column(13, "time", Text("TIME(0)")),
          Column(14, "s", Text("TIMESTAMP(0)")),
          Column(15, "ms", Text("TIMESTAMP(3)")),
          Column(16, "us", Text("TIMESTAMP(6)")),
          Column(17, "ns", Text("TIMESTAMP(9)")),
          Column(18, "zoned", Text("TIMESTAMP(6) WITH LOCAL TIME ZONE")),
          Column(19, "list", DataType::Array(Text("STRING"))),
          Column(20, "map", DataType::Map(Text("STRING NOT NULL"), Text("INT"))),
          Column(23, "row", DataType::Row({Column(21, "x", Text("DOUBLE")), Column(22, "y", Text("INT"))})),
          Column(24, "inline", Text("BLOB")),
          Column(25, "vector", DataType::Vector(Text("FLOAT"), 2))};
}

std::shared_ptr<arrow::RecordBatch> RowsOfEveryType() {
  const std::vector<std::string_view> json = {"[true, null]",
                                              "[-128, null]",
                                              "[-32768, null]",
                                              "[1, 2]",
                                              "[-9223372036854775808, null]",
                                              "[1.5, null]",
                                              "[1e300, null]",
                                              R"(["-1.50", null])",
                                              R"(["99999999999999999999999999999999999999", null])",
                                              R"(["é", null])",
                                              R"(["b", null])",
                                              R"(["abc", null])",
                                              "[-2, null]",
                                              "[86399999, null]",
                                              "[-1, null]",
                                              "[-1, null]",
                                              "[-1, null]",
                                              "[-1, null]",
                                              "[1704070923456789, null]",
                                              R"([["a", null], null])",
                                              R"([[["k", 1]], null])",
                                              R"([{"x": 1.5, "y": null}, null])",
                                              R"(["blob", null])",
                                              "[[1, 2], [3, 4]]"};
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  const auto columns = EveryType();
  for (size_t i = 0; i < columns.size(); ++i) {
    fields.push_back(ToArrowField(columns[i]));
    arrays.push_back(ArrayOf(columns[i].type.ToArrow(), json[i]));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), 2, arrays);
}

std::vector<std::string> NamesOf(const std::vector<DataField>& columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.name);
  return names;
}

TEST_F(ParquetFileTest, RoundTripsEveryType) {
  const auto batch = RowsOfEveryType();
  const int64_t size = WriteOne("a.parquet", EveryType(), *batch);
  EXPECT_EQ(static_cast<int64_t>(std::filesystem::file_size(PathOf("a.parquet"))), size);
  auto reader = Open("a.parquet");
  EXPECT_EQ(reader->row_count(), 2);
  EXPECT_TRUE(reader->HasColumn("row"));
  EXPECT_FALSE(reader->HasColumn("x"));
  const auto read = reader->ReadRows(NamesOf(EveryType()), EveryType(), 0, 2).ValueOrDie();
  ASSERT_TRUE(read->ValidateFull().ok());
  for (int i = 0; i < batch->num_columns(); ++i) {
    EXPECT_TRUE(read->column(i)->Equals(*batch->column(i))) << batch->column_name(i) << read->column(i)->ToString();
    EXPECT_TRUE(read->column(i)->type()->Equals(*batch->column(i)->type())) << batch->column_name(i);
  }
}

TEST_F(ParquetFileTest, StoresWhatTheFormatNotesSay) {
  WriteOne("a.parquet", EveryType(), *RowsOfEveryType());
  auto raw = parquet::ParquetFileReader::Open(files_->OpenInput(PathOf("a.parquet")).ValueOrDie());
  const auto metadata = raw->metadata();
  EXPECT_TRUE(metadata->key_value_metadata()->Contains("ARROW:schema"));
  const auto* root = metadata->schema()->group_node();
  for (const auto& column : EveryType()) {
    const auto& node = root->field(root->FieldIndex(column.name));
    EXPECT_EQ(node->field_id(), column.id) << column.name;
    EXPECT_EQ(node->is_required(), !column.type.nullable()) << column.name;
  }
  const auto& row = static_cast<const parquet::schema::GroupNode&>(*root->field(root->FieldIndex("row")));
  EXPECT_EQ(row.field(0)->field_id(), 21);
  EXPECT_EQ(row.field(1)->field_id(), 22);
  const auto physical = [&](const std::string& name) {
    return static_cast<const parquet::schema::PrimitiveNode&>(*root->field(root->FieldIndex(name))).physical_type();
  };
  EXPECT_EQ(physical("fixed"), parquet::Type::BYTE_ARRAY);
  EXPECT_EQ(physical("inline"), parquet::Type::BYTE_ARRAY);
  EXPECT_EQ(physical("money"), parquet::Type::FIXED_LEN_BYTE_ARRAY);
  EXPECT_EQ(physical("time"), parquet::Type::INT32);
  const auto& seconds = *root->field(root->FieldIndex("s"))->logical_type();
  EXPECT_EQ(static_cast<const parquet::TimestampLogicalType&>(seconds).time_unit(),
            parquet::LogicalType::TimeUnit::MILLIS);
  const auto group = metadata->RowGroup(0);
  EXPECT_EQ(group->ColumnChunk(0)->compression(), arrow::Compression::ZSTD);
  EXPECT_TRUE(group->ColumnChunk(3)->is_stats_set());
  EXPECT_TRUE(group->ColumnChunk(3)->GetColumnIndexLocation().has_value());
  EXPECT_TRUE(group->ColumnChunk(3)->GetOffsetIndexLocation().has_value());
}

TEST_F(ParquetFileTest, RefusesNullInAColumnThatIsNotNull) {
  const std::vector<DataField> columns = {Column(0, "id", Text("INT NOT NULL"))};
  auto writer = Create("a.parquet", columns);
  EXPECT_THAT(writer->Write(*BatchOf({{"id", arrow::int32(), "[1, null]"}})).message(),
              HasSubstr("Column 'id' is declared non-nullable but contains nulls"));
  writer.reset();
  EXPECT_FALSE(std::filesystem::exists(PathOf("a.parquet"))) << "unfinished files are removed";
}

TEST_F(ParquetFileTest, StoresNullVectorsAsListsWhenAskedTo) {
  const std::vector<DataField> columns = {Column(0, "v", DataType::Vector(Text("FLOAT"), 2))};
  const auto batch = BatchOf({{"v", arrow::fixed_size_list(arrow::float32(), 2), "[[1, 2], null, [3, 4]]"}});
  ParquetWriteOptions options;
  options.vectors_as_lists = true;
  WriteOne("a.parquet", columns, *batch, options);
  const auto read = Open("a.parquet")->ReadRows({"v"}, columns, 0, 3).ValueOrDie();
  EXPECT_TRUE(read->column(0)->Equals(*batch->column(0)));
}

TEST_F(ParquetFileTest, ReadsRangesOfRowsAcrossRowGroups) {
  const std::vector<DataField> columns = {Column(0, "id", Text("BIGINT")), Column(1, "name", Text("STRING"))};
  ParquetWriteOptions options;
  options.max_row_group_rows = 10;
  auto writer = Create("a.parquet", columns, options);
  for (int start = 0; start < 95; start += 19) {
    arrow::Int64Builder ids;
    arrow::StringBuilder names;
    for (int i = start; i < start + 19; ++i) {
      ASSERT_TRUE(ids.Append(i).ok());
      ASSERT_TRUE(names.Append("row " + std::to_string(i)).ok());
    }
    ASSERT_TRUE(writer
                    ->Write(*arrow::RecordBatch::Make(
                        arrow::schema({arrow::field("id", arrow::int64()), arrow::field("name", arrow::utf8())}), 19,
                        {ids.Finish().ValueOrDie(), names.Finish().ValueOrDie()}))
                    .ok());
  }
  EXPECT_EQ(writer->row_count(), 95);
  ASSERT_TRUE(writer->Finish().ok());
  auto reader = Open("a.parquet");
  EXPECT_THAT(reader->RowGroupRows(), ElementsAre(10, 10, 10, 10, 10, 10, 10, 10, 10, 5));
  const auto expect = [&](int64_t first, int64_t rows) {
    // Columns in another order than in the file, and one twice.
    const auto read = reader->ReadRows({"name", "id", "name"}, {columns[1], columns[0], columns[1]}, first, rows);
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    ASSERT_EQ((*read)->num_rows(), rows);
    const auto& ids = static_cast<const arrow::Int64Array&>(*(*read)->column(1));
    for (int64_t i = 0; i < rows; ++i) EXPECT_EQ(ids.Value(i), first + i);
    EXPECT_TRUE((*read)->column(0)->Equals(*(*read)->column(2)));
  };
  expect(0, 95);
  expect(33, 1);
  expect(34, 20);  // goes on where the last one stopped
  expect(60, 35);  // jumps
  expect(5, 10);   // back
  expect(95, 0);
  expect(94, 1);
  EXPECT_THAT(reader->ReadRows({"id"}, {columns[0]}, 90, 6).status().message(), HasSubstr("within 0 to 95"));
  EXPECT_THAT(reader->ReadRows({"zz"}, {columns[0]}, 0, 6).status().message(), HasSubstr("column 'zz'"));
  EXPECT_EQ(reader->ReadRows({}, {}, 0, 7).ValueOrDie()->num_rows(), 7);
}

TEST_F(ParquetFileTest, ClosesARowGroupByItsRowsOrItsBytes) {
  const std::vector<DataField> columns = {Column(0, "id", Text("BIGINT"))};
  const auto ids = [](int64_t count) {
    arrow::Int64Builder builder;
    for (int64_t i = 0; i < count; ++i) EXPECT_TRUE(builder.Append(i).ok());
    return arrow::RecordBatch::Make(arrow::schema({arrow::field("id", arrow::int64())}), count,
                                    {builder.Finish().ValueOrDie()});
  };
  ParquetWriteOptions options;
  options.max_row_group_rows = 300;
  WriteOne("rows.parquet", columns, *ids(1000), options);
  EXPECT_THAT(Open("rows.parquet")->RowGroupRows(), ElementsAre(300, 300, 300, 100));
  options.max_row_group_bytes = 800;
  WriteOne("bytes.parquet", columns, *ids(400), options);
  EXPECT_THAT(Open("bytes.parquet")->RowGroupRows(), ElementsAre(100, 100, 100, 100));
}

TEST_F(ParquetFileTest, ReadsForeignFilesAndCastsToTheCurrentType) {
  const auto batch = BatchOf({{"id", arrow::int32(), "[1, 2, 3, null]"},
                              {"name", arrow::large_utf8(), R"(["a", "b", null, "d"])"},
                              {"when", arrow::timestamp(arrow::TimeUnit::MILLI), "[1000, 2500, null, 0]"},
                              {"v", arrow::list(arrow::float64()), "[[1, 2], [3, 4], null, [5, 6]]"},
                              {"n", arrow::uint8(), "[1, 2, 3, 255]"},
                              {"b", arrow::binary(), R"(["x", "y", "z", null])"}});
  WriteForeign("a.parquet", *batch, 3);
  const std::vector<DataField> targets = {
      Column(0, "id", Text("BIGINT")),         Column(1, "renamed", Text("STRING")),
      Column(2, "when", Text("TIMESTAMP(0)")), Column(3, "v", DataType::Vector(Text("FLOAT"), 2)),
      Column(4, "n", Text("STRING")),          Column(5, "b", Text("BLOB"))};
  const auto read = Open("a.parquet")->ReadRows({"id", "name", "when", "v", "n", "b"}, targets, 1, 3).ValueOrDie();
  const auto expected = BatchOf({{"id", arrow::int64(), "[2, 3, null]"},
                                 {"renamed", arrow::utf8(), R"(["b", null, "d"])"},
                                 {"when", arrow::timestamp(arrow::TimeUnit::SECOND), "[2, null, 0]"},
                                 {"v", arrow::fixed_size_list(arrow::float32(), 2), "[[3, 4], null, [5, 6]]"},
                                 {"n", arrow::utf8(), R"(["2", "3", "255"])"},
                                 {"b", arrow::large_binary(), R"(["y", "z", null])"}});
  for (int i = 0; i < expected->num_columns(); ++i) {
    EXPECT_TRUE(read->column(i)->Equals(*expected->column(i))) << read->column(i)->ToString();
  }
  EXPECT_EQ(read->schema()->field(1)->name(), "renamed");
}

TEST_F(ParquetFileTest, NamesTheFileAndTheColumnOfAValueThatCannotBeCast) {
  WriteForeign("a.parquet", *BatchOf({{"s", arrow::utf8(), R"(["x"])"}}), 10);
  const Status status = Open("a.parquet")->ReadRows({"s"}, {Column(0, "s", Text("INT"))}, 0, 1).status();
  EXPECT_THAT(status.message(), HasSubstr("a.parquet: column 's': "));
}

TEST_F(ParquetFileTest, SurvivesTornAndHostileFiles) {
  WriteOne("good.parquet", EveryType(), *RowsOfEveryType());
  const std::string good = files_->ReadAll(PathOf("good.parquet")).ValueOrDie();
  const auto read = [&](const std::string& bytes) -> Status {
    ARROW_RETURN_NOT_OK(files_->Replace(PathOf("bad.parquet"), bytes));
    ARROW_ASSIGN_OR_RAISE(auto reader, ParquetFileReader::Open(*files_, PathOf("bad.parquet"), -1));
    return reader->ReadRows(NamesOf(EveryType()), EveryType(), 0, std::min<int64_t>(2, reader->row_count())).status();
  };
  ASSERT_TRUE(read(good).ok());
  for (size_t size = 0; size < good.size(); size += 97) {
    const Status status = read(good.substr(0, size));
    EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr("bad.parquet"));
  }
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = good;
    bytes[random() % bytes.size()] ^= static_cast<char>(1 << (random() % 8));
    const Status status = read(bytes);
    if (!status.ok()) {
      EXPECT_THAT(status.message(), HasSubstr("bad.parquet"));
    }
  }
}

TEST_F(ParquetFileTest, AMissingFileIsAMissingFile) {
  const Status status = ParquetFileReader::Open(*files_, PathOf("none.parquet"), -1).status();
  EXPECT_TRUE(IsKind(status, ErrorKind::kFileNotFound)) << status.ToString();
}

TEST_F(ParquetFileTest, OptionsThatDoNotFitAreRefusedByName) {
  EXPECT_EQ(ParquetWriteOptions::From(Options(std::map<std::string, std::string>{{"file.compression", "SNAPPY"}}))
                .ValueOrDie()
                .compression,
            "snappy");
  EXPECT_THAT(ParquetWriteOptions::From(Options(std::map<std::string, std::string>{{"file.compression", "zip"}}))
                  .status()
                  .message(),
              HasSubstr("'file.compression'"));
  EXPECT_THAT(
      ParquetWriteOptions::From(Options(std::map<std::string, std::string>{{"file.compression.zstd-level", "40"}}))
          .status()
          .message(),
      HasSubstr("found 40"));
}

TEST_F(ParquetFileTest, ReadsEveryFileOfTheVectors) {
  const std::filesystem::path vectors(REELHOUSE_SOURCE_DIR "/tests/data/vectors");
  if (!std::filesystem::exists(vectors)) GTEST_SKIP() << "no vectors in " << vectors;
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(vectors)) {
    if (entry.path().extension() != ".parquet") continue;
    const auto reader = ParquetFileReader::Open(*files_, entry.path().string(), -1);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    EXPECT_GT((*reader)->row_count(), 0);
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace reelhouse
