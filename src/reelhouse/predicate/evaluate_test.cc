#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "reelhouse/predicate/filter_test_table.h"

namespace reelhouse {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kJanuary2024Seconds = 1704067200;

TEST(EvaluatePredicate, TakesNoRowWhereAComparisonWithNullIsUnknown) {
  const auto batch = OneColumn("s", Strings({"plain", std::nullopt, "NULL", "other"}));
  EXPECT_THAT(MatchedRows("s = 'NULL'", *batch), ElementsAre(2));
  EXPECT_THAT(MatchedRows("s <> 'plain'", *batch), ElementsAre(2, 3));
  EXPECT_THAT(MatchedRows("NOT (s = 'plain')", *batch), ElementsAre(2, 3));
  EXPECT_THAT(MatchedRows("NOT NOT s = 'plain'", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("s = 'plain' OR NOT s = 'plain'", *batch), ElementsAre(0, 2, 3));
  EXPECT_THAT(MatchedRows("s IS NULL", *batch), ElementsAre(1));
  EXPECT_THAT(MatchedRows("s IS NOT NULL", *batch), ElementsAre(0, 2, 3));
  EXPECT_THAT(MatchedRows("s = 'plain' OR s IS NULL", *batch), ElementsAre(0, 1));
}

TEST(EvaluatePredicate, FollowsSqlWhereAListHoldsNull) {
  const auto batch = OneColumn("s", Strings({"plain", std::nullopt, "NULL", "other"}));
  EXPECT_THAT(MatchedRows("s IN (NULL, 'plain')", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("s NOT IN ('plain', NULL)", *batch), IsEmpty());
  EXPECT_THAT(MatchedRows("NOT (s NOT IN ('plain', NULL))", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("s IN (NULL)", *batch), IsEmpty());
  EXPECT_THAT(MatchedRows("NOT s IN (NULL)", *batch), IsEmpty());
  EXPECT_THAT(MatchedRows("s NOT IN ('plain')", *batch), ElementsAre(2, 3));
  EXPECT_THAT(MatchedRows("s IN ()", *batch), IsEmpty());
  EXPECT_THAT(MatchedRows("s NOT IN ()", *batch), ElementsAre(0, 2, 3));
}

TEST(EvaluatePredicate, ReadsQuotesInStringsAsSqlDoes) {
  const auto batch = OneColumn("s", Strings({"it's", "say \"hi\"", "back\\slash", "50%_x", "AND", "plain", ""}));
  EXPECT_THAT(MatchedRows("s = 'it''s'", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("s = \"it's\"", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("s = 'say \"hi\"'", *batch), ElementsAre(1));
  EXPECT_THAT(MatchedRows("s = \"say \"\"hi\"\"\"", *batch), ElementsAre(1));
  EXPECT_THAT(MatchedRows("s = 'back\\slash'", *batch), ElementsAre(2));
  EXPECT_THAT(MatchedRows("s = 'back\\\\slash'", *batch), IsEmpty());
  EXPECT_THAT(MatchedRows("s LIKE '50\\%\\_x'", *batch), ElementsAre(3));
  EXPECT_THAT(MatchedRows("s LIKE '50!%!_x' ESCAPE '!'", *batch), ElementsAre(3));
  EXPECT_THAT(MatchedRows("s LIKE '5%'", *batch), ElementsAre(3));
  EXPECT_THAT(MatchedRows("s NOT LIKE '%i%'", *batch), ElementsAre(2, 3, 4, 6));
  EXPECT_THAT(MatchedRows("s = 'AND'", *batch), ElementsAre(4));
  EXPECT_THAT(MatchedRows("s = ''", *batch), ElementsAre(6));
}

TEST(EvaluatePredicate, ComparesStringsByteByByte) {
  const auto batch = OneColumn("s", Strings({"Z", "a", "ä", "日本", "\xF0\x9F\x98\x80"}));
  EXPECT_THAT(MatchedRows("s > 'a'", *batch), ElementsAre(2, 3, 4));
  EXPECT_THAT(MatchedRows("s <= 'ä'", *batch), ElementsAre(0, 1, 2));
  EXPECT_THAT(MatchedRows("s LIKE '_'", *batch), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(MatchedRows("s BETWEEN 'a' AND 'ä'", *batch), ElementsAre(1, 2));
}

TEST(EvaluatePredicate, ComparesIntegersExactlyWithEveryNumber) {
  const int64_t max = std::numeric_limits<int64_t>::max();
  const int64_t min = std::numeric_limits<int64_t>::min();
  const auto batch = OneColumn("id", Int64s({min, -2, -1, 0, 1, 2, max, std::nullopt}));
  EXPECT_THAT(MatchedRows("id > 1.5", *batch), ElementsAre(5, 6));
  EXPECT_THAT(MatchedRows("id >= 1.5", *batch), ElementsAre(5, 6));
  EXPECT_THAT(MatchedRows("id < -1.5", *batch), ElementsAre(0, 1));
  EXPECT_THAT(MatchedRows("id <= -1.5", *batch), ElementsAre(0, 1));
  EXPECT_THAT(MatchedRows("id = 1.5", *batch), IsEmpty());
  EXPECT_THAT(MatchedRows("id <> 1.5", *batch), ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(MatchedRows("id IN (1.5, 2.0, 1e0)", *batch), ElementsAre(4, 5));
  EXPECT_THAT(MatchedRows("id = 9223372036854775807", *batch), ElementsAre(6));
  EXPECT_THAT(MatchedRows("id = -9223372036854775808", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("id >= 9223372036854775808", *batch), IsEmpty());
  EXPECT_THAT(MatchedRows("id < 1e400", *batch), ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(MatchedRows("id > -1e999999999999999999999", *batch), ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(MatchedRows("id > 1e-999999999999999999999", *batch), ElementsAre(4, 5, 6));
  EXPECT_THAT(MatchedRows("id > '1'", *batch), ElementsAre(5, 6));
  EXPECT_THAT(MatchedRows("id = +1 OR id = -2 OR id=.0", *batch), ElementsAre(1, 3, 4));
  EXPECT_THAT(MatchedRows("1 < id", *batch), ElementsAre(5, 6));
  EXPECT_THAT(MatchedRows("id NOT BETWEEN -1 AND 1", *batch), ElementsAre(0, 1, 5, 6));
}

TEST(EvaluatePredicate, KeepsNarrowIntegersFromWrappingAround) {
  const auto batch = OneColumn("tiny", ArrayOf<arrow::Int8Type, int8_t>(arrow::int8(), {-128, 0, 44, 127}));
  EXPECT_THAT(MatchedRows("tiny = 300", *batch), IsEmpty());
  EXPECT_THAT(MatchedRows("tiny < 300", *batch), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(MatchedRows("tiny >= 127", *batch), ElementsAre(3));
  EXPECT_THAT(MatchedRows("tiny > 127.5", *batch), IsEmpty());
  EXPECT_THAT(MatchedRows("tiny > -128.5", *batch), ElementsAre(0, 1, 2, 3));
}

TEST(EvaluatePredicate, RoundsTheLiteralToFloatForFloatColumns) {
  const auto max = std::numeric_limits<float>::max();
  const auto batch = OneColumn("f", Floats({0.1F, -0.0F, max, static_cast<float>(kInfinity), std::nullopt}));
  EXPECT_THAT(MatchedRows("f = 0.1", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("f IN (0.1, 0)", *batch), ElementsAre(0, 1));
  EXPECT_THAT(MatchedRows("f = 1e39", *batch), IsEmpty());
  EXPECT_THAT(MatchedRows("f < 1e39", *batch), ElementsAre(0, 1, 2));
  EXPECT_THAT(MatchedRows("f > 1e39", *batch), ElementsAre(3));
  EXPECT_THAT(MatchedRows("f > -1e39", *batch), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(MatchedRows("f = Infinity", *batch), ElementsAre(3));
  EXPECT_THAT(MatchedRows("f > 1e-60", *batch), ElementsAre(0, 2, 3));
}

TEST(EvaluatePredicate, TreatsNaNAsIeee754Does) {
  const auto batch = OneColumn("x", Doubles({1.0, kNaN, -kInfinity, std::nullopt}));
  EXPECT_THAT(MatchedRows("x = NaN", *batch), IsEmpty());
  EXPECT_THAT(MatchedRows("x <> 'nan'", *batch), ElementsAre(0, 1, 2));
  EXPECT_THAT(MatchedRows("x < 5", *batch), ElementsAre(0, 2));
  EXPECT_THAT(MatchedRows("NOT x < 5", *batch), ElementsAre(1));
  EXPECT_THAT(MatchedRows("x <> 1", *batch), ElementsAre(1, 2));
  EXPECT_THAT(MatchedRows("x <> x", *batch), ElementsAre(1));
  EXPECT_THAT(MatchedRows("x IN (1, NaN)", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("x NOT IN (1)", *batch), ElementsAre(1, 2));
  EXPECT_THAT(MatchedRows("x = -Infinity", *batch), ElementsAre(2));
}

TEST(EvaluatePredicate, ComparesDecimalsExactlyAtAnyScale) {
  const auto batch = OneColumn("d", Decimals({"1.10", "2.00", "-3.25", "9.99", std::nullopt}));
  EXPECT_THAT(MatchedRows("d = 1.1", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("d > 1.105", *batch), ElementsAre(1, 3));
  EXPECT_THAT(MatchedRows("d < -3.249", *batch), ElementsAre(2));
  EXPECT_THAT(MatchedRows("d >= -3.251", *batch), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(MatchedRows("d = 1.105", *batch), IsEmpty());
  EXPECT_THAT(MatchedRows("d = 99999999999.99", *batch), IsEmpty());
  EXPECT_THAT(MatchedRows("d < 99999999999.99", *batch), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(MatchedRows("d = 2", *batch), ElementsAre(1));
  EXPECT_THAT(MatchedRows("d < 0", *batch), ElementsAre(2));
  EXPECT_THAT(MatchedRows("d = DECIMAL '9.990'", *batch), ElementsAre(3));
  EXPECT_THAT(MatchedRows("d IN (1.10, 1.105, '-3.25')", *batch), ElementsAre(0, 2));
}

TEST(EvaluatePredicate, ComparesDaysAndTimes) {
  const auto days = OneColumn("day", Dates({19723, 19724, -719162, std::nullopt}));
  EXPECT_THAT(MatchedRows("day = '2024-01-02'", *days), ElementsAre(1));
  EXPECT_THAT(MatchedRows("day = DATE '2024-01-02'", *days), ElementsAre(1));
  EXPECT_THAT(MatchedRows("day < DATE '2024-01-01'", *days), ElementsAre(2));
  EXPECT_THAT(MatchedRows("day = '0001-01-01'", *days), ElementsAre(2));

  const auto times = OneColumn(
      "t", ArrayOf<arrow::Time32Type, int32_t>(arrow::time32(arrow::TimeUnit::MILLI), {0, 1500, 61000, std::nullopt}));
  EXPECT_THAT(MatchedRows("t = '00:00:01.5'", *times), ElementsAre(1));
  EXPECT_THAT(MatchedRows("t >= TIME '00:01:01'", *times), ElementsAre(2));
  EXPECT_THAT(MatchedRows("t > '00:00:01.4999999'", *times), ElementsAre(1, 2));
  EXPECT_THAT(MatchedRows("t = '00:00:01.5000001'", *times), IsEmpty());
  EXPECT_THAT(MatchedRows("t IN ('00:00', '00:00:01.500')", *times), ElementsAre(0, 1));
}

TEST(EvaluatePredicate, ComparesTimestampsWithoutAZoneAsWallClock) {
  Cells<int64_t> hours;
  for (int64_t hour = 0; hour < 8; ++hour) hours.push_back((kJanuary2024Seconds + hour * 3600) * 1000000);
  const auto batch = OneColumn("ts", Timestamps(arrow::timestamp(arrow::TimeUnit::MICRO), hours));
  EXPECT_THAT(MatchedRows("ts = '2024-01-01 03:00:00'", *batch), ElementsAre(3));
  EXPECT_THAT(MatchedRows("ts = '2024-01-01T03:00'", *batch), ElementsAre(3));
  EXPECT_THAT(MatchedRows("ts > TIMESTAMP '2024-01-01 05:00:00'", *batch), ElementsAre(6, 7));
  EXPECT_THAT(MatchedRows("ts <= DATE '2024-01-01'", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("ts > '2024-01-01 05:59:59.999999999'", *batch), ElementsAre(6, 7));
  EXPECT_THAT(MatchedRows("ts IN ('2024-01-01 01:00:00', '2024-01-01 02:00:00.000000001')", *batch), ElementsAre(1));
}

TEST(EvaluatePredicate, ComparesTimestampsWithAZoneAsInstants) {
  Cells<int64_t> hours;
  for (int64_t hour = 0; hour < 8; ++hour) hours.push_back((kJanuary2024Seconds + hour * 3600) * 1000);
  const auto batch = OneColumn("tz", Timestamps(arrow::timestamp(arrow::TimeUnit::MILLI, "Asia/Shanghai"), hours));
  EXPECT_THAT(MatchedRows("tz = '2024-01-01T03:00:00Z'", *batch), ElementsAre(3));
  EXPECT_THAT(MatchedRows("tz >= '2024-01-01 06:00:00+00:00'", *batch), ElementsAre(6, 7));
  EXPECT_THAT(MatchedRows("tz > '2024-01-01 14:00:00+08:00'", *batch), ElementsAre(7));
  EXPECT_THAT(MatchedRows("tz > '2023-12-31 22:30:00-0730'", *batch), ElementsAre(7));
  EXPECT_THAT(MatchedRows("tz = '2024-01-01 03:00:00'", *batch), ElementsAre(3));
}

TEST(EvaluatePredicate, KeepsNanosecondsApart) {
  const int64_t moment = kJanuary2024Seconds * 1000000000 + 123456789;
  const auto batch = OneColumn("ns", Timestamps(arrow::timestamp(arrow::TimeUnit::NANO), {moment - 1, moment}));
  EXPECT_THAT(MatchedRows("ns = '2024-01-01 00:00:00.123456789'", *batch), ElementsAre(1));
  EXPECT_THAT(MatchedRows("ns IN ('2024-01-01 00:00:00.123456788')", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("ns < '9999-12-31'", *batch), ElementsAre(0, 1));
  EXPECT_THAT(MatchedRows("ns > '0001-01-01'", *batch), ElementsAre(0, 1));
}

TEST(EvaluatePredicate, ComparesCellsOfAnotherUnitThanTheColumns) {
  const auto seconds = Timestamps(arrow::timestamp(arrow::TimeUnit::SECOND), {kJanuary2024Seconds});
  const auto batch = OneColumn("ts", seconds);
  EXPECT_THAT(MatchedRows("ts = '2024-01-01'", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("ts > '2023-12-31 23:59:59.5'", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("ts IN ('2024-01-01')", *batch), ElementsAre(0));
  const auto ints = OneColumn("id", Int32s({1, 2}));
  EXPECT_THAT(MatchedRows("id > 1 AND id IN (2)", *ints), ElementsAre(1));
}

TEST(EvaluatePredicate, TakesBooleanColumnsAsTheyAre) {
  const auto batch = OneColumn("flag", Booleans({true, false, std::nullopt}));
  EXPECT_THAT(MatchedRows("flag", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("NOT flag", *batch), ElementsAre(1));
  EXPECT_THAT(MatchedRows("flag = 'yes'", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("flag = 0", *batch), ElementsAre(1));
  EXPECT_THAT(MatchedRows("flag < TRUE", *batch), ElementsAre(1));
  EXPECT_THAT(MatchedRows("flag IN (TRUE, false)", *batch), ElementsAre(0, 1));
  EXPECT_THAT(MatchedRows("(flag) OR flag IS NULL", *batch), ElementsAre(0, 2));
  EXPECT_THAT(MatchedRows("TRUE", *batch), ElementsAre(0, 1, 2));
  EXPECT_THAT(MatchedRows("", *batch), ElementsAre(0, 1, 2));
  EXPECT_THAT(MatchedRows("FALSE OR false", *batch), IsEmpty());
  EXPECT_THAT(MatchedRows("TRUE = flag", *batch), ElementsAre(0));
}

TEST(EvaluatePredicate, ComparesBytesWithHexadecimalAndText) {
  const auto array = ArrayOf<arrow::BinaryType, std::string>(arrow::binary(), {"a", "\xFF", std::string("\0", 1)});
  const auto batch = OneColumn("bytes", array);
  EXPECT_THAT(MatchedRows("bytes = X'ff'", *batch), ElementsAre(1));
  EXPECT_THAT(MatchedRows("bytes > x'00'", *batch), ElementsAre(0, 1));
  EXPECT_THAT(MatchedRows("bytes IN ('a', X'00')", *batch), ElementsAre(0, 2));
  EXPECT_THAT(MatchedRows("bytes <> X''", *batch), ElementsAre(0, 1, 2));
}

TEST(EvaluatePredicate, ReadsEveryLayoutOfStrings) {
  const Cells<std::string> cells = {"one", std::nullopt, "a string longer than twelve bytes"};
  for (const auto& array : {Strings(cells), ArrayOf<arrow::LargeStringType>(arrow::large_utf8(), cells),
                            ArrayOf<arrow::LargeBinaryType>(arrow::large_binary(), cells),
                            ArrayOf<arrow::StringViewType>(arrow::utf8_view(), cells)}) {
    const auto batch = OneColumn("s", array);
    EXPECT_THAT(MatchedRows("s = 'one'", *batch), ElementsAre(0)) << array->type()->ToString();
    EXPECT_THAT(MatchedRows("s LIKE '%longer%'", *batch), ElementsAre(2));
    EXPECT_THAT(MatchedRows("s >= 'p' OR s IS NULL", *batch), ElementsAre(1));
    EXPECT_THAT(MatchedRows("s = 'one'", *batch->Slice(1)), IsEmpty());
    EXPECT_THAT(MatchedRows("s IN ('one', 'a string longer than twelve bytes')", *batch->Slice(1)), ElementsAre(1));
  }
}

TEST(EvaluatePredicate, HonoursTheOffsetOfSlices) {
  const auto numbers = OneColumn("a", Int32s({1, std::nullopt, 3, 4, std::nullopt, 6}))->Slice(1, 4);
  EXPECT_THAT(MatchedRows("a > 1", *numbers), ElementsAre(1, 2));
  EXPECT_THAT(MatchedRows("a IS NULL", *numbers), ElementsAre(0, 3));
  const auto flags = OneColumn("flag", Booleans({true, false, true, std::nullopt, false}))->Slice(2);
  EXPECT_THAT(MatchedRows("flag", *flags), ElementsAre(0));
  EXPECT_THAT(MatchedRows("NOT flag", *flags), ElementsAre(2));
}

TEST(EvaluatePredicate, ComparesColumnsWithEachOther) {
  const auto schema = arrow::schema({arrow::field("id", arrow::int64()), arrow::field("a", arrow::int32()),
                                     arrow::field("f", arrow::float32()), arrow::field("x", arrow::float64())});
  const auto batch =
      arrow::RecordBatch::Make(schema, 4,
                               {Int64s({1, 2, std::nullopt, 4}), Int32s({1, 3, 3, std::nullopt}),
                                Floats({0.5F, 1, 2, static_cast<float>(kNaN)}), Doubles({0.5, 2, 1, kNaN})});
  EXPECT_THAT(MatchedRows("id = a", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("id < a", *batch), ElementsAre(1));
  EXPECT_THAT(MatchedRows("NOT id < a", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("f = x", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("f > x", *batch), ElementsAre(2));
  EXPECT_THAT(MatchedRows("f <> x", *batch), ElementsAre(1, 2, 3));
  EXPECT_THAT(MatchedRows("id BETWEEN a AND 4", *batch), ElementsAre(0));
}

TEST(EvaluatePredicate, TestsColumnsOfAnyTypeForNull) {
  const auto lists = arrow::MakeArrayOfNull(arrow::list(arrow::int32()), 3).ValueOrDie();
  EXPECT_THAT(MatchedRows("list IS NULL", *OneColumn("list", lists)), ElementsAre(0, 1, 2));
  const auto blobs = ArrayOf<arrow::LargeBinaryType, std::string>(arrow::large_binary(), {"a", std::nullopt});
  EXPECT_THAT(MatchedRows("video IS NOT NULL", *OneColumn("video", blobs)), ElementsAre(0));
  const auto nulls = OneColumn("a", arrow::MakeArrayOfNull(arrow::null(), 2).ValueOrDie());
  EXPECT_THAT(MatchedRows("a = 1 OR NOT a = 1", *nulls), IsEmpty());
  EXPECT_THAT(MatchedRows("a IS NULL", *nulls), ElementsAre(0, 1));
}

TEST(EvaluatePredicate, FiltersOnTheSystemColumns) {
  const auto batch = OneColumn("_ROW_ID", Int64s({7, 8, 9}));
  EXPECT_THAT(MatchedRows("_ROW_ID IN (7, 9)", *batch), ElementsAre(0, 2));
  EXPECT_THAT(MatchedRows("_SEQUENCE_NUMBER > 3", *OneColumn("_SEQUENCE_NUMBER", Int64s({3, 4}))), ElementsAre(1));
}

TEST(EvaluatePredicate, ReadsColumnsWhoseNamesAreWordsOfTheGrammar) {
  const auto schema =
      arrow::schema({arrow::field("in", arrow::int32()), arrow::field("timestamp", arrow::int32()),
                     arrow::field("date", arrow::date32()), arrow::field("observation.state", arrow::int32()),
                     arrow::field("two words", arrow::int32()), arrow::field("b`t", arrow::int32()),
                     arrow::field("日本", arrow::int32())});
  const auto batch = arrow::RecordBatch::Make(schema, 2,
                                              {Int32s({1, 2}), Int32s({3, 4}), Dates({19724, 0}), Int32s({5, 6}),
                                               Int32s({7, 8}), Int32s({9, 10}), Int32s({11, 12})});
  EXPECT_THAT(MatchedRows("in = 1 AND in IN (1)", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("timestamp > 3", *batch), ElementsAre(1));
  EXPECT_THAT(MatchedRows("date = '2024-01-02'", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("date = DATE '2024-01-02' AND NOT in IN (2)", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("DATE '2024-01-02' = date", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("observation.state = 6", *batch), ElementsAre(1));
  EXPECT_THAT(MatchedRows("`two words` = 8", *batch), ElementsAre(1));
  EXPECT_THAT(MatchedRows("`b``t` = 9", *batch), ElementsAre(0));
  EXPECT_THAT(MatchedRows("日本 >= 12", *batch), ElementsAre(1));
}

TEST(EvaluatePredicate, GivesNoRowsForABatchWithoutRows) {
  const auto batch = OneColumn("a", Int32s({}));
  EXPECT_THAT(MatchedRows("a > 1 OR a IS NULL", *batch), IsEmpty());
  EXPECT_THAT(MatchedRows("TRUE", *batch), IsEmpty());
}

TEST(EvaluatePredicate, WorksAcrossTheBordersOfItsBlocks) {
  arrow::Int32Builder builder;
  constexpr int kRows = 20011;
  for (int i = 0; i < kRows; ++i) ASSERT_TRUE((i % 5 == 0 ? builder.AppendNull() : builder.Append(i)).ok());
  const auto batch = OneColumn("a", builder.Finish().ValueOrDie());
  std::vector<int64_t> wanted;
  for (int i = 0; i < kRows; ++i) {
    if (i % 5 != 0 && (i > 8190 && i < 8200)) wanted.push_back(i);
  }
  wanted.push_back(kRows - 2);
  EXPECT_EQ(MatchedRows("(a > 8190 AND a < 8200) OR a = 20009", *batch), wanted);
  EXPECT_EQ(MatchedRows("TRUE", *batch).size(), static_cast<size_t>(kRows));
}

TEST(EvaluatePredicate, NamesAColumnThatTheBatchLacksOrHasInAnotherType) {
  const auto predicate = ParsePredicate("a > 1", TestFields()).ValueOrDie();
  const auto missing = EvaluatePredicate(predicate, *OneColumn("b", Int32s({1}))).status();
  EXPECT_THAT(missing.message(), HasSubstr("column 'a'"));
  const auto mismatch = EvaluatePredicate(predicate, *OneColumn("a", Strings({"1"}))).status();
  EXPECT_TRUE(mismatch.IsTypeError());
  EXPECT_THAT(mismatch.message(), HasSubstr("column 'a' of type INT, the batch has string"));
}

TEST(EvaluatePredicate, LooksUpLongLists) {
  std::string where = "a IN (";
  for (int i = 0; i < 100000; ++i) where += std::to_string(2 * i) + ", ";
  where += ")";
  EXPECT_THAT(MatchedRows(where, *OneColumn("a", Int32s({0, 1, 199998, 199999, -2}))), ElementsAre(0, 2));

  std::string chain = "s = 'k0'";
  for (int i = 1; i < 20000; ++i) chain += " OR s = 'k" + std::to_string(i) + "'";
  EXPECT_THAT(MatchedRows(chain, *OneColumn("s", Strings({"k19999", "k20000"}))), ElementsAre(0));
}

}  // namespace
}  // namespace reelhouse
