#include "reelhouse/schema/data_type.h"

#include <string>
#include <utility>
#include <vector>

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reelhouse/schema/type_json.h"

namespace reelhouse {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string TextOfArrow(const std::shared_ptr<arrow::DataType>& type, bool nullable = true) {
  Result<DataType> made = DataType::FromArrow(*type, nullable, nullptr);
  return made.ok() ? made->ToText() : made.status().message();
}

TEST(DataType, ReadsEverySpellingOfAtomicTypes) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"INT", "INT"},
      {"integer", "INT"},
      {" bigint  not   null ", "BIGINT NOT NULL"},
      {"INT NULL", "INT"},
      {"DOUBLE PRECISION", "DOUBLE"},
      {"STRING", "STRING"},
      {"VARCHAR(2147483647)", "STRING"},
      {"VARCHAR(20)", "VARCHAR(20)"},
      {"CHAR(3) NOT NULL", "CHAR(3) NOT NULL"},
      {"BYTES", "BYTES"},
      {"VARBINARY(2147483647)", "BYTES"},
      {"VARBINARY(7)", "VARBINARY(7)"},
      {"BINARY(4)", "BINARY(4)"},
      {"DECIMAL", "DECIMAL(10, 0)"},
      {"DEC(5)", "DECIMAL(5, 0)"},
      {"NUMERIC(5,2)", "DECIMAL(5, 2)"},
      {"DECIMAL(38, 38)", "DECIMAL(38, 38)"},
      {"TIME", "TIME(0)"},
      {"TIME(3) WITHOUT TIME ZONE", "TIME(3)"},
      {"TIMESTAMP", "TIMESTAMP(6)"},
      {"TIMESTAMP(3) WITHOUT TIME ZONE NOT NULL", "TIMESTAMP(3) NOT NULL"},
      {"TIMESTAMP(9) WITH LOCAL TIME ZONE", "TIMESTAMP_LTZ(9)"},
      {"TIMESTAMP WITH LOCAL TIME ZONE NOT NULL", "TIMESTAMP_LTZ(6) NOT NULL"},
      {"timestamp_ltz(0)", "TIMESTAMP_LTZ(0)"},
      {"BLOB", "BLOB"},
      {"VARIANT", "VARIANT"},
  };
  for (const auto& [text, expected] : cases) {
    Result<DataType> type = DataType::FromText(text);
    ASSERT_TRUE(type.ok()) << text << ": " << type.status();
    EXPECT_EQ(type->ToText(), expected) << text;
    EXPECT_EQ(*DataType::FromText(type->ToText()), *type) << text;
  }
}

TEST(DataType, BareNamesEqualTheirConstructors) {
  EXPECT_EQ(*DataType::FromText("STRING"), DataType(TypeRoot::kVarChar));
  EXPECT_EQ(*DataType::FromText("BYTES"), DataType(TypeRoot::kVarBinary));
  EXPECT_EQ(*DataType::FromText("TIMESTAMP"), DataType(TypeRoot::kTimestamp));
  EXPECT_EQ(*DataType::FromText("DECIMAL(7, 3)"), DataType::OfPrecision(TypeRoot::kDecimal, 7, 3));
}

TEST(DataType, RefusesTextsThatAreNoType) {
  for (const char* text :
       {"", "FOO", "INT INT", "INT NOT", "DECIMAL(39, 2)", "DECIMAL(0)", "DECIMAL(5, 2", "TIMESTAMP(10)",
        "VARCHAR(99999999999)", "VARCHAR()", "BINARY(-1)", "ARRAY<", "ARRAY", "MAP<INT>", "VECTOR<STRING, 3>",
        "VECTOR<FLOAT, 0>", "ROW<a>", "ROW<`a INT>", "INT NOT NULL x"}) {
    EXPECT_FALSE(DataType::FromText(text).ok()) << text;
  }
  EXPECT_THAT(DataType::FromText("foo").status().message(), HasSubstr("Unknown type: foo"));
}

TEST(DataType, RefusesATypeThatIsNestedWithoutEnd) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "ARRAY<";
  EXPECT_THAT(DataType::FromText(text).status().message(), HasSubstr("nested too deeply"));
}

TEST(DataType, CompositeTextsComeBack) {
  for (const char* text :
       {"ARRAY<STRING NOT NULL>", "MAP<STRING NOT NULL, ARRAY<INT>> NOT NULL", "VECTOR<FLOAT, 3>", "MULTISET<INT>",
        "ROW<x: DOUBLE, y: ROW<z: TIMESTAMP_LTZ(3)>>", "ROW<>", "ROW<`a b`: INT, `c``d`: BLOB>"}) {
    Result<DataType> type = DataType::FromText(text);
    ASSERT_TRUE(type.ok()) << type.status();
    EXPECT_EQ(type->ToText(), text);
  }
}

TEST(DataType, JsonOfTypesKeepsPypaimonsShape) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\"DECIMAL(10, 2) NOT NULL\"", "\"DECIMAL(10, 2) NOT NULL\""},
      {"\"TIMESTAMP(6) WITH LOCAL TIME ZONE\"", "\"TIMESTAMP_LTZ(6)\""},
      {R"({"type":"ARRAY","element":"INT"})", R"({"type":"ARRAY","element":"INT","nullable":true})"},
      {R"({"type":"ARRAY NOT NULL","element":"INT"})", R"({"type":"ARRAY NOT NULL","element":"INT","nullable":false})"},
      {R"({"type":"ARRAY","element":"INT","nullable":false})", R"({"type":"ARRAY","element":"INT","nullable":true})"},
      {R"({"type":"MAP","key":"STRING","value":"INT","nullable":false})",
       R"({"type":"MAP NOT NULL","key":"STRING","value":"INT","nullable":false})"},
      {R"({"type":"VECTOR","element":"FLOAT","length":3})",
       R"({"type":"VECTOR","element":"FLOAT","length":3,"nullable":true})"},
      {R"({"type":"MULTISET","element":"INT"})", R"({"type":"MULTISET","element":"INT","nullable":true})"},
      {R"({"type":"ROW","fields":[{"id":3,"name":"a","type":"INT NOT NULL","description":"d","defaultValue":"1"}]})",
       R"({"type":"ROW","fields":[{"id":3,"name":"a","type":"INT NOT NULL","description":"d","defaultValue":"1"}],)"
       R"("nullable":true})"},
  };
  for (const auto& [text, expected] : cases) {
    Result<DataType> type = DataTypeFromJson(nlohmann::json::parse(text));
    ASSERT_TRUE(type.ok()) << text << ": " << type.status();
    EXPECT_EQ(DataTypeToJson(*type).dump(), expected);
  }
}

TEST(DataType, RefusesJsonThatIsNoType) {
  for (const char* text : {"1", "null", "[]", "{}", R"("ROW<a INT>")", R"({"type":"ARRAY"})",
                           R"({"type":"LIST","element":"INT"})", R"({"type":"VECTOR","element":"FLOAT"})",
                           R"({"type":"VECTOR","element":"FLOAT","length":18446744073709551615})",
                           R"({"type":"VECTOR","element":"FLOAT","length":0})", R"({"type":"ROW","fields":{}})",
                           R"({"type":"ROW","fields":[{"name":"a","type":"INT"}]})",
                           R"({"type":"ROW","fields":[{"id":1,"type":"INT"}]})", R"({"type":"MAP","key":"INT"})"}) {
    EXPECT_FALSE(DataTypeFromJson(nlohmann::json::parse(text)).ok()) << text;
  }
}

TEST(DataType, MapsArrowTypesByTheContract) {
  EXPECT_EQ(TextOfArrow(arrow::boolean()), "BOOLEAN");
  EXPECT_EQ(TextOfArrow(arrow::int8()), "TINYINT");
  EXPECT_EQ(TextOfArrow(arrow::int64(), false), "BIGINT NOT NULL");
  EXPECT_EQ(TextOfArrow(arrow::large_utf8()), "STRING");
  EXPECT_EQ(TextOfArrow(arrow::binary()), "BYTES");
  EXPECT_EQ(TextOfArrow(arrow::large_binary()), "BLOB");
  EXPECT_EQ(TextOfArrow(arrow::fixed_size_binary(4)), "BINARY(4)");
  EXPECT_EQ(TextOfArrow(arrow::decimal128(38, 3)), "DECIMAL(38, 3)");
  EXPECT_EQ(TextOfArrow(arrow::decimal256(20, 2)), "DECIMAL(20, 2)");
  EXPECT_EQ(TextOfArrow(arrow::date32()), "DATE");
  EXPECT_EQ(TextOfArrow(arrow::time64(arrow::TimeUnit::MICRO)), "TIME(0)");
  EXPECT_EQ(TextOfArrow(arrow::timestamp(arrow::TimeUnit::SECOND)), "TIMESTAMP(0)");
  EXPECT_EQ(TextOfArrow(arrow::timestamp(arrow::TimeUnit::NANO, "Europe/Berlin")), "TIMESTAMP_LTZ(9)");
  EXPECT_EQ(TextOfArrow(arrow::large_list(arrow::field("x", arrow::int32(), false))), "ARRAY<INT NOT NULL>");
  EXPECT_EQ(TextOfArrow(arrow::fixed_size_list(arrow::float32(), 3)), "VECTOR<FLOAT, 3>");
  EXPECT_EQ(TextOfArrow(arrow::map(arrow::utf8(), arrow::int32())), "MAP<STRING NOT NULL, INT>");
  EXPECT_EQ(TextOfArrow(arrow::struct_(
                {arrow::field("value", arrow::binary(), false), arrow::field("metadata", arrow::binary(), false)})),
            "VARIANT");
}

TEST(DataType, RefusesArrowTypesWithoutAPaimonType) {
  EXPECT_THAT(TextOfArrow(arrow::uint8()), StartsWith("Unsupported pyarrow type: uint8"));
  EXPECT_THAT(TextOfArrow(arrow::float16()), StartsWith("Unsupported pyarrow type: halffloat"));
  EXPECT_THAT(TextOfArrow(arrow::null()), StartsWith("Unsupported pyarrow type: null"));
  EXPECT_THAT(TextOfArrow(arrow::date64()), StartsWith("Unsupported pyarrow type: date64[ms]"));
  EXPECT_THAT(TextOfArrow(arrow::duration(arrow::TimeUnit::SECOND)),
              StartsWith("Unsupported pyarrow type: duration[s]"));
  EXPECT_THAT(TextOfArrow(arrow::dictionary(arrow::int32(), arrow::utf8())),
              StartsWith("Unsupported pyarrow type: dictionary<values=string, indices=int32, ordered=0>"));
  EXPECT_THAT(TextOfArrow(arrow::utf8_view()), StartsWith("Unsupported pyarrow type: string_view"));
  EXPECT_THAT(TextOfArrow(arrow::list(arrow::uint16())), StartsWith("Unsupported pyarrow type: uint16"));
  EXPECT_THAT(TextOfArrow(arrow::decimal256(50, 2)), StartsWith("precision should be between 1 and 38"));
  EXPECT_THAT(TextOfArrow(arrow::decimal128(5, -2)), StartsWith("Unsupported data type: DECIMAL(5, -2)"));
  EXPECT_EQ(TextOfArrow(arrow::fixed_size_list(arrow::utf8(), 2)), "Invalid element type for vector: STRING");
  EXPECT_EQ(TextOfArrow(arrow::fixed_size_list(arrow::timestamp(arrow::TimeUnit::MICRO), 2)),
            "Invalid element type for vector: TIMESTAMP(6)");
  EXPECT_EQ(TextOfArrow(arrow::fixed_size_list(arrow::float32(), 0)),
            "Vector length must be greater than or equal to 1.");
}

TEST(DataType, GivesIdsToRowMembersDepthFirst) {
  auto type = arrow::struct_({arrow::field("a", arrow::int8()),
                              arrow::field("b", arrow::struct_({arrow::field("c", arrow::utf8())})),
                              arrow::field("d", arrow::list(arrow::struct_({arrow::field("e", arrow::int8())})))});
  int32_t next_id = 1;
  Result<DataType> row = DataType::FromArrow(*type, true, &next_id);
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_EQ(row->fields()[0].id, 1);
  EXPECT_EQ(row->fields()[1].type.fields()[0].id, 2);
  EXPECT_EQ(row->fields()[1].id, 3);
  EXPECT_EQ(row->fields()[2].type.children()[0].fields()[0].id, 4);
  EXPECT_EQ(row->fields()[2].id, 5);
  EXPECT_EQ(next_id, 6);

  int32_t first_id = 1;
  EXPECT_EQ(
      DataType::FromText("ROW<a: TINYINT, b: ROW<c: STRING>, d: ARRAY<ROW<e: TINYINT>>>")->WithFieldIds(&first_id),
      *row);
}

TEST(DataType, ReadsBackAsPypaimonReturnsIt) {
  const std::vector<std::pair<std::string, std::shared_ptr<arrow::DataType>>> cases = {
      {"BINARY(4)", arrow::binary()},
      {"CHAR(3)", arrow::utf8()},
      {"TIME(0)", arrow::time32(arrow::TimeUnit::MILLI)},
      {"TIMESTAMP(0)", arrow::timestamp(arrow::TimeUnit::SECOND)},
      {"TIMESTAMP(2)", arrow::timestamp(arrow::TimeUnit::MILLI)},
      {"TIMESTAMP(5)", arrow::timestamp(arrow::TimeUnit::MICRO)},
      {"TIMESTAMP_LTZ(7)", arrow::timestamp(arrow::TimeUnit::NANO, "UTC")},
      {"BLOB", arrow::large_binary()},
      {"ARRAY<BLOB>", arrow::list(arrow::field("item", arrow::large_binary()))},
      {"ARRAY<INT NOT NULL>", arrow::list(arrow::field("item", arrow::int32(), false))},
      {"VECTOR<FLOAT NOT NULL, 3>", arrow::fixed_size_list(arrow::field("item", arrow::float32()), 3)},
      {"MAP<STRING NOT NULL, INT NOT NULL>", arrow::map(arrow::utf8(), arrow::int32())},
      {"ROW<a: TINYINT NOT NULL>", arrow::struct_({arrow::field("a", arrow::int8(), false)})},
  };
  for (const auto& [text, expected] : cases) {
    std::shared_ptr<arrow::DataType> found = DataType::FromText(text)->ToArrow();
    EXPECT_TRUE(found->Equals(*expected, true)) << text << ": " << found->ToString();
  }
  EXPECT_FALSE(static_cast<const arrow::MapType&>(*arrow::map(arrow::utf8(), arrow::int32())).key_field()->nullable());
}

TEST(DataType, KnowsWhereBlobsMayBe) {
  EXPECT_TRUE(DataType::FromText("BLOB")->IsBlobLike());
  EXPECT_TRUE(DataType::FromText("ARRAY<BLOB>")->IsArrayOfBlob());
  EXPECT_TRUE(DataType::FromText("MAP<INT, BLOB>")->IsMapOfBlob());
  EXPECT_FALSE(DataType::FromText("ARRAY<INT>")->IsBlobLike());
  for (const char* text : {"ROW<b: BLOB>", "ARRAY<ARRAY<BLOB>>", "MAP<BLOB, INT>", "MAP<BLOB, BLOB>",
                           "MAP<STRING, ARRAY<BLOB>>", "ARRAY<ROW<b: BLOB>>"}) {
    EXPECT_TRUE(DataType::FromText(text)->HasUnsupportedBlob()) << text;
    EXPECT_FALSE(DataType::FromText(text)->IsBlobLike()) << text;
  }
}

TEST(DataType, FieldsCarryTheirDescription) {
  DataField field;
  field.name = "x";
  field.type = DataType(TypeRoot::kBigInt, false);
  field.description = "metres";
  std::shared_ptr<arrow::Field> column = ToArrowField(field);
  EXPECT_FALSE(column->nullable());
  EXPECT_EQ(*column->metadata()->Get("description"), "metres");
}

}  // namespace
}  // namespace reelhouse
