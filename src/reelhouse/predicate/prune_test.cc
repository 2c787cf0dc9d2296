#include <map>

#include <arrow/scalar.h>
#include <gmock/gmock.h>

#include "reelhouse/predicate/filter_test_table.h"

namespace reelhouse {
namespace {

using Ranges = std::map<std::string, ColumnRange, std::less<>>;

ColumnRange Between(std::shared_ptr<arrow::Scalar> min, std::shared_ptr<arrow::Scalar> max, int64_t nulls = 0,
                    int64_t rows = 10) {
  return {std::move(min), std::move(max), nulls, rows};
}

ColumnRange Integers(int32_t min, int32_t max, int64_t nulls = 0, int64_t rows = 10) {
  return Between(std::make_shared<arrow::Int32Scalar>(min), std::make_shared<arrow::Int32Scalar>(max), nulls, rows);
}

ColumnRange Texts(std::string min, std::string max) {
  return Between(std::make_shared<arrow::StringScalar>(min), std::make_shared<arrow::StringScalar>(max));
}

bool May(std::string_view where, const Ranges& ranges) {
  const auto predicate = ParsePredicate(where, TestFields()).ValueOrDie();
  return MayMatch(predicate, [&](std::string_view column) -> std::optional<ColumnRange> {
    const auto found = ranges.find(column);
    return found == ranges.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(MayMatch, ComparesLiteralsWithBounds) {
  const Ranges ranges = {{"a", Integers(10, 20)}};
  EXPECT_TRUE(May("a = 10", ranges));
  EXPECT_TRUE(May("a = 20", ranges));
  EXPECT_FALSE(May("a = 9", ranges));
  EXPECT_FALSE(May("a = 21", ranges));
  EXPECT_TRUE(May("a < 11", ranges));
  EXPECT_FALSE(May("a < 10", ranges));
  EXPECT_TRUE(May("a <= 10", ranges));
  EXPECT_FALSE(May("a > 20", ranges));
  EXPECT_FALSE(May("a > 19.5 AND a < 5", ranges));
  EXPECT_FALSE(May("a > 1e30", ranges));
  EXPECT_TRUE(May("a < 1e30", ranges));
  EXPECT_TRUE(May("a <> 10", ranges));
  EXPECT_FALSE(May("a <> 7", {{"a", Integers(7, 7)}}));
  EXPECT_FALSE(May("a BETWEEN 21 AND 30", ranges));
  EXPECT_TRUE(May("a NOT BETWEEN 11 AND 30", ranges));
  EXPECT_FALSE(May("a NOT BETWEEN 5 AND 30", ranges));
}

TEST(MayMatch, TurnsNotInsideOut) {
  const Ranges ranges = {{"a", Integers(10, 20)}};
  EXPECT_FALSE(May("NOT a >= 10", ranges));
  EXPECT_FALSE(May("NOT (a > 5 OR id = 3)", ranges));
  EXPECT_TRUE(May("NOT (a > 5 AND id = 3)", ranges));
  EXPECT_FALSE(May("NOT (a > 5 AND a < 30)", ranges));
  EXPECT_FALSE(May("a IS NULL AND id = 3", ranges));
}

TEST(MayMatch, LooksIntoLists) {
  const Ranges ranges = {{"a", Integers(10, 20)}};
  EXPECT_FALSE(May("a IN (1, 9, 21, 100)", ranges));
  EXPECT_TRUE(May("a IN (1, 15)", ranges));
  EXPECT_TRUE(May("a NOT IN (10, 20)", ranges));
  EXPECT_FALSE(May("a NOT IN (7, 8)", {{"a", Integers(7, 7)}}));
  EXPECT_FALSE(May("a NOT IN (1, NULL)", ranges));
  EXPECT_FALSE(May("a IN ()", ranges));
}

TEST(MayMatch, KnowsWhatNullsDo) {
  const Ranges all_null = {{"a", {nullptr, nullptr, 10, 10}}};
  EXPECT_FALSE(May("a = 1", all_null));
  EXPECT_FALSE(May("NOT a = 1", all_null));
  EXPECT_FALSE(May("a IS NOT NULL", all_null));
  EXPECT_TRUE(May("a IS NULL", all_null));
  EXPECT_FALSE(May("a IS NULL", {{"a", Integers(1, 2)}}));
  EXPECT_TRUE(May("a IS NULL", {{"a", Integers(1, 2, 1)}}));
  EXPECT_FALSE(May("a > id", all_null));
  EXPECT_TRUE(May("a IS NULL", {{"a", {nullptr, nullptr, std::nullopt, 10}}}));
  // Without a row count a null count does not say that there is no value.
  EXPECT_TRUE(May("a = 1", {{"a", {nullptr, nullptr, 3, 0}}}));
}

TEST(MayMatch, KeepsWhatItKnowsNothingOf) {
  EXPECT_TRUE(May("a = 1", {}));
  EXPECT_TRUE(May("NOT a = 1", {}));
  EXPECT_FALSE(May("FALSE", {}));
  EXPECT_TRUE(May("a = 1 OR id = 2", {{"a", Integers(5, 6)}}));
  EXPECT_FALSE(May("a = 1 AND id = 2", {{"a", Integers(5, 6)}}));
  EXPECT_TRUE(May("a = 1", {{"a", Integers(6, 5)}}));
  EXPECT_TRUE(May("a = 1", {{"a", Texts("x", "y")}}));
  EXPECT_TRUE(May("a = 1", {{"a", Between(nullptr, std::make_shared<arrow::Int32Scalar>(5))}}));
  EXPECT_FALSE(May("a = 6", {{"a", Between(nullptr, std::make_shared<arrow::Int32Scalar>(5))}}));
}

TEST(MayMatch, ExpectsNaNInFloatColumnsWhateverTheBoundsSay) {
  const auto one = std::make_shared<arrow::DoubleScalar>(1.0);
  const auto nan = std::make_shared<arrow::DoubleScalar>(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(May("x <> 1", {{"x", Between(one, one)}}));
  EXPECT_TRUE(May("NOT x = 1", {{"x", Between(one, one)}}));
  EXPECT_TRUE(May("NOT x < 5", {{"x", Between(one, one)}}));
  EXPECT_TRUE(May("x NOT IN (1, 2)", {{"x", Between(one, one)}}));
  EXPECT_TRUE(May("x <> x", {{"x", Between(one, one)}}));
  EXPECT_FALSE(May("x > 5", {{"x", Between(one, one)}}));
  EXPECT_TRUE(May("x > 5", {{"x", Between(one, nan)}}));
}

TEST(MayMatch, ComparesBoundsOfAnyScale) {
  const auto type = arrow::timestamp(arrow::TimeUnit::MILLI);
  const auto noon = std::make_shared<arrow::TimestampScalar>(43200000, type);
  const Ranges ranges = {{"ts", Between(noon, noon)}};
  EXPECT_TRUE(May("ts = '1970-01-01 12:00:00'", ranges));
  EXPECT_FALSE(May("ts > '1970-01-01 12:00:00'", ranges));
  EXPECT_TRUE(May("ts > '1970-01-01 11:59:59.999999'", ranges));
  const auto decimal = std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(15), arrow::decimal128(5, 1));
  EXPECT_TRUE(May("d = 1.50", {{"d", Between(decimal, decimal)}}));
  EXPECT_FALSE(May("d > 1.5", {{"d", Between(decimal, decimal)}}));
}

TEST(MayMatch, ComparesPrefixesOfPatterns) {
  const Ranges ranges = {{"s", Texts("run-10", "run-19")}};
  EXPECT_TRUE(May("s LIKE 'run-1%'", ranges));
  EXPECT_FALSE(May("s LIKE 'run-2%'", ranges));
  EXPECT_FALSE(May("s LIKE 'ran%'", ranges));
  EXPECT_TRUE(May("s LIKE '%2'", ranges));
  EXPECT_FALSE(May("s NOT LIKE 'run-%'", ranges));
  EXPECT_TRUE(May("s NOT LIKE 'run-1_'", ranges));
  // Bounds may be cut short: "run" may stand for a longer text above it.
  EXPECT_TRUE(May("s LIKE 'run-2%'", {{"s", Texts("run", "ruo")}}));
}

TEST(MayMatch, ComparesTwoColumns) {
  EXPECT_FALSE(May("a > id", {{"a", Integers(1, 5)}, {"id", Integers(5, 9)}}));
  EXPECT_TRUE(May("a >= id", {{"a", Integers(1, 5)}, {"id", Integers(5, 9)}}));
  EXPECT_FALSE(May("a = id", {{"a", Integers(1, 4)}, {"id", Integers(5, 9)}}));
  EXPECT_FALSE(May("a <> id", {{"a", Integers(4, 4)}, {"id", Integers(4, 4)}}));
}

}  // namespace
}  // namespace reelhouse
