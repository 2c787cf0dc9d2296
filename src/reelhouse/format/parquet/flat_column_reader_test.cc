#include "reelhouse/format/parquet/flat_column_reader.h"

#include <filesystem>
#include <numeric>
#include <random>

#include <arrow/api.h>
#include <arrow/compute/api_vector.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/format/parquet/parquet_file_reader.h"
#include "reelhouse/format/parquet/parquet_file_writer.h"
#include "reelhouse/format/parquet/run_or_packed_reader.h"
#include "tests/support/counting_file_store.h"

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kRows = 12000;

DataField Column(const std::string& name, std::string_view type) {
  return {0, name, DataType::FromText(type).ValueOrDie(), {}, {}};
}

const std::vector<DataField>& Columns() {
  static const std::vector<DataField> columns = {
      Column("tiny", "TINYINT"),         Column("small", "SMALLINT"), Column("int", "INT NOT NULL"),
      Column("big", "BIGINT"),           Column("runs", "BIGINT"),    Column("float", "FLOAT"),
      Column("double", "DOUBLE"),        Column("text", "STRING"),    Column("many", "STRING"),
      Column("bytes", "BYTES"),          Column("day", "DATE"),       Column("when", "TIMESTAMP(6)"),
      Column("money", "DECIMAL(10, 2)"), Column("flag", "BOOLEAN"),   Column("list", "ARRAY<INT>"),
      Column("nothing", "STRING")};
  return columns;
}

// Rows with runs, with few and many different values, with NULLs here and there and in stretches.
std::shared_ptr<arrow::RecordBatch> RandomRows(uint32_t seed) {
  std::mt19937 random(seed);
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const DataField& column : Columns()) {
    const auto type = column.type.ToArrow();
    std::unique_ptr<arrow::ArrayBuilder> builder = arrow::MakeBuilder(type).ValueOrDie();
    const uint32_t different = column.name == "many" || column.name == "double" ? 1u << 30 : 100;
    int64_t null_run = 0;
    for (int64_t row = 0; row < kRows; ++row) {
      if (column.type.nullable() && null_run == 0 && random() % 900 == 0) null_run = 1 + random() % 700;
      if (column.name == "nothing" || null_run > 0) {
        null_run -= null_run > 0 ? 1 : 0;
        EXPECT_TRUE(builder->AppendNull().ok());
        continue;
      }
      const int64_t value = column.name == "runs" ? row / 777 : random() % different;
      std::shared_ptr<arrow::Scalar> scalar;
      if (column.name == "text" || column.name == "many" || column.name == "bytes") {
        const std::string bytes = std::string(value % 23, 'x') + std::to_string(value);
        scalar = arrow::MakeScalar(bytes)->CastTo(type).ValueOrDie();
      } else if (column.name == "list") {
        arrow::Int32Builder items;
        for (int64_t i = 0; i < value % 4; ++i) EXPECT_TRUE(items.Append(static_cast<int32_t>(i)).ok());
        scalar = std::make_shared<arrow::ListScalar>(items.Finish().ValueOrDie(), type);
      } else if (column.name == "money") {
        scalar = std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(value), type);
      } else if (column.name == "day") {
        scalar = std::make_shared<arrow::Date32Scalar>(static_cast<int32_t>(value));
      } else if (column.name == "when") {
        scalar = std::make_shared<arrow::TimestampScalar>(value, type);
      } else {
        scalar = arrow::MakeScalar(value)->CastTo(type).ValueOrDie();
      }
      EXPECT_TRUE(builder->AppendScalar(*scalar).ok());
    }
    arrays.push_back(builder->Finish().ValueOrDie());
    fields.push_back(ToArrowField(column));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), kRows, arrays);
}

class FlatColumnReaderTest : public ::testing::Test {
 protected:
  std::string PathOf(const std::string& name) const { return folder_.PathOf(name); }

  void Write(const std::string& name, const arrow::RecordBatch& batch, int64_t group_rows,
             const std::shared_ptr<parquet::WriterProperties>& properties) {
    std::filesystem::remove(PathOf(name));
    auto file = std::shared_ptr<OutputFile>(files_->Create(PathOf(name)).ValueOrDie());
    const auto table = arrow::Table::FromRecordBatches({batch.Slice(0)}).ValueOrDie();
    ASSERT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), file, group_rows, properties).ok());
    ASSERT_TRUE(file->Finish().ok());
  }

  std::unique_ptr<ParquetFileReader> Open(const std::string& name) {
    return ParquetFileReader::Open(*files_, PathOf(name), -1).ValueOrDie();
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::shared_ptr<FileStore> files_ = MakeLocalFileStore({.fsync = false});
};

std::shared_ptr<arrow::Array> Taken(const std::shared_ptr<arrow::Array>& values, const std::vector<int64_t>& rows) {
  arrow::Int64Builder indexes;
  EXPECT_TRUE(indexes.AppendValues(rows).ok());
  return arrow::compute::Take(*values, *indexes.Finish().ValueOrDie()).ValueOrDie();
}

TEST_F(FlatColumnReaderTest, GivesAnyRowsAsTheyWereWrittenWhateverThePagesAre) {
  const auto batch = RandomRows(5);
  using Builder = parquet::WriterProperties::Builder;
  const auto small_pages = [](Builder* builder) { return builder->data_pagesize(3000)->write_batch_size(100); };
  Builder v1, v2, plain, splits;
  const std::vector<std::shared_ptr<parquet::WriterProperties>> writers = {
      small_pages(&v1)->compression(arrow::Compression::ZSTD)->build(),
      small_pages(&v2)->data_page_version(parquet::ParquetDataPageVersion::V2)->enable_write_page_index()->build(),
      small_pages(&plain)->disable_dictionary()->compression(arrow::Compression::SNAPPY)->build(),
      small_pages(&splits)
          ->disable_dictionary()
          ->encoding("big", parquet::Encoding::DELTA_BINARY_PACKED)
          ->encoding("text", parquet::Encoding::DELTA_BYTE_ARRAY)
          ->encoding("double", parquet::Encoding::BYTE_STREAM_SPLIT)
          ->build()};
  std::mt19937 random(11);
  for (const auto& properties : writers) {
    for (const int64_t group_rows : {kRows, int64_t{4321}}) {
      Write("a.parquet", *batch, group_rows, properties);
      auto reader = Open("a.parquet");
      for (int round = 0; round < 12; ++round) {
        // All, a stretch, scattered rows, dense rows with gaps; some go on, some go back.
        std::vector<int64_t> rows;
        const int64_t first = round == 0 ? 0 : random() % kRows;
        const int64_t end = round == 0 ? kRows : std::min<int64_t>(kRows, first + 1 + random() % 6000);
        const uint32_t one_of = round % 3 == 2 ? 1000 : round % 3 == 1 ? 3 : 1;
        for (int64_t row = first; row < end; ++row) {
          if (random() % one_of == 0) rows.push_back(row);
        }
        if (rows.empty()) rows.push_back(first);
        for (size_t i = 0; i < Columns().size(); ++i) {
          const auto read = reader->ReadColumn(Columns()[i].name, Columns()[i], rows);
          ASSERT_TRUE(read.ok()) << Columns()[i].name << read.status().ToString();
          ASSERT_TRUE((*read)->ValidateFull().ok()) << Columns()[i].name;
          ASSERT_TRUE((*read)->Equals(*Taken(batch->column(static_cast<int>(i)), rows))) << Columns()[i].name;
        }
      }
    }
  }
}

TEST_F(FlatColumnReaderTest, DecompressesOnlyPagesWithWantedRows) {
  const std::vector<DataField> columns = {Column("double", "DOUBLE")};
  arrow::DoubleBuilder builder;
  for (int i = 0; i < 100000; ++i) ASSERT_TRUE(builder.Append(i / 7.0).ok());
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("double", arrow::float64())}), 100000,
                                              {builder.Finish().ValueOrDie()});
  parquet::WriterProperties::Builder pages;
  Write("a.parquet", *batch, 50000, pages.disable_dictionary()->data_pagesize(8000)->write_batch_size(1000)->build());
  auto reader = Open("a.parquet");
  const std::vector<int64_t> rows = {70500, 70501, 90100};
  const auto read = reader->ReadColumn("double", columns[0], rows).ValueOrDie();
  EXPECT_TRUE(read->Equals(*Taken(batch->column(0), rows)));
  const ParquetReadStatistics work = reader->statistics();
  EXPECT_EQ(work.column_chunks_read, 1);
  EXPECT_EQ(work.pages_read, 2);
  EXPECT_EQ(work.pages_skipped, 39);
  EXPECT_EQ(work.values_decoded, 3);

  // Going on takes no page twice, and passes over what lies before the next row.
  EXPECT_TRUE(reader->ReadColumn("double", columns[0], std::vector<int64_t>{90101}).ok());
  EXPECT_EQ(reader->statistics().pages_read, 2);
}

TEST_F(FlatColumnReaderTest, ReadsLargeColumnChunksInParts) {
  constexpr int64_t kMany = 6'000'000;
  arrow::DoubleBuilder builder;
  ASSERT_TRUE(builder.Reserve(kMany).ok());
  for (int64_t i = 0; i < kMany; ++i) builder.UnsafeAppend(static_cast<double>(i));
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("double", arrow::float64())}), kMany,
                                              {builder.Finish().ValueOrDie()});
  parquet::WriterProperties::Builder plain;
  plain.disable_dictionary()->compression(arrow::Compression::UNCOMPRESSED)->max_row_group_length(kMany);
  Write("a.parquet", *batch, kMany, plain.build());
  CountingFileStore counting(files_);
  auto reader = ParquetFileReader::Open(counting, PathOf("a.parquet"), -1).ValueOrDie();
  const DataField column = Column("double", "DOUBLE");
  const std::vector<int64_t> rows = {0, 1, 300000};
  EXPECT_TRUE(reader->ReadColumn("double", column, rows).ValueOrDie()->Equals(*Taken(batch->column(0), rows)));
  EXPECT_LT(counting.counts().bytes, 8 << 20) << "of 48 MB";
}

TEST_F(FlatColumnReaderTest, FindsBoundsOfPagesAndOfRowGroups) {
  arrow::Int64Builder ids;
  arrow::StringBuilder names;
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(ids.Append(i).ok());
    ASSERT_TRUE(i < 10 ? names.AppendNull().ok() : names.Append(std::string(1, static_cast<char>('a' + i / 10))).ok());
  }
  const auto batch =
      arrow::RecordBatch::Make(arrow::schema({arrow::field("id", arrow::int64()), arrow::field("name", arrow::utf8())}),
                               40, {ids.Finish().ValueOrDie(), names.Finish().ValueOrDie()});
  parquet::WriterProperties::Builder indexed, bare;
  Write("pages.parquet", *batch, 20,
        indexed.disable_dictionary()->data_pagesize(1)->write_batch_size(10)->enable_write_page_index()->build());
  Write("groups.parquet", *batch, 20, bare.build());
  const auto bounds_in = [&](const std::string& file, const DataField& column) {
    std::vector<std::string> bounds;
    for (const ParquetColumnBounds& part : Open(file)->BoundsOf(column.name, column).ValueOrDie()) {
      const auto text = [](const auto& scalar) { return scalar == nullptr ? "?" : scalar->ToString(); };
      bounds.push_back(std::to_string(part.first_row) + "+" + std::to_string(part.row_count) + " " + text(part.min) +
                       " " + text(part.max) + " " + std::to_string(part.null_count.value_or(-1)));
    }
    return bounds;
  };
  EXPECT_THAT(bounds_in("pages.parquet", Column("id", "BIGINT")),
              ElementsAre("0+10 0 9 0", "10+10 10 19 0", "20+10 20 29 0", "30+10 30 39 0"));
  EXPECT_THAT(bounds_in("pages.parquet", Column("name", "STRING")),
              ElementsAre("0+20 b b 10", "20+10 c c 0", "30+10 d d 0"))
      << "NULLs alone fill no page";
  EXPECT_THAT(bounds_in("groups.parquet", Column("id", "BIGINT")), ElementsAre("0+20 0 19 0", "20+20 20 39 0"));
  EXPECT_THAT(bounds_in("groups.parquet", Column("name", "STRING")), ElementsAre("0+20 b b 10", "20+20 c d 0"));
  EXPECT_THAT(bounds_in("groups.parquet", Column("id", "STRING")), ElementsAre()) << "the type has changed";
  EXPECT_THAT(bounds_in("groups.parquet", Column("none", "STRING")), ElementsAre());
}

TEST_F(FlatColumnReaderTest, SurvivesDamagedPages) {
  const auto batch = RandomRows(6);
  parquet::WriterProperties::Builder uncompressed;
  Write("good.parquet", *batch, 5000, uncompressed.data_pagesize(3000)->write_batch_size(100)->build());
  const std::string good = files_->ReadAll(PathOf("good.parquet")).ValueOrDie();
  std::vector<int64_t> rows(kRows);
  std::iota(rows.begin(), rows.end(), 0);
  std::mt19937 random(17);
  for (int round = 0; round < 30; ++round) {
    std::string bytes = good;
    for (int i = 0; i < 40; ++i) bytes[random() % bytes.size()] ^= static_cast<char>(1 << (random() % 8));
    ASSERT_TRUE(files_->Replace(PathOf("bad.parquet"), bytes).ok());
    auto reader = ParquetFileReader::Open(*files_, PathOf("bad.parquet"), -1);
    if (!reader.ok()) continue;
    for (const DataField& column : Columns()) {
      std::vector<int64_t> wanted = rows;
      wanted.resize(std::min<int64_t>(kRows, (*reader)->row_count()));
      (void)(*reader)->BoundsOf(column.name, column);
      const auto read = (*reader)->ReadColumn(column.name, column, wanted);
      if (!read.ok()) {
        EXPECT_THAT(read.status().message(), HasSubstr("bad.parquet"));
      }
    }
  }
}

TEST(RunOrPackedReader, ReadsRunsAndGroupsAndStopsWhereTheBytesEnd) {
  // A run of 5 threes, then a group of eight numbers of 3 bits: 0 to 7.
  const std::vector<uint8_t> bytes = {10, 3, 3, 0x88, 0xC6, 0xFA};
  const std::vector<int> expected = {3, 3, 3, 3, 3, 0, 1, 2, 3, 4, 5, 6, 7};
  for (int64_t skipped = 0; skipped <= 13; ++skipped) {
    RunOrPackedReader reader(bytes, 3);
    ASSERT_TRUE(reader.Skip(skipped));
    std::vector<int> numbers(13 - skipped);
    ASSERT_TRUE(reader.Read(13 - skipped, numbers.data()));
    EXPECT_EQ(numbers, std::vector<int>(expected.begin() + skipped, expected.end()));
    EXPECT_FALSE(reader.Skip(1));
  }
  RunOrPackedReader torn(std::span<const uint8_t>(bytes).first(5), 3);
  EXPECT_TRUE(torn.Skip(10));
  EXPECT_FALSE(torn.Skip(1));
  const std::vector<uint8_t> ones(6, 0xFF);
  RunOrPackedReader endless(ones, 3);
  EXPECT_FALSE(endless.Skip(1));
  uint32_t number = 7;
  EXPECT_TRUE(RunOrPackedReader({}, 0).Read(1, &number));
  EXPECT_EQ(number, 0u);
}

}  // namespace
}  // namespace reelhouse
