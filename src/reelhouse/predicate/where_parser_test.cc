#include <gmock/gmock.h>

#include "reelhouse/predicate/filter_test_table.h"

namespace reelhouse {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string TextOf(std::string_view where) {
  const auto predicate = ParsePredicate(where, TestFields());
  return predicate.ok() ? predicate->ToText() : "refused: " + predicate.status().message();
}

std::string RefusalOf(std::string_view where, const std::vector<DataField>& fields = TestFields()) {
  const auto predicate = ParsePredicate(where, fields);
  if (predicate.ok()) return "taken: " + predicate->ToText();
  EXPECT_TRUE(predicate.status().IsInvalid()) << predicate.status();
  return predicate.status().message();
}

TEST(ParsePredicate, BindsNotBeforeAndBeforeOr) {
  EXPECT_EQ(TextOf("a = 1 or id = 2 AND NOT x = 3 AnD s = 'q'"), "a = 1 OR (id = 2 AND NOT (x = 3) AND s = 'q')");
  EXPECT_EQ(TextOf("(a = 1 OR id = 2) AND ((x = 3))"), "(a = 1 OR id = 2) AND x = 3");
  EXPECT_EQ(TextOf("NOT (a = 1 OR id = 2)"), "NOT (a = 1 OR id = 2)");
  EXPECT_EQ(TextOf("not not not flag"), "NOT (flag = TRUE)");
  EXPECT_EQ(TextOf("a BETWEEN 1 AND 2 AND id > 3"), "a >= 1 AND a <= 2 AND id > 3");
}

TEST(ParsePredicate, TakesBlankTextAsTrue) {
  EXPECT_TRUE(ParsePredicate("", TestFields()).ValueOrDie().IsAlwaysTrue());
  EXPECT_TRUE(ParsePredicate(" \t\r\n\xC2\xA0", TestFields()).ValueOrDie().IsAlwaysTrue());
  EXPECT_TRUE(ParsePredicate("TRUE", TestFields()).ValueOrDie().IsAlwaysTrue());
  EXPECT_TRUE(ParsePredicate("(true OR a = 1)", TestFields()).ValueOrDie().IsAlwaysTrue());
  EXPECT_FALSE(ParsePredicate("FALSE", TestFields()).ValueOrDie().IsAlwaysTrue());
}

TEST(ParsePredicate, WritesLiteralsOfEveryTypeSoThatTheyAreReadAgain) {
  EXPECT_EQ(TextOf("s = \"it's\""), "s = 'it''s'");
  EXPECT_EQ(TextOf("d = 1.1"), "d = 1.10");
  EXPECT_EQ(TextOf("d < -0.051"), "d <= -0.06");
  EXPECT_EQ(TextOf("a > 1.5"), "a > 1");
  EXPECT_EQ(TextOf("a = 1.5"), "a IN ()");
  EXPECT_EQ(TextOf("a <> 1.5"), "a NOT IN ()");
  EXPECT_EQ(TextOf("f = 0.1"), "f = 0.1");
  EXPECT_EQ(TextOf("x <= -Infinity"), "x <= '-Infinity'");
  EXPECT_EQ(TextOf("day > '2024-02-29'"), "day > DATE '2024-02-29'");
  EXPECT_EQ(TextOf("t = '12:30'"), "t = TIME '12:30:00'");
  EXPECT_EQ(TextOf("ts = '2024-01-01'"), "ts = TIMESTAMP '2024-01-01 00:00:00'");
  EXPECT_EQ(TextOf("tz = '2024-01-01 00:00:00.25+08:00'"), "tz = TIMESTAMP '2023-12-31 16:00:00.25Z'");
  EXPECT_EQ(TextOf("bytes = 'ab'"), "bytes = X'6162'");
  EXPECT_EQ(TextOf("`two words` IN (2 1, 2 NULL,)"), "`two words` IN (1, 2, NULL)");
  EXPECT_EQ(TextOf("s LIKE 'a!%_%' ESCAPE '!'"), "s LIKE 'a\\%_%'");
  EXPECT_EQ(TextOf("`date` = `date`"), "`date` = `date`");
  EXPECT_EQ(TextOf("video is not null"), "video IS NOT NULL");
  EXPECT_EQ(TextOf("s = 5"), "s = '5'");
}

TEST(ParsePredicate, JoinsEqualitiesOfOneColumnIntoOneList) {
  EXPECT_EQ(TextOf("a = 1 OR id = 5 OR a IN (3, NULL) OR a = 2"), "a IN (1, 2, 3, NULL) OR id = 5");
}

TEST(ParsePredicate, NamesItsColumnsInOrderOfFirstUse) {
  EXPECT_THAT(
      ParsePredicate("id = 1 AND (_ROW_ID > 5 OR NOT id = a) AND s LIKE 'x'", TestFields()).ValueOrDie().Columns(),
      ElementsAre("id", "_ROW_ID", "a", "s"));
  EXPECT_THAT(Predicate().Columns(), IsEmpty());
}

TEST(ParsePredicate, JoinsTwoFiltersWithAnd) {
  const auto a = ParsePredicate("a = 1 AND id = 2", TestFields()).ValueOrDie();
  const auto b = ParsePredicate("x = 3 OR x IS NULL", TestFields()).ValueOrDie();
  EXPECT_EQ(a.And(b).ToText(), "a = 1 AND id = 2 AND (x = 3 OR x IS NULL)");
  EXPECT_EQ(Predicate().And(a).ToText(), a.ToText());
}

TEST(ParsePredicate, RefusesUnknownFieldsWithTheNearestName) {
  EXPECT_EQ(RefusalOf("nope = 1", {TestField("id", "INT"), TestField("flag", "BOOLEAN")}),
            "Unknown field 'nope'. Available fields: ['flag', 'id'] at position 1");
  EXPECT_EQ(RefusalOf("id = 1 AND flga", {TestField("id", "INT"), TestField("flag", "BOOLEAN")}),
            "Unknown field 'flga'. Available fields: ['flag', 'id'] at position 12. Did you mean 'flag'?");
  EXPECT_THAT(RefusalOf("_row_id = 1"), HasSubstr("Did you mean '_ROW_ID'?"));
  EXPECT_THAT(RefusalOf("lower(s) = 'x'"), HasSubstr("Filters have no functions"));
  EXPECT_THAT(RefusalOf("`no such` = 1"), StartsWith("Unknown field 'no such'"));
  EXPECT_THAT(RefusalOf("a = `no such`"), StartsWith("Unknown field 'no such'"));
  EXPECT_THAT(RefusalOf("1 = nope"), StartsWith("Unknown field 'nope'"));
  EXPECT_THAT(RefusalOf("ID = 1"), StartsWith("Unknown field 'ID'"));
}

TEST(ParsePredicate, CountsPositionsInCharacters) {
  EXPECT_THAT(RefusalOf("日本 = 1 AND nope = 2"), HasSubstr("at position 12"));
  EXPECT_THAT(RefusalOf("s = '日本' !"), HasSubstr("Unexpected character '!' at position 10"));
}

TEST(ParsePredicate, RefusesTextThatIsNotAFilter) {
  EXPECT_EQ(RefusalOf("a = 1 AND"), "Unexpected end of WHERE clause at position 10");
  EXPECT_THAT(RefusalOf("a ="), StartsWith("Unexpected end of WHERE clause at position 4"));
  EXPECT_THAT(RefusalOf("a"), StartsWith("Unexpected end after field name 'a' at position 2"));
  EXPECT_EQ(RefusalOf("(a = 1"), "Missing closing parenthesis ')' at position 7. Found the end of the filter");
  EXPECT_THAT(RefusalOf("a = 1 extra"), StartsWith("Unexpected tokens after parsing: extra at position 7"));
  EXPECT_THAT(RefusalOf("a = 1 2"), StartsWith("Unexpected tokens after parsing: 2 at position 7"));
  EXPECT_THAT(RefusalOf("a = 1)"), StartsWith("Unexpected tokens after parsing: )"));
  EXPECT_THAT(RefusalOf("a = 1!"), StartsWith("Unexpected character '!' at position 6"));
  EXPECT_THAT(RefusalOf("a = 1;"), HasSubstr("without ; at its end"));
  EXPECT_THAT(RefusalOf("a == 1"), HasSubstr("Write = to compare"));
  EXPECT_THAT(RefusalOf("a <=> 1"), StartsWith("Expected a literal or a field after '<=' for field 'a' at position 5"));
  EXPECT_THAT(RefusalOf("s = 'plain"), StartsWith("Unterminated string at position 5"));
  EXPECT_THAT(RefusalOf("s = 'it's'"), StartsWith("Unterminated string at position 10"));
  EXPECT_THAT(RefusalOf("`a = 1"), StartsWith("Unterminated quoted name at position 1"));
  EXPECT_THAT(RefusalOf("= 1"), StartsWith("Expected a field, found '=' at position 1"));
  EXPECT_THAT(RefusalOf("()"), StartsWith("Expected a field, found ')'"));
  EXPECT_THAT(RefusalOf("OR"), StartsWith("Unknown field 'OR'"));
  EXPECT_THAT(RefusalOf("NULL"), HasSubstr("IS NULL"));
  EXPECT_THAT(RefusalOf("1 = 1"), HasSubstr("All rows: TRUE"));
  EXPECT_THAT(RefusalOf("\"id\" = 1"), HasSubstr("Double quotes make a string"));
  EXPECT_THAT(RefusalOf("s = '\xFF'"), HasSubstr("UTF-8"));
}

TEST(ParsePredicate, RefusesConditionsThatStopHalfway) {
  EXPECT_EQ(
      RefusalOf("id + 1 = 2"),
      "Unsupported operator '+' for field 'id'. Supported: =, !=, <>, <, <=, >, >=, IS NULL, IS NOT NULL, IN, NOT "
      "IN, BETWEEN, LIKE, NOT BETWEEN, NOT LIKE at position 4");
  EXPECT_THAT(RefusalOf("a IN 1"), StartsWith("Expected '(' after IN at position 6"));
  EXPECT_THAT(RefusalOf("a IN (1, 2"), StartsWith("Missing closing ')' in IN list at position 11"));
  EXPECT_THAT(RefusalOf("a IN (1,,2)"), StartsWith("Expected a literal in the IN list"));
  EXPECT_THAT(RefusalOf("a IN (id)"), HasSubstr("IN takes literals only"));
  EXPECT_THAT(RefusalOf("flag IS TRUE"),
              StartsWith("Expected 'NULL' or 'NOT NULL' after 'IS' for field 'flag' at position 9"));
  EXPECT_THAT(RefusalOf("id IS"), StartsWith("Unexpected end after 'IS' for field 'id'"));
  EXPECT_THAT(RefusalOf("id IS NOT"), StartsWith("Expected 'NULL' or 'NOT NULL' after 'IS' for field 'id'"));
  EXPECT_THAT(RefusalOf("a BETWEEN 1, 2"), StartsWith("Expected 'AND' in BETWEEN expression for field 'a'"));
  EXPECT_THAT(RefusalOf("s NOT = 'a'"),
              StartsWith("Expected 'IN', 'BETWEEN' or 'LIKE' after 'NOT' for field 's' at position 7"));
  EXPECT_THAT(RefusalOf("s LIKE abc"), StartsWith("Expected a quoted pattern after 'LIKE'"));
  EXPECT_THAT(RefusalOf("s LIKE 'a\\'"), HasSubstr("lone escape character"));
  EXPECT_THAT(RefusalOf("s LIKE 'a' ESCAPE 'no'"), StartsWith("Expected one quoted character after 'ESCAPE'"));
  EXPECT_THAT(RefusalOf("a LIKE '1%'"), StartsWith("LIKE needs a STRING field, 'a' is INT"));
}

TEST(ParsePredicate, RefusesComparisonsWithNull) {
  for (const char* where : {"s = NULL", "s <> null", "a BETWEEN NULL AND 2", "a < NULL", "NULL = a"}) {
    EXPECT_THAT(RefusalOf(where), HasSubstr("IS NULL")) << where;
  }
}

TEST(ParsePredicate, RefusesBareWordsWithTheHintToQuote) {
  EXPECT_THAT(RefusalOf("flag = ture"), HasSubstr("Bare word 'ture' is no field, number, TRUE, FALSE or NULL"));
  EXPECT_THAT(RefusalOf("flag = ture"), HasSubstr("Did you mean TRUE?"));
  EXPECT_THAT(RefusalOf("s = hello"), HasSubstr("'hello'"));
  EXPECT_THAT(RefusalOf("s = NaN"), StartsWith("Bare word"));
  EXPECT_THAT(RefusalOf("s IN (hello)"), StartsWith("Bare word"));
  EXPECT_THAT(RefusalOf("s = \xE2\x80\x98hello\xE2\x80\x99"), HasSubstr("straight quotes"));
  EXPECT_THAT(RefusalOf("id = 1_0"), StartsWith("Bare word '1_0'"));
  EXPECT_THAT(RefusalOf("id = 0x10"), StartsWith("Bare word '0x10'"));
  EXPECT_THAT(RefusalOf("id = - 3"), StartsWith("Bare word '-'"));
}

TEST(ParsePredicate, RefusesLiteralsThatTheTypeDoesNotHave) {
  EXPECT_THAT(RefusalOf("day = '2024-13-01'"), StartsWith("Invalid DATE literal: '2024-13-01' at position 7"));
  EXPECT_THAT(RefusalOf("day = '2023-02-29'"), StartsWith("Invalid DATE literal: '2023-02-29'"));
  EXPECT_THAT(RefusalOf("day = 5"), StartsWith("Invalid DATE literal: '5'"));
  EXPECT_THAT(RefusalOf("d = 'x'"), StartsWith("Invalid DECIMAL literal: 'x'"));
  EXPECT_THAT(RefusalOf("t = '24:00'"), StartsWith("Invalid TIME literal: '24:00'"));
  EXPECT_THAT(RefusalOf("t = '12:00:00+01:00'"), StartsWith("Invalid TIME literal"));
  EXPECT_THAT(RefusalOf("a = 'one'"), StartsWith("Invalid INT literal: 'one' at position 5"));
  EXPECT_THAT(RefusalOf("a = '1_0'"), StartsWith("Invalid INT literal: '1_0'"));
  EXPECT_THAT(RefusalOf("a = TRUE"), StartsWith("Invalid INT literal: 'TRUE'"));
  EXPECT_THAT(RefusalOf("a = DATE '2024-01-01'"), StartsWith("Invalid INT literal: DATE '2024-01-01'"));
  EXPECT_THAT(RefusalOf("flag = 'maybe'"), StartsWith("Invalid BOOLEAN literal: 'maybe'"));
  EXPECT_THAT(RefusalOf("flag = 2"), StartsWith("Invalid BOOLEAN literal: '2'"));
  EXPECT_THAT(RefusalOf("x = '1,5'"), StartsWith("Invalid DOUBLE literal: '1,5'"));
  EXPECT_THAT(RefusalOf("s = TRUE"), StartsWith("Invalid STRING literal: 'TRUE'"));
  EXPECT_THAT(RefusalOf("s = X'00'"), StartsWith("Invalid STRING literal: X'00'"));
  EXPECT_THAT(RefusalOf("bytes = X'0'"), StartsWith("Invalid BYTES literal: X'0' at position 9"));
  EXPECT_THAT(RefusalOf("ts = '2024-01-01 25:00:00'"), StartsWith("Invalid TIMESTAMP literal"));
  EXPECT_THAT(RefusalOf("ts = '2024-01-01 00:00:00Z'"), HasSubstr("it has no time zone"));
  EXPECT_THAT(RefusalOf("tz = '2024-01-01 00:00:00 Europe/Berlin'"), StartsWith("Invalid TIMESTAMP_LTZ literal"));
  EXPECT_THAT(RefusalOf("a IN (1, 'x')"), StartsWith("Invalid INT literal: 'x' at position 10"));
}

TEST(ParsePredicate, RefusesToCompareWhatIsNotAtomic) {
  EXPECT_THAT(RefusalOf("list = 'x'"),
              StartsWith("Field 'list' has a non-atomic type (e.g., ARRAY, MAP, ROW) which is not supported in WHERE "
                         "clauses. Only atomic type fields (INT, STRING, DOUBLE, etc.) can be used for filtering."));
  EXPECT_THAT(RefusalOf("video = 'x'"), StartsWith("Field 'video' is a BLOB"));
  EXPECT_THAT(RefusalOf("'x' = video"), StartsWith("Field 'video' is a BLOB"));
  EXPECT_THAT(RefusalOf("id = s"), StartsWith("Fields 'id' (BIGINT) and 's' (STRING) cannot be compared"));
  EXPECT_THAT(RefusalOf("id = list"), HasSubstr("cannot be compared"));
}

TEST(ParsePredicate, BoundsTheDepthOfNesting) {
  const auto nested = [](int depth) { return std::string(depth, '(') + "a = 1" + std::string(depth, ')'); };
  EXPECT_EQ(TextOf(nested(1000)), "a = 1");
  EXPECT_THAT(RefusalOf(nested(1001)), StartsWith("More than 1000 parentheses inside each other at position 1001"));
  EXPECT_THAT(RefusalOf(nested(200000)), StartsWith("More than 1000 parentheses"));

  std::string mixed = "a = 1";
  for (int i = 0; i < 999; ++i) mixed = (i % 2 == 0 ? "id = 2 AND NOT (" : "x = 3 OR NOT (") + mixed + ")";
  const auto predicate = ParsePredicate(mixed, TestFields()).ValueOrDie();
  EXPECT_EQ(ParsePredicate(predicate.ToText(), TestFields()).ValueOrDie().ToText(), predicate.ToText());
  std::string negations;
  for (int i = 0; i < 100001; ++i) negations += "NOT ";
  EXPECT_EQ(TextOf(negations + "a = 1"), "NOT (a = 1)");
}

TEST(ParsePredicate, KeepsColumnsApartFromKeywords) {
  const std::vector<DataField> fields = {TestField("not", "INT"),    TestField("and", "INT"), TestField("in", "INT"),
                                         TestField("or", "BOOLEAN"), TestField("is", "INT"),  TestField("true", "INT")};
  const auto text = [&](std::string_view where) { return ParsePredicate(where, fields).ValueOrDie().ToText(); };
  EXPECT_EQ(text("in = 1 AND and = 2"), "`in` = 1 AND `and` = 2");
  EXPECT_EQ(text("not = 1 AND NOT in = 2"), "`not` = 1 AND NOT (`in` = 2)");
  EXPECT_EQ(text("or OR or OR is IS NULL"), "`or` = TRUE OR `is` IS NULL");
  EXPECT_EQ(text("true = 1"), "`true` = 1");
  EXPECT_EQ(text("TRUE"), "TRUE");
}

}  // namespace
}  // namespace reelhouse
