#include "reelhouse/format/parquet/column_cast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/arrow_json.h"

namespace reelhouse {
namespace {

using ::testing::HasSubstr;
using ArrayPtr = std::shared_ptr<arrow::Array>;
using TypePtr = std::shared_ptr<arrow::DataType>;

void ExpectCast(const ArrayPtr& from, const TypePtr& type, std::string_view json, CastRule rule = CastRule::kExact) {
  auto cast = CastColumn(from, type, rule);
  ASSERT_TRUE(cast.ok()) << from->type()->ToString() << " to " << type->ToString() << ": " << cast.status().ToString();
  ASSERT_TRUE((*cast)->ValidateFull().ok()) << (*cast)->ValidateFull().ToString();
  const auto expected = ArrayOf(type, json);
  EXPECT_TRUE((*cast)->Equals(*expected)) << (*cast)->ToString() << " instead of " << expected->ToString();
  EXPECT_TRUE((*cast)->type()->Equals(*type, /*check_metadata=*/true));
}

std::string ErrorOf(const ArrayPtr& from, const TypePtr& type, CastRule rule = CastRule::kExact) {
  return CastColumn(from, type, rule).status().message();
}

ArrayPtr DictionaryOf(const ArrayPtr& indices, const ArrayPtr& values) {
  return arrow::DictionaryArray::FromArrays(arrow::dictionary(indices->type(), values->type()), indices, values)
      .ValueOrDie();
}

TEST(ColumnCast, TakesEveryEncodingOfTheSameText) {
  const auto text = arrow::utf8();
  ExpectCast(ArrayOf(arrow::large_utf8(), R"(["a", null, "é"])"), text, R"(["a", null, "é"])");
  ExpectCast(DictionaryOf(ArrayOf(arrow::int8(), "[1, null, 0]"), ArrayOf(text, R"(["x", "y"])")), text,
             R"(["y", null, "x"])");
  ExpectCast(ArrayOf(arrow::null(), "[null, null]"), text, "[null, null]");
  arrow::StringViewBuilder views;
  ASSERT_TRUE(views.Append("short").ok());
  ASSERT_TRUE(views.AppendNull().ok());
  ASSERT_TRUE(views.Append("a text that is too long to be inlined").ok());
  ExpectCast(views.Finish().ValueOrDie(), text, R"(["short", null, "a text that is too long to be inlined"])");
}

TEST(ColumnCast, TakesNumbersThatFitAndRefusesOthersInTheWordsOfArrow) {
  ExpectCast(ArrayOf(arrow::utf8(), R"(["7", null])"), arrow::int64(), "[7, null]");
  ExpectCast(ArrayOf(arrow::int64(), "[5]"), arrow::utf8(), R"(["5"])");
  ExpectCast(ArrayOf(arrow::uint16(), "[65535]"), arrow::int32(), "[65535]");
  ExpectCast(ArrayOf(arrow::float64(), "[2.0]"), arrow::int64(), "[2]");
  ExpectCast(ArrayOf(arrow::float16(), "[1.5, null]"), arrow::float32(), "[1.5, null]");
  ExpectCast(ArrayOf(arrow::int64(), "[12, -3]"), arrow::decimal128(10, 2), R"(["12.00", "-3.00"])");
  EXPECT_THAT(ErrorOf(ArrayOf(arrow::float64(), "[1.5]"), arrow::int64()),
              HasSubstr("Float value 1.500000 was truncated converting to int64"));
  EXPECT_THAT(ErrorOf(ArrayOf(arrow::int64(), "[300]"), arrow::int8()), HasSubstr("300"));
  EXPECT_THAT(ErrorOf(ArrayOf(arrow::int64(), "[123456789]"), arrow::decimal128(10, 2)), HasSubstr("precision"));
  EXPECT_THAT(ErrorOf(ArrayOf(arrow::utf8(), R"(["x"])"), arrow::int64()), HasSubstr("'x'"));
  EXPECT_THAT(ErrorOf(ArrayOf(arrow::list(arrow::int32()), "[[1]]"), arrow::int32()), HasSubstr("cannot convert"));
}

TEST(ColumnCast, TakesListsOfEveryKind) {
  const auto list = arrow::list(arrow::float32());
  ExpectCast(ArrayOf(arrow::large_list(arrow::float64()), "[[1, 2], null, [], [null]]"), list,
             "[[1, 2], null, [], [null]]");
  ExpectCast(ArrayOf(arrow::fixed_size_list(arrow::float32(), 2), "[[1, 2], null, [3, 4]]"), list,
             "[[1, 2], null, [3, 4]]");
  ExpectCast(ArrayOf(list, "[[9], [1, 2], null, [3]]")->Slice(1), list, "[[1, 2], null, [3]]");
  const auto vector = arrow::fixed_size_list(arrow::float32(), 2);
  ExpectCast(ArrayOf(list, "[[1, 2], [3, null]]"), vector, "[[1, 2], [3, null]]");
  ExpectCast(ArrayOf(list, "[[1, 2], null, [3, 4]]"), vector, "[[1, 2], null, [3, 4]]");
  ExpectCast(ArrayOf(vector, "[[9, 9], [1, 2], null, [3, 4]]")->Slice(1), vector, "[[1, 2], null, [3, 4]]");
  EXPECT_THAT(ErrorOf(ArrayOf(list, "[[1, 2], [3]]"), vector), HasSubstr("row 1: expected a vector of 2 elements"));
}

TEST(ColumnCast, DropsElementsBelowNullRows) {
  const auto list = arrow::list(arrow::int32());
  auto full = std::static_pointer_cast<arrow::ListArray>(ArrayOf(list, "[[1], [2, 3], [4]]"));
  arrow::TypedBufferBuilder<bool> bits;
  for (const bool bit : {true, false, true}) ASSERT_TRUE(bits.Append(bit).ok());
  const auto gappy =
      std::make_shared<arrow::ListArray>(list, 3, full->value_offsets(), full->values(), bits.Finish().ValueOrDie(), 1);
  const auto cast = CastColumn(gappy, list, CastRule::kExact).ValueOrDie();
  EXPECT_TRUE(cast->Equals(*ArrayOf(list, "[[1], null, [4]]")));
  EXPECT_EQ(static_cast<const arrow::ListArray&>(*cast).values()->length(), 2);
}

TEST(ColumnCast, MatchesMembersOfStructsByName) {
  const auto from = arrow::struct_({arrow::field("y", arrow::int32()), arrow::field("x", arrow::int32())});
  const auto to = arrow::struct_(
      {arrow::field("x", arrow::float64()), arrow::field("y", arrow::int64()), arrow::field("z", arrow::utf8())});
  ExpectCast(ArrayOf(from, R"([{"y": 1, "x": 2}, null])"), to, R"([{"x": 2, "y": 1, "z": null}, null])");
  EXPECT_THAT(ErrorOf(ArrayOf(to, R"([{"x": 2, "y": 1, "z": "q"}])"), from), HasSubstr("unknown member 'z'"));
  ExpectCast(ArrayOf(to, R"([{"x": 2, "y": 1, "z": "q"}])"), from, R"([{"y": 1, "x": 2}])", CastRule::kStored);
}

TEST(ColumnCast, TakesMapsAndListsOfPairs) {
  const auto map = arrow::map(arrow::utf8(), arrow::int64());
  ExpectCast(ArrayOf(arrow::map(arrow::large_utf8(), arrow::int32()), R"([[["a", 1], ["b", null]], null, []])"), map,
             R"([[["a", 1], ["b", null]], null, []])");
  const auto pairs = arrow::list(arrow::struct_({arrow::field("k", arrow::utf8()), arrow::field("v", arrow::int32())}));
  ExpectCast(ArrayOf(pairs, R"([[{"k": "a", "v": 1}]])"), map, R"([[["a", 1]]])");
  EXPECT_THAT(ErrorOf(ArrayOf(pairs, R"([[{"k": null, "v": 1}]])"), map), HasSubstr("key of a map is NULL"));
}

TEST(ColumnCast, StoredValuesFollowAChangeOfTheSchemaAsInOtherEngines) {
  const auto stored = CastRule::kStored;
  ExpectCast(ArrayOf(arrow::int64(), "[1, 1099511627776, -1099511627771]"), arrow::int32(), "[1, 0, 5]", stored);
  ExpectCast(ArrayOf(arrow::float64(), "[1.5]"), arrow::int32(), "[1]", stored);
  ExpectCast(ArrayOf(arrow::timestamp(arrow::TimeUnit::MICRO), "[1704070923456789]"),
             arrow::timestamp(arrow::TimeUnit::MILLI), "[1704070923456]", stored);
  ExpectCast(ArrayOf(arrow::decimal128(10, 3), R"(["1.239", "-1.235", null])"), arrow::decimal128(10, 2),
             R"(["1.24", "-1.24", null])", stored);
  ExpectCast(ArrayOf(arrow::decimal128(10, 3), R"(["1234567.999"])"), arrow::decimal128(6, 2), "[null]", stored);
  ExpectCast(ArrayOf(arrow::boolean(), "[true]"), arrow::utf8(), R"(["true"])", stored);
  EXPECT_FALSE(ErrorOf(ArrayOf(arrow::utf8(), R"(["x"])"), arrow::int32(), stored).empty());
}

}  // namespace
}  // namespace reelhouse
