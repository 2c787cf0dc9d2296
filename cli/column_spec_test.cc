#include "cli/column_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelhouse::cli {
namespace {

std::string TextOf(const std::vector<DataField>& fields) {
  std::string text;
  for (const DataField& field : fields) text += (text.empty() ? "" : "; ") + field.name + " " + field.type.ToText();
  return text;
}

std::string Parsed(std::string_view text) {
  auto fields = ParseColumns(text);
  return fields.ok() ? TextOf(*fields) : fields.status().message();
}

TEST(ColumnSpec, TakesNamesAndTypes) {
  EXPECT_EQ(Parsed("episode bigint not null, idx int,task string ,video blob"),
            "episode BIGINT NOT NULL; idx INT; task STRING; video BLOB");
}

TEST(ColumnSpec, KeepsCommasInsideTypesTogether) {
  EXPECT_EQ(Parsed("state vector<float, 7>, price decimal(10, 2), tags map<string, array<int>>"),
            "state VECTOR<FLOAT, 7>; price DECIMAL(10, 2); tags MAP<STRING, ARRAY<INT>>");
}

TEST(ColumnSpec, TakesNamesInBackticksAndAColon) {
  EXPECT_EQ(Parsed("`my col, odd` int, idx: bigint"), "my col, odd INT; idx BIGINT");
}

TEST(ColumnSpec, SaysWhichColumnIsWrong) {
  EXPECT_THAT(Parsed("idx int, task strnig"), testing::HasSubstr("column `task`"));
  EXPECT_THAT(Parsed("idx"), testing::HasSubstr("expected a type behind the name"));
  EXPECT_THAT(Parsed("idx int,,task string"), testing::HasSubstr("expected a column"));
  EXPECT_THAT(Parsed("s vector<float, 7"), testing::HasSubstr("expected '>'"));
  EXPECT_THAT(Parsed("s float>"), testing::HasSubstr("closes nothing"));
  EXPECT_THAT(Parsed("`s int"), testing::HasSubstr("backtick"));
}

TEST(ColumnSpec, ReadsAPlainJsonObjectInItsOrder) {
  auto spec = ParseSchemaJson(R"({"z": "bigint", "a": "vector<float, 2>"})", "f.json");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(TextOf(spec->fields), "z BIGINT; a VECTOR<FLOAT, 2>");
}

TEST(ColumnSpec, ReadsTheFormOfSchemaFiles) {
  auto spec = ParseSchemaJson(R"({"fields": [{"id": 0, "name": "p", "type": "STRING NOT NULL"},
      {"id": 1, "name": "l", "type": {"type": "ARRAY", "element": "INT"}, "description": "d"}],
      "partitionKeys": ["p"], "options": {"bucket": "-1"}, "comment": "c"})",
                              "f.json");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(TextOf(spec->fields), "p STRING NOT NULL; l ARRAY<INT>");
  EXPECT_EQ(spec->fields[1].description, "d");
  EXPECT_THAT(spec->partition_keys, testing::ElementsAre("p"));
  EXPECT_EQ(spec->options.at("bucket"), "-1");
  EXPECT_EQ(spec->comment, "c");
}

TEST(ColumnSpec, RefusesJsonThatIsNoSchema) {
  EXPECT_THAT(ParseSchemaJson("[1]", "f.json").status().message(), testing::StartsWith("f.json: "));
  EXPECT_FALSE(ParseSchemaJson("{", "f.json").ok());
  EXPECT_FALSE(ParseSchemaJson(R"({"fields": [{"name": "a"}]})", "f.json").ok());
  EXPECT_FALSE(ParseSchemaJson(R"({"a": 3})", "f.json").ok());
}

TEST(ColumnSpec, RefusesTypesThatWouldBecomeOthers) {
  auto fields = ParseColumns("name varchar(10)");
  ASSERT_TRUE(fields.ok());
  EXPECT_THAT(CheckStorable(*fields).message(), testing::HasSubstr("would be stored as STRING"));
  auto fine = ParseColumns(
      "a tinyint, b timestamp(3), c row<x double, y array<string>>, d vector<float, 3>, e blob, m map<string, "
      "array<int>>");
  ASSERT_TRUE(fine.ok()) << fine.status();
  EXPECT_TRUE(CheckStorable(*fine).ok()) << CheckStorable(*fine);
}

}  // namespace
}  // namespace reelhouse::cli
