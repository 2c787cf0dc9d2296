#include "reelhouse/base/text.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace reelhouse {
namespace {

using namespace std::string_literals;

TEST(Text, TrimsBothEnds) {
  EXPECT_EQ(TrimmedView(" \t a b\r\n"), "a b");
  EXPECT_EQ(TrimmedView("   "), "");
}

TEST(Text, SplitsListsAtCommas) {
  EXPECT_EQ(SplitCommaList(" a, b ,,c c,"), (std::vector<std::string>{"a", "b", "c c"}));
  EXPECT_EQ(SplitCommaList(" , "), std::vector<std::string>{});
}

TEST(Text, ComparesWithoutCase) {
  EXPECT_TRUE(EqualsIgnoreCase("BETWEEN", "between"));
  EXPECT_FALSE(EqualsIgnoreCase("a", "ab"));
  EXPECT_FALSE(EqualsIgnoreCase("[", "{"));
}

TEST(Text, QuotesForErrors) {
  EXPECT_EQ(QuoteForError("a b"), "`a b`");
  EXPECT_EQ(QuoteForError("a\n\x01"s), "`a\\n\\x01`");
  EXPECT_EQ(QuoteForError("abcdef", 3), "`abc`... (6 bytes)");
  EXPECT_EQ(QuoteForError("ab\xc3\xa4", 3), "`ab`... (4 bytes)");
}

TEST(NaturalLess, ComparesRunsOfDigitsAsNumbers) {
  EXPECT_TRUE(NaturalLess("frame2.jpg", "frame10.jpg"));
  EXPECT_FALSE(NaturalLess("frame10.jpg", "frame2.jpg"));
  EXPECT_TRUE(NaturalLess("a/9/b", "a/10/a"));
  EXPECT_TRUE(NaturalLess("frame", "frame1"));
  EXPECT_TRUE(NaturalLess("99999999999999999999", "100000000000000000000"));
  EXPECT_FALSE(NaturalLess("same", "same"));
}

TEST(NaturalLess, IsATotalOrder) {
  EXPECT_NE(NaturalLess("f01", "f1"), NaturalLess("f1", "f01"));
  std::vector<std::string> names{"f10", "f2", "f1", "f01", "f", "g0", "f1a", "F3"};
  std::sort(names.begin(), names.end(), NaturalLess);
  EXPECT_EQ(names, (std::vector<std::string>{"F3", "f", "f01", "f1", "f1a", "f2", "f10", "g0"}));
}

}  // namespace
}  // namespace reelhouse
