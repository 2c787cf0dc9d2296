#include "reelhouse/manifest/table_paths.h"

#include <cstdlib>
#include <ctime>
#include <filesystem>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/manifest/binary_row.h"
#include "tests/support/vector_table.h"

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

DataType Type(const char* text) { return DataType::FromText(text).ValueOrDie(); }

Options WithOption(const char* key, const char* value) {
  Options options;
  options.Set(key, value);
  return options;
}

Options Modern() { return WithOption("partition.legacy-name", "false"); }

std::string TextOf(const arrow::Scalar& value, const DataType& type, const Options& options = {}) {
  auto text = PartitionText(value, type, options);
  return text.ok() ? *text : text.status().ToString();
}

std::string TextOf(float value) { return TextOf(arrow::FloatScalar(value), Type("FLOAT")); }
std::string TextOf(double value) { return TextOf(arrow::DoubleScalar(value), Type("DOUBLE")); }
std::string TextOf(const std::string& value) { return TextOf(arrow::StringScalar(value), Type("STRING")); }

TEST(TablePaths, FindsEveryLiveFileOfTheVectors) {
  int files = 0;
  for (const std::string& name : VectorTable::Names()) {
    SCOPED_TRACE(name);
    VectorTable table(name);
    const TablePaths paths(table.path(), table.latest_schema());
    for (const ManifestEntry& entry : table.Live()) {
      auto path = paths.DataFilePath(entry);
      ASSERT_TRUE(path.ok()) << path.status();
      ASSERT_TRUE(std::filesystem::exists(*path)) << *path;
      EXPECT_EQ(std::filesystem::file_size(*path), static_cast<uint64_t>(entry.file.file_size));
      ++files;
    }
    for (const IndexFile& file : table.IndexFiles()) {
      EXPECT_TRUE(std::filesystem::exists(*paths.IndexFilePath(file)));
      EXPECT_EQ(paths.IndexFilePath(file.file_name), *paths.IndexFilePath(file));
    }
  }
  EXPECT_GT(files, 60);
}

TEST(TablePaths, FollowsTheOptionsForDirectories) {
  TableSchema schema;
  DataField key;
  key.name = "a/b";
  key.type = Type("STRING");
  schema.fields = {key};
  schema.partition_keys = {"a/b"};
  schema.options = Options({{"data-file.path-directory", "data"}, {"index-file-in-data-file-dir", "true"}});
  const TablePaths paths("file:/wh/db.db/t", std::make_shared<const TableSchema>(schema));
  const std::string partition = *EncodeBinaryRow(
      std::vector{key.type}, std::vector<std::shared_ptr<arrow::Scalar>>{std::make_shared<arrow::StringScalar>("x y")});
  EXPECT_EQ(*paths.BucketFolder(partition, 0), "file:/wh/db.db/t/data/a%2Fb=x y/bucket-0");
  EXPECT_EQ(*paths.BucketFolder(partition, -2), "file:/wh/db.db/t/data/a%2Fb=x y/bucket-postpone");
  IndexFile index_file;
  index_file.partition = partition;
  index_file.file_name = "index-1";
  EXPECT_EQ(*paths.IndexFilePath(index_file), "file:/wh/db.db/t/data/a%2Fb=x y/bucket-0/index-1");
  index_file.external_path = "/else/where";
  EXPECT_EQ(*paths.IndexFilePath(index_file), "/else/where");
  ManifestEntry entry;
  entry.partition = partition;
  entry.file.file_name = "data-1.parquet";
  entry.file.external_path = "/mnt/data-1.parquet";
  EXPECT_EQ(*paths.DataFilePath(entry), "/mnt/data-1.parquet");
  EXPECT_THAT(paths.BucketFolder(EmptyBinaryRow(), 0).status().message(),
              HasSubstr("partition: BinaryRow: expected 1 fields, found 0"));
}

TEST(TablePaths, RefuseADirectoryOutsideOfTheTable) {
  for (const char* directory : {"..", "../x", "a/../../b", "a/.."}) {
    auto schema = std::make_shared<TableSchema>();
    schema->options.Set("data-file.path-directory", directory);
    const Status status = TablePaths("/wh/d.db/t", schema).BucketFolder(EmptyBinaryRow(), 0).status();
    EXPECT_TRUE(status.IsInvalid()) << directory;
    EXPECT_THAT(status.message(), ::testing::HasSubstr("data-file.path-directory"));
  }
}

TEST(PartitionText, IsTheDefaultNameForNullAndBlank) {
  EXPECT_EQ(TextOf(*arrow::MakeNullScalar(arrow::int32()), Type("INT")), "__DEFAULT_PARTITION__");
  EXPECT_EQ(TextOf(*arrow::MakeNullScalar(arrow::int32()), Type("INT"), WithOption("partition.default-name", "none")),
            "none");
  EXPECT_EQ(TextOf(""), "__DEFAULT_PARTITION__");
  EXPECT_EQ(TextOf(" \t\n\xc2\xa0\xe3\x80\x80"), "__DEFAULT_PARTITION__");
  EXPECT_EQ(TextOf(" x "), " x ");
  EXPECT_EQ(TextOf("\xe2\x82\xac"), "\xe2\x82\xac");
}

TEST(PartitionText, OfNumbers) {
  EXPECT_EQ(TextOf(arrow::Int8Scalar(-5), Type("TINYINT")), "-5");
  EXPECT_EQ(TextOf(arrow::Int64Scalar(INT64_MIN), Type("BIGINT")), "-9223372036854775808");
  EXPECT_EQ(TextOf(arrow::BooleanScalar(true), Type("BOOLEAN")), "true");
  const DataType decimal = Type("DECIMAL(20, 10)");
  const auto text = [&](const char* digits) {
    return TextOf(arrow::Decimal128Scalar(arrow::Decimal128(digits), decimal.ToArrow()), decimal);
  };
  EXPECT_EQ(text("0"), "0.0000000000");
  EXPECT_EQ(text("-1"), "-0.0000000001");
  EXPECT_EQ(text("15000000000"), "1.5000000000");
  EXPECT_EQ(TextOf(arrow::Decimal128Scalar(arrow::Decimal128(7), arrow::decimal128(5, 0)), Type("DECIMAL(5, 0)")), "7");
}

TEST(PartitionText, OfFloatsIsInJavasStyle) {
  EXPECT_EQ(TextOf(1.0), "1.0");
  EXPECT_EQ(TextOf(0.0), "0.0");
  EXPECT_EQ(TextOf(-0.0), "-0.0");
  EXPECT_EQ(TextOf(1e10), "1.0E10");
  EXPECT_EQ(TextOf(1e7), "1.0E7");
  EXPECT_EQ(TextOf(9999999.0), "9999999.0");
  EXPECT_EQ(TextOf(123456.75), "123456.75");
  EXPECT_EQ(TextOf(0.001), "0.001");
  EXPECT_EQ(TextOf(0.00099), "9.9E-4");
  EXPECT_EQ(TextOf(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(TextOf(4.9e-324), "4.9E-324");
  EXPECT_EQ(TextOf(1.7976931348623157e308), "1.7976931348623157E308");
  EXPECT_EQ(TextOf(0.1f), "0.1");
  EXPECT_EQ(TextOf(3.4028235e38f), "3.4028235E38");
  EXPECT_EQ(TextOf(1.4e-45f), "1.4E-45");
  EXPECT_EQ(TextOf(-16777216.0f), "-1.6777216E7");
}

TEST(PartitionText, OfDates) {
  const DataType date = Type("DATE");
  EXPECT_EQ(TextOf(arrow::Date32Scalar(19724), date), "19724");
  EXPECT_EQ(TextOf(arrow::Date32Scalar(-2), date), "-2");
  EXPECT_EQ(TextOf(arrow::Date32Scalar(19724), date, Modern()), "2024-01-02");
  EXPECT_EQ(TextOf(arrow::Date32Scalar(-2), date, Modern()), "1969-12-30");
  EXPECT_EQ(TextOf(arrow::Date32Scalar(-719528), date, Modern()), "0000-01-01");
  EXPECT_EQ(TextOf(arrow::Date32Scalar(INT32_MAX), date, Modern()), "+5881580-07-11");
}

TEST(PartitionText, OfTimes) {
  const auto time = [](int32_t millis) { return arrow::Time32Scalar(millis, arrow::time32(arrow::TimeUnit::MILLI)); };
  EXPECT_EQ(TextOf(time(3'723'004), Type("TIME(0)")), "3723004");
  EXPECT_EQ(TextOf(time(3'723'004), Type("TIME(0)"), Modern()), "01:02:03");
  EXPECT_EQ(TextOf(time(3'723'004), Type("TIME(3)"), Modern()), "01:02:03.004");
  EXPECT_EQ(TextOf(time(3'723'101), Type("TIME(2)"), Modern()), "01:02:03.10");
  EXPECT_EQ(TextOf(time(3'723'500), Type("TIME(3)"), Modern()), "01:02:03.5");
}

TEST(PartitionText, OfTimestamps) {
  const auto text = [](const char* type_text, int64_t value, const Options& options) {
    const DataType type = Type(type_text);
    return TextOf(arrow::TimestampScalar(value, type.ToArrow()), type, options);
  };
  const Options legacy;
  EXPECT_EQ(text("TIMESTAMP(6)", 1704164580'000000, legacy), "2024-01-02T03:03");
  EXPECT_EQ(text("TIMESTAMP(6)", 1704164581'000000, legacy), "2024-01-02T03:03:01");
  EXPECT_EQ(text("TIMESTAMP(6)", 1704164580'500000, legacy), "2024-01-02T03:03:00.500");
  EXPECT_EQ(text("TIMESTAMP(6)", -999999, legacy), "1969-12-31T23:59:59.000001");
  EXPECT_EQ(text("TIMESTAMP(9)", 1, legacy), "1970-01-01T00:00:00.000000001");
  EXPECT_EQ(text("TIMESTAMP_LTZ(3)", 1, legacy), "1970-01-01T00:00:00.001");
  EXPECT_EQ(text("TIMESTAMP(0)", 0, Modern()), "1970-01-01 00:00:00");
  EXPECT_EQ(text("TIMESTAMP(3)", 500, Modern()), "1970-01-01 00:00:00.500");
  EXPECT_EQ(text("TIMESTAMP(6)", 500000, Modern()), "1970-01-01 00:00:00.500000");
  EXPECT_EQ(text("TIMESTAMP(9)", INT64_MIN, legacy), "1677-09-21T00:12:43.145224192");
  EXPECT_EQ(text("TIMESTAMP(0)", INT64_MIN, legacy), "-292277022657-01-27T08:29:52");
}

TEST(PartitionText, OfInstantsIsInTheLocalZoneWithoutLegacyNames) {
  const char* before = std::getenv("TZ");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TZ", "XXX-03:30", 1);
  ::tzset();
  const DataType type = Type("TIMESTAMP_LTZ(3)");
  EXPECT_EQ(TextOf(arrow::TimestampScalar(1, type.ToArrow()), type, Modern()), "1970-01-01 03:30:00.001");
  EXPECT_EQ(TextOf(arrow::TimestampScalar(1, type.ToArrow()), type), "1970-01-01T00:00:00.001");
  before == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", kept.c_str(), 1);
  ::tzset();
}

TEST(PartitionText, RefusesTypesWithoutATextAndValuesOfOtherTypes) {
  EXPECT_THAT(TextOf(arrow::BinaryScalar("x"), Type("BYTES")), HasSubstr("partition columns of type BYTES"));
  EXPECT_THAT(TextOf(arrow::StringScalar("x"), Type("INT")), HasSubstr("expected a partition value of INT"));
}

TEST(EscapePartitionText, EscapesWhatOtherEnginesEscape) {
  EXPECT_EQ(EscapePartitionText("a b\xc3\xa9"), "a b\xc3\xa9");
  EXPECT_EQ(EscapePartitionText("\"#%'*/:=?\\{}[]^"), "%22%23%25%27%2A%2F%3A%3D%3F%5C%7B%7D%5B%5D%5E");
  EXPECT_EQ(EscapePartitionText(std::string("\x01\x1f\x7f", 3)), "%01%1F%7F");
  EXPECT_EQ(EscapePartitionText("a.b|c<d>"), "a.b|c<d>");
}

}  // namespace
}  // namespace reelhouse
