#include "reelhouse/avro/avro_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(std::string_view json) {
  auto parsed = AvroSchema::Parse(json);
  return parsed.ok() ? "no error" : parsed.status().message();
}

TEST(AvroSchema, ResolvesNamesAgainstTheEnclosingNamespace) {
  auto schema = AvroSchema::Parse(R"({"type": "record", "name": "A", "namespace": "x.y", "fields": [
      {"name": "first", "type": {"type": "fixed", "name": "F", "size": 4}},
      {"name": "again", "type": "F"},
      {"name": "full", "type": "x.y.F"},
      {"name": "other", "type": {"type": "enum", "name": "z.E", "symbols": ["P", "Q"]}}]})");
  ASSERT_TRUE(schema.ok()) << schema.status();
  const AvroSchema::Node& root = schema->node(schema->root());
  EXPECT_EQ(root.name, "x.y.A");
  EXPECT_EQ(root.fields[0].node, root.fields[1].node);
  EXPECT_EQ(root.fields[0].node, root.fields[2].node);
  EXPECT_EQ(schema->node(root.fields[3].node).name, "z.E");
  EXPECT_EQ(schema->node(root.fields[3].node).symbols.size(), 2u);
}

TEST(AvroSchema, KnowsTheFewestBytesOfEveryType) {
  auto schema = AvroSchema::Parse(R"({"type": "record", "name": "A", "fields": [
      {"name": "n", "type": "null"}, {"name": "l", "type": "long"}, {"name": "d", "type": "double"},
      {"name": "f", "type": {"type": "fixed", "name": "F", "size": 7}}, {"name": "u", "type": ["null", "A"]}]})");
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ(schema->node(schema->root()).min_bytes, 0 + 1 + 8 + 7 + 1);
}

TEST(AvroSchema, KeepsLogicalTypesAndDescribesUnions) {
  auto schema = AvroSchema::Parse(R"(["null", {"type": "long", "logicalType": "timestamp-millis"}])");
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ(schema->node(schema->node(schema->root()).children[1]).logical_type, "timestamp-millis");
  EXPECT_EQ(schema->Describe(schema->root()), "union of null and long");
}

TEST(AvroSchema, RefusesWhatIsNoSchema) {
  EXPECT_THAT(ErrorOf("{"), HasSubstr("is not JSON"));
  EXPECT_THAT(ErrorOf("\"strnig\""), HasSubstr("unknown type `strnig`"));
  EXPECT_THAT(ErrorOf("[]"), HasSubstr("a union without branches"));
  EXPECT_THAT(ErrorOf(R"([["null"]])"), HasSubstr("a union directly inside a union"));
  EXPECT_THAT(ErrorOf(R"({"type": "array"})"), HasSubstr("a array without \"items\""));
  EXPECT_THAT(ErrorOf(R"({"type": "fixed", "name": "F", "size": -1})"), HasSubstr("without a size"));
  EXPECT_THAT(ErrorOf(R"({"type": "record", "name": "A", "fields": [{"name": "x", "type": "int"},
                         {"name": "x", "type": "int"}]})"),
              HasSubstr("two fields `x`"));
}

TEST(AvroSchema, RefusesARecordThatContainsItselfWithoutEnd) {
  EXPECT_THAT(ErrorOf(R"({"type": "record", "name": "A", "fields": [{"name": "a", "type": "A"}]})"),
              HasSubstr("contains itself without end"));
}

TEST(AvroSchema, RefusesDeepNesting) {
  std::string json;
  for (int i = 0; i < 1000; ++i) json += R"({"type": "array", "items": )";
  json += "\"int\"" + std::string(1000, '}');
  EXPECT_THAT(ErrorOf(json), HasSubstr("nested deeper than"));
}

}  // namespace
}  // namespace reelhouse
