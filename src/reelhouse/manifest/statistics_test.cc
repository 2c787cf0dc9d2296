#include "reelhouse/manifest/statistics.h"

#include <cmath>
#include <limits>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>

#include "reelhouse/manifest/binary_row.h"
#include "reelhouse/manifest/table_paths.h"
#include "tests/support/vector_table.h"

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

DataField Field(const std::string& name, const char* type) {
  DataField field;
  field.name = name;
  field.type = DataType::FromText(type).ValueOrDie();
  return field;
}

std::shared_ptr<arrow::Array> Doubles(const std::vector<std::optional<double>>& values) {
  arrow::DoubleBuilder builder;
  for (const auto& value : values) EXPECT_TRUE((value ? builder.Append(*value) : builder.AppendNull()).ok());
  return *builder.Finish();
}

std::shared_ptr<arrow::RecordBatch> Batch(const std::shared_ptr<arrow::Array>& column) {
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("c", column->type())}), column->length(), {column});
}

struct MinMax {
  std::shared_ptr<arrow::Scalar> min;
  std::shared_ptr<arrow::Scalar> max;
  std::optional<int64_t> null_count;
};

MinMax Collect(const char* type, const std::vector<std::shared_ptr<arrow::Array>>& arrays) {
  const DataField field = Field("c", type);
  StatisticsCollector collector({field});
  for (const auto& array : arrays) {
    const Status status = collector.Add(*Batch(array));
    EXPECT_TRUE(status.ok()) << status;
  }
  auto statistics = collector.Finish();
  EXPECT_TRUE(statistics.ok()) << statistics.status();
  return {*DecodeBinaryRowField(statistics->min_values, 0, field.type),
          *DecodeBinaryRowField(statistics->max_values, 0, field.type), statistics->null_counts->front()};
}

// Parquet knows no seconds: the columns come back in milliseconds.
std::shared_ptr<arrow::Array> InSeconds(const arrow::Array& values) {
  const auto& millis = static_cast<const arrow::TimestampArray&>(values);
  arrow::TimestampBuilder builder(arrow::timestamp(arrow::TimeUnit::SECOND), arrow::default_memory_pool());
  for (int64_t i = 0; i < millis.length(); ++i) {
    EXPECT_TRUE((millis.IsNull(i) ? builder.AppendNull() : builder.Append(millis.Value(i) / 1000)).ok());
  }
  return *builder.Finish();
}

TEST(StatisticsCollector, CollectsFromTheParquetFilesOfTheVectorWhatPypaimonCollected) {
  VectorTable table("plain_stats");
  const TablePaths paths(table.path(), table.latest_schema());
  int files = 0;
  for (const ManifestEntry& entry : table.Live()) {
    const TableSchema& schema = *table.schemas().at(entry.file.schema_id);
    parquet::arrow::FileReaderBuilder builder;
    ASSERT_TRUE(builder.Open(*table.files()->OpenInput(*paths.DataFilePath(entry))).ok());
    auto reader = builder.Build();
    ASSERT_TRUE(reader.ok()) << reader.status();
    std::shared_ptr<arrow::Table> rows;
    ASSERT_TRUE((*reader)->ReadTable(&rows).ok());
    auto batch = *rows->CombineChunksToBatch();
    const int seconds = schema.FieldIndex("ts_s");
    if (!batch->column(seconds)->type()->Equals(arrow::timestamp(arrow::TimeUnit::SECOND))) {
      batch = *batch->SetColumn(seconds, arrow::field("ts_s", arrow::timestamp(arrow::TimeUnit::SECOND)),
                                InSeconds(*batch->column(seconds)));
    }
    StatisticsCollector collector(schema.fields);
    const Status status = collector.Add(*batch);
    ASSERT_TRUE(status.ok()) << status;
    auto statistics = collector.Finish();
    ASSERT_TRUE(statistics.ok()) << statistics.status();
    EXPECT_TRUE(*statistics == entry.file.value_stats);
    ++files;
  }
  EXPECT_EQ(files, 2);
}

TEST(StatisticsCollector, CountsNothingForNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const MinMax some = Collect("DOUBLE", {Doubles({nan, 3.0, std::nullopt}), Doubles({nan, -1.0})});
  EXPECT_TRUE(some.min->Equals(arrow::DoubleScalar(-1.0)));
  EXPECT_TRUE(some.max->Equals(arrow::DoubleScalar(3.0)));
  EXPECT_EQ(some.null_count, 1);
  const MinMax none = Collect("DOUBLE", {Doubles({nan, nan})});
  EXPECT_FALSE(none.min->is_valid);
  EXPECT_FALSE(none.max->is_valid);
  EXPECT_EQ(none.null_count, 0);
}

TEST(StatisticsCollector, KeepsBothZerosInside) {
  const MinMax zeros = Collect("DOUBLE", {Doubles({0.0, -0.0})});
  EXPECT_TRUE(std::signbit(static_cast<const arrow::DoubleScalar&>(*zeros.min).value));
  EXPECT_FALSE(std::signbit(static_cast<const arrow::DoubleScalar&>(*zeros.max).value));
  const MinMax positive = Collect("DOUBLE", {Doubles({0.0})});
  EXPECT_FALSE(std::signbit(static_cast<const arrow::DoubleScalar&>(*positive.min).value));
}

TEST(StatisticsCollector, ComparesTextsByTheirBytesAndKeepsThemWhole) {
  arrow::StringBuilder builder;
  const std::string longest(100'000, 'z');
  for (const std::string& text : {std::string("b"), std::string("\xc3\xa9"), longest, std::string("a")}) {
    ASSERT_TRUE(builder.Append(text).ok());
  }
  const MinMax texts = Collect("STRING", {*builder.Finish()});
  EXPECT_TRUE(texts.min->Equals(arrow::StringScalar("a")));
  EXPECT_TRUE(texts.max->Equals(arrow::StringScalar("\xc3\xa9")));
}

TEST(StatisticsCollector, HasNullCountsOnlyForColumnsThatAreNotAtomic) {
  arrow::ListBuilder builder(arrow::default_memory_pool(), std::make_shared<arrow::Int32Builder>());
  ASSERT_TRUE(builder.AppendEmptyValue().ok());
  ASSERT_TRUE(builder.AppendNull().ok());
  DataField field;
  field.name = "c";
  field.type = DataType::FromArrow(*arrow::list(arrow::int32()), true, nullptr).ValueOrDie();
  StatisticsCollector collector({field});
  ASSERT_TRUE(collector.Add(*Batch(*builder.Finish())).ok());
  auto statistics = collector.Finish();
  ASSERT_TRUE(statistics.ok());
  EXPECT_EQ(statistics->null_counts, (std::vector<std::optional<int64_t>>{1}));
  auto min = DecodeBinaryRowField(statistics->min_values, 0, field.type);
  ASSERT_TRUE(min.ok()) << min.status();
  EXPECT_FALSE((*min)->is_valid);
}

TEST(StatisticsCollector, RefusesColumnsOfOtherTypes) {
  StatisticsCollector collector({Field("c", "INT")});
  EXPECT_EQ(collector.Add(*Batch(Doubles({1.0}))).message(), "statistics of c: expected values of INT, found double");
}

TEST(StatisticsOf, GivesWhatTheVectorHolds) {
  VectorTable table("plain_stats");
  const ManifestEntry entry = table.Live().front();
  const TableSchema& schema = *table.schemas().at(entry.file.schema_id);
  auto id = StatisticsOf(entry.file, schema, "id");
  ASSERT_TRUE(id.ok()) << id.status();
  ASSERT_TRUE(id->has_value());
  EXPECT_TRUE((*id)->min->Equals(arrow::Int64Scalar(0)));
  EXPECT_TRUE((*id)->max->Equals(arrow::Int64Scalar(6)));
  EXPECT_EQ((*id)->null_count, 0);
  EXPECT_EQ(StatisticsOf(entry.file, schema, "no_such")->has_value(), false);
}

TEST(StatisticsOf, KnowsNothingOfFilesWithoutStatisticsAndOfSidecars) {
  for (const char* name : {"plain_append", "blob", "vector_column", "video_two"}) {
    SCOPED_TRACE(name);
    VectorTable table(name);
    for (const ManifestEntry& entry : table.Live()) {
      const TableSchema& schema = *table.schemas().at(entry.file.schema_id);
      for (const DataField& field : schema.fields) {
        auto statistics = StatisticsOf(entry.file, schema, field.name);
        ASSERT_TRUE(statistics.ok()) << statistics.status();
        EXPECT_FALSE(statistics->has_value()) << field.name;
      }
    }
  }
}

DataFile FileWithStatistics(const std::vector<int64_t>& values) {
  std::vector<DataType> types(values.size(), DataType::FromText("BIGINT").ValueOrDie());
  std::vector<std::shared_ptr<arrow::Scalar>> scalars;
  for (int64_t value : values) scalars.push_back(std::make_shared<arrow::Int64Scalar>(value));
  DataFile file;
  file.file_name = "data-1.parquet";
  file.row_count = 10;
  file.value_stats.min_values = file.value_stats.max_values = *EncodeBinaryRow(types, scalars);
  return file;
}

TEST(StatisticsOf, FollowsTheColumnsThatTheFileNames) {
  TableSchema schema;
  schema.fields = {Field("a", "BIGINT"), Field("b", "BIGINT"), Field("c", "BIGINT")};
  const auto min_of = [&schema](const DataFile& file, const char* column) -> std::optional<int64_t> {
    auto statistics = StatisticsOf(file, schema, column);
    EXPECT_TRUE(statistics.ok()) << statistics.status();
    if (!statistics.ok() || !statistics->has_value()) return std::nullopt;
    return static_cast<const arrow::Int64Scalar&>(*(*statistics)->min).value;
  };
  DataFile file = FileWithStatistics({7, 8});
  EXPECT_EQ(min_of(file, "b"), 8);
  EXPECT_EQ(min_of(file, "c"), std::nullopt);  // the row is shorter than the schema
  file.write_cols = {"gone", "c"};
  EXPECT_EQ(min_of(file, "c"), 8);
  EXPECT_EQ(min_of(file, "a"), std::nullopt);
  file.value_stats_cols = {"b", "a"};
  EXPECT_EQ(min_of(file, "b"), 7);
  EXPECT_EQ(min_of(file, "a"), 8);
  EXPECT_EQ(min_of(file, "c"), std::nullopt);
  file.value_stats_cols->clear();
  EXPECT_EQ(min_of(file, "a"), std::nullopt);
}

TEST(StatisticsOf, DoesNotBelieveImpossibleNullCounts) {
  TableSchema schema;
  schema.fields = {Field("a", "BIGINT")};
  DataFile file = FileWithStatistics({7});
  EXPECT_EQ((*StatisticsOf(file, schema, "a"))->null_count, std::nullopt);
  for (int64_t count : {int64_t{-1}, int64_t{11}}) {
    file.value_stats.null_counts = {count};
    EXPECT_EQ((*StatisticsOf(file, schema, "a"))->null_count, std::nullopt);
  }
  file.value_stats.null_counts = {10};
  EXPECT_EQ((*StatisticsOf(file, schema, "a"))->null_count, 10);
}

TEST(StatisticsOf, NamesTheFileAndColumnOfABrokenRow) {
  TableSchema schema;
  schema.fields = {Field("a", "STRING")};
  DataFile file = FileWithStatistics({int64_t{1} << 60});
  EXPECT_THAT(StatisticsOf(file, schema, "a").status().message(),
              HasSubstr("statistics of data-1.parquet, column a: BinaryRow: field 0: points at"));
}

TEST(CompareScalars, OrdersEveryType) {
  EXPECT_LT(CompareScalars(arrow::Int8Scalar(-1), arrow::Int8Scalar(1)), 0);
  EXPECT_LT(CompareScalars(arrow::StringScalar("z"), arrow::StringScalar("\xc3\xa9")), 0);
  EXPECT_EQ(CompareScalars(arrow::DoubleScalar(0.0), arrow::DoubleScalar(-0.0)), 0);
  EXPECT_GT(CompareScalars(arrow::DoubleScalar(NAN), arrow::DoubleScalar(INFINITY)), 0);
  EXPECT_EQ(CompareScalars(arrow::DoubleScalar(NAN), arrow::DoubleScalar(NAN)), 0);
  EXPECT_GT(CompareScalars(arrow::BooleanScalar(true), arrow::BooleanScalar(false)), 0);
  EXPECT_LT(CompareScalars(arrow::Decimal128Scalar(arrow::Decimal128(-5), arrow::decimal128(30, 2)),
                           arrow::Decimal128Scalar(arrow::Decimal128(5), arrow::decimal128(30, 2))),
            0);
}

}  // namespace
}  // namespace reelhouse
