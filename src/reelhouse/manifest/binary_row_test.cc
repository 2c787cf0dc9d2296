#include "reelhouse/manifest/binary_row.h"

#include <limits>
#include <random>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/vector_table.h"

namespace reelhouse {
namespace {

using ::testing::HasSubstr;
using Scalars = std::vector<std::shared_ptr<arrow::Scalar>>;

DataType Type(const char* text) { return DataType::FromText(text).ValueOrDie(); }

std::string Hex(std::string_view bytes) {
  std::string hex;
  for (char c : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex += kDigits[static_cast<uint8_t>(c) >> 4];
    hex += kDigits[static_cast<uint8_t>(c) & 15];
  }
  return hex;
}

std::shared_ptr<arrow::Scalar> Text(const std::string& text) { return std::make_shared<arrow::StringScalar>(text); }
std::shared_ptr<arrow::Scalar> Timestamp(int64_t value, const DataType& type) {
  return std::make_shared<arrow::TimestampScalar>(value, type.ToArrow());
}
std::shared_ptr<arrow::Scalar> Decimal(const char* text, const DataType& type) {
  arrow::Decimal128 value;
  int32_t precision = 0;
  int32_t scale = 0;
  EXPECT_TRUE(arrow::Decimal128::FromString(text, &value, &precision, &scale).ok());
  return std::make_shared<arrow::Decimal128Scalar>(*value.Rescale(scale, type.scale()), type.ToArrow());
}

// Encodes, decodes and compares; gives the bytes.
std::string RoundTrip(const std::vector<DataType>& types, const Scalars& values) {
  auto row = EncodeBinaryRow(types, values);
  EXPECT_TRUE(row.ok()) << row.status();
  if (!row.ok()) return {};
  auto again = DecodeBinaryRow(*row, types);
  EXPECT_TRUE(again.ok()) << again.status();
  if (!again.ok()) return *row;
  for (size_t i = 0; i < types.size(); ++i) {
    if (values[i] == nullptr) {
      EXPECT_FALSE((*again)[i]->is_valid);
    } else {
      EXPECT_TRUE((*again)[i]->Equals(*values[i])) << (*again)[i]->ToString() << " vs " << values[i]->ToString();
    }
  }
  EXPECT_EQ(*EncodeBinaryRow(types, *again), *row);
  return *row;
}

TEST(BinaryRow, WritesTheExampleOfTheFormatNotes) {
  const std::vector<DataType> types = {Type("DATE"), Type("STRING")};
  EXPECT_EQ(Hex(RoundTrip(types, {std::make_shared<arrow::Date32Scalar>(19724), Text("lab")})),
            "000000020000000000000000"
            "0c4d0000000000006c61620000000083");
  EXPECT_EQ(Hex(RoundTrip(types, {std::make_shared<arrow::Date32Scalar>(-2), Text("a-long-partition-value")})),
            "000000020000000000000000"
            "feffffff000000001600000018000000"
            "612d6c6f6e672d706172746974696f6e2d76616c75650000");
}

TEST(BinaryRow, OfArityZeroHasTwelveBytes) {
  EXPECT_EQ(RoundTrip({}, {}), EmptyBinaryRow());
  EXPECT_EQ(EmptyBinaryRow(), std::string(12, '\0'));
}

TEST(BinaryRow, KeepsTextsOfSevenBytesInTheSlotAndLongerOnesBehind) {
  EXPECT_EQ(RoundTrip({Type("STRING")}, {Text("1234567")}).size(), 4u + 8 + 8);
  EXPECT_EQ(RoundTrip({Type("STRING")}, {Text("12345678")}).size(), 4u + 8 + 8 + 8);
  EXPECT_EQ(RoundTrip({Type("STRING")}, {Text("123456789")}).size(), 4u + 8 + 8 + 16);
  RoundTrip({Type("STRING")}, {Text("")});
}

TEST(BinaryRow, TakesEveryAtomicType) {
  const DataType timestamps[] = {Type("TIMESTAMP(0)"), Type("TIMESTAMP(3)"), Type("TIMESTAMP(6)"), Type("TIMESTAMP(9)"),
                                 Type("TIMESTAMP_LTZ(6)")};
  for (const DataType& type : timestamps) {
    for (int64_t value : {int64_t{0}, int64_t{-1}, int64_t{1704164645123456}, int64_t{-999'999'999'999}}) {
      RoundTrip({type}, {Timestamp(type.precision() == 0 ? value / 1000 : value, type)});
    }
  }
  RoundTrip({Type("BOOLEAN"), Type("TINYINT"), Type("SMALLINT"), Type("INT"), Type("BIGINT"), Type("FLOAT"),
             Type("DOUBLE"), Type("TIME(0)"), Type("BYTES"), Type("BINARY(3)"), Type("BLOB"), Type("CHAR(4)")},
            {std::make_shared<arrow::BooleanScalar>(true), std::make_shared<arrow::Int8Scalar>(-128),
             std::make_shared<arrow::Int16Scalar>(-1), std::make_shared<arrow::Int32Scalar>(INT32_MIN),
             std::make_shared<arrow::Int64Scalar>(INT64_MIN), std::make_shared<arrow::FloatScalar>(-0.5f),
             std::make_shared<arrow::DoubleScalar>(1e300),
             std::make_shared<arrow::Time32Scalar>(86'399'999, arrow::TimeUnit::MILLI),
             std::make_shared<arrow::BinaryScalar>(std::string("\0\xff", 2)),
             std::make_shared<arrow::BinaryScalar>(std::string("abc")),
             std::make_shared<arrow::LargeBinaryScalar>(std::string("a longer value")), Text("abcd")});
}

TEST(BinaryRow, StoresWideDecimalsInTheFewestBytes) {
  const DataType wide = Type("DECIMAL(30, 5)");
  for (const char* text : {"0", "1", "-1", "0.00127", "0.00128", "-0.00128", "-0.00129", "12345678901234567890.12345",
                           "-9999999999999999999999999.99999"}) {
    const std::string row = RoundTrip({wide}, {Decimal(text, wide)});
    EXPECT_EQ(row.size(), 4u + 8 + 8 + 16) << text;
  }
  // -128: one byte, as Java's BigInteger has it.
  EXPECT_EQ(Hex(RoundTrip({wide}, {Decimal("-0.00128", wide)})).substr(24, 18),
            "0100000010000000"
            "80");
  const DataType compact = Type("DECIMAL(18, 2)");
  EXPECT_EQ(RoundTrip({compact}, {Decimal("-9999999999999999.99", compact)}).size(), 4u + 8 + 8);
}

TEST(BinaryRow, WidensTheNullFlagsAtFiftySevenFields) {
  for (size_t arity : {55, 56, 57, 58, 120, 121}) {
    std::vector<DataType> types(arity, Type("INT"));
    Scalars values(arity);
    for (size_t i = 0; i < arity; i += 3) values[i] = std::make_shared<arrow::Int32Scalar>(static_cast<int>(i));
    const std::string row = RoundTrip(types, values);
    EXPECT_EQ(row.size(), 4 + (arity <= 56 ? 8 : arity <= 120 ? 16 : 24) + 8 * arity);
  }
}

TEST(BinaryRow, GivesOneFieldOfARowOfAnyArity) {
  const std::vector<DataType> types = {Type("INT"), Type("STRING")};
  const std::string row = RoundTrip(types, {nullptr, Text("a longer text")});
  EXPECT_EQ(*BinaryRowArity(row), 2);
  EXPECT_FALSE((*DecodeBinaryRowField(row, 0, types[0]))->is_valid);
  EXPECT_TRUE((*DecodeBinaryRowField(row, 1, types[1]))->Equals(*Text("a longer text")));
  EXPECT_THAT(DecodeBinaryRowField(row, 2, types[1]).status().message(), HasSubstr("expected a field 2"));
}

TEST(BinaryRow, RefusesValuesOfAnotherType) {
  auto row = EncodeBinaryRow(std::vector{Type("INT"), Type("BIGINT")},
                             Scalars{std::make_shared<arrow::Int32Scalar>(1), Text("x")});
  EXPECT_EQ(row.status().message(), "BinaryRow: field 1: expected a value of BIGINT, found string");
}

TEST(BinaryRow, RefusesBrokenRows) {
  const auto decode = [](std::string row, const DataType& type) {
    return DecodeBinaryRow(row, std::vector{type}).status().message();
  };
  const DataType text = Type("STRING");
  const std::string good = RoundTrip({text}, {Text("a longer text")});
  EXPECT_THAT(decode("abc", text), HasSubstr("expected 4 bytes of arity"));
  EXPECT_THAT(decode(std::string("\x7f\xff\xff\xff", 4) + std::string(40, '\0'), text), HasSubstr("an arity of"));
  EXPECT_THAT(decode(std::string("\xff\xff\xff\xff", 4) + std::string(40, '\0'), text), HasSubstr("an arity of -1"));
  EXPECT_THAT(decode(EmptyBinaryRow(), text), HasSubstr("expected 1 fields, found 0"));
  std::string row = good;
  row[4 + 8 + 4] = 25;  // offset
  EXPECT_THAT(decode(row, text), HasSubstr("field 0: points at 13 bytes from 25 in a row of 32 bytes"));
  row = good;
  row[4 + 8] = 20;  // length: more than there is
  EXPECT_THAT(decode(row, text), HasSubstr("points at 20 bytes"));
  row = good;
  row[4 + 8 + 4] = 0;  // into the header
  EXPECT_THAT(decode(row, text), HasSubstr("points at"));
  row = good;
  row[4 + 8 + 7] = static_cast<char>(0x80 | 8);
  EXPECT_THAT(decode(row, text), HasSubstr("claims 8 bytes in a slot of 7"));
}

TEST(BinaryRow, RefusesTimestampsThatTheUnitCannotHold) {
  const DataType nanos = Type("TIMESTAMP(9)");
  const DataType millis = Type("TIMESTAMP(3)");
  std::string row = RoundTrip({nanos}, {Timestamp(0, nanos)});
  const std::string far = RoundTrip({millis}, {Timestamp(INT64_MAX, millis)});
  row.replace(row.size() - 8, 8, far.substr(far.size() - 8));
  EXPECT_THAT(DecodeBinaryRow(row, std::vector{nanos}).status().message(), HasSubstr("does not fit the unit"));
}

TEST(BinaryRow, SurvivesRandomBytes) {
  std::mt19937 random(7);
  const std::vector<DataType> types = {Type("STRING"), Type("DECIMAL(30, 5)"), Type("TIMESTAMP(9)"), Type("INT"),
                                       Type("TIME(0)")};
  std::string row = RoundTrip(types, {Text("a longer text"), Decimal("12.5", types[1]), Timestamp(5, types[2]),
                                      std::make_shared<arrow::Int32Scalar>(1), nullptr});
  for (int i = 0; i < 20'000; ++i) {
    std::string broken = row.substr(0, random() % 20 == 0 ? random() % row.size() : row.size());
    for (int n = 0; n < 3 && !broken.empty(); ++n) broken[random() % broken.size()] = static_cast<char>(random());
    (void)DecodeBinaryRow(broken, types);
  }
}

TEST(BinaryRow, EncodesEveryRowOfTheVectorsToTheSameBytes) {
  int rows = 0;
  const auto check = [&rows](const std::string& row, const std::vector<DataType>& types) {
    auto values = DecodeBinaryRow(row, types);
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ(Hex(*EncodeBinaryRow(types, *values)), Hex(row));
    ++rows;
  };
  for (const std::string& name : VectorTable::Names()) {
    SCOPED_TRACE(name);
    VectorTable table(name);
    for (const ManifestEntry& entry : table.Entries(table.latest_snapshot_id())) {
      check(entry.partition, table.PartitionTypes());
      check(entry.file.min_key, {});
      const TableSchema& schema = *table.schemas().at(entry.file.schema_id);
      std::vector<DataType> types;
      if (entry.file.value_stats_cols) {
        for (const std::string& column : *entry.file.value_stats_cols) types.push_back(schema.FindField(column)->type);
      } else {
        for (const DataField& field : ColumnsOfFile(entry.file, schema)) types.push_back(field.type);
      }
      if (entry.file.kind() == DataFileKind::kVector) types.clear();
      check(entry.file.value_stats.min_values, types);
      check(entry.file.value_stats.max_values, types);
    }
  }
  EXPECT_GT(rows, 200);
}

TEST(BinaryRow, NumbersAndTextsAreFoundWhereTheyLie) {
  const std::vector<DataType> types = {DataType(TypeRoot::kInt), DataType(TypeRoot::kBigInt),
                                       DataType::FromText("STRING").ValueOrDie(),
                                       DataType::FromText("STRING").ValueOrDie(), DataType(TypeRoot::kBigInt)};
  const std::string row =
      EncodeBinaryRow(
          types,
          std::vector<std::shared_ptr<arrow::Scalar>>{
              std::make_shared<arrow::Int32Scalar>(-5), std::make_shared<arrow::Int64Scalar>(1 << 30),
              std::make_shared<arrow::StringScalar>("short"),
              std::make_shared<arrow::StringScalar>("longer than a slot"), arrow::MakeNullScalar(arrow::int64())})
          .ValueOrDie();
  EXPECT_EQ(IntegerOfBinaryRow(row, 0, TypeRoot::kInt), -5);
  EXPECT_EQ(IntegerOfBinaryRow(row, 1, TypeRoot::kBigInt), 1 << 30);
  EXPECT_EQ(IntegerOfBinaryRow(row, 1, TypeRoot::kDouble), std::nullopt);
  EXPECT_EQ(BytesOfBinaryRow(row, 2), "short");
  EXPECT_EQ(BytesOfBinaryRow(row, 3), "longer than a slot");
  EXPECT_EQ(IntegerOfBinaryRow(row, 4, TypeRoot::kBigInt), std::nullopt);
  EXPECT_EQ(IntegerOfBinaryRow(row, 5, TypeRoot::kBigInt), std::nullopt);
  EXPECT_EQ(IntegerOfBinaryRow(row.substr(0, row.size() / 2), 1, TypeRoot::kBigInt), std::nullopt);
  EXPECT_EQ(BytesOfBinaryRow(row.substr(0, row.size() - 8), 3), std::nullopt);
}

}  // namespace
}  // namespace reelhouse
