#include "reelhouse/predicate/like_pattern.h"

#include <random>

#include <gtest/gtest.h>

namespace reelhouse {
namespace {

bool Like(std::string_view text, std::string_view pattern, std::string_view escape = "\\") {
  return LikePattern::Compile(pattern, escape)->Matches(text);
}

/// The definition, without any cleverness: ASCII only.
bool NaiveLike(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '%') {
    return NaiveLike(text, pattern.substr(1)) || (!text.empty() && NaiveLike(text.substr(1), pattern));
  }
  return !text.empty() && (pattern[0] == '_' || pattern[0] == text[0]) && NaiveLike(text.substr(1), pattern.substr(1));
}

TEST(LikePattern, MatchesRunsAndSingleCharacters) {
  EXPECT_TRUE(Like("", ""));
  EXPECT_TRUE(Like("", "%"));
  EXPECT_FALSE(Like("", "_"));
  EXPECT_FALSE(Like("a", ""));
  EXPECT_TRUE(Like("abc", "abc"));
  EXPECT_FALSE(Like("abcd", "abc"));
  EXPECT_TRUE(Like("abc", "a%"));
  EXPECT_TRUE(Like("abc", "%c"));
  EXPECT_TRUE(Like("abc", "%b%"));
  EXPECT_TRUE(Like("a\nb", "a%b"));
  EXPECT_FALSE(Like("ABC", "abc"));
  EXPECT_TRUE(Like("aXbaYb", "%a_b"));
  EXPECT_TRUE(Like("abab", "a%ab"));
  EXPECT_FALSE(Like("aba", "a%ab%"));
}

TEST(LikePattern, CountsUtf8CharactersNotBytes) {
  EXPECT_TRUE(Like("é", "_"));
  EXPECT_FALSE(Like("é", "__"));
  EXPECT_FALSE(Like("é", "%__"));
  EXPECT_TRUE(Like("日本語", "_本_"));
  EXPECT_TRUE(Like("日本語", "%__"));
  EXPECT_TRUE(Like("\xFF\xFE", "__"));
  EXPECT_TRUE(Like("a\x80\x80\x80\x80", "%"));
}

TEST(LikePattern, TakesEscapedCharactersAsThemselves) {
  EXPECT_TRUE(Like("50%", "50\\%"));
  EXPECT_FALSE(Like("50x", "50\\%"));
  EXPECT_TRUE(Like("a\\b", "a\\\\b"));
  EXPECT_TRUE(Like("ab", "a\\b"));
  EXPECT_TRUE(Like("a_", "a!_", "!"));
  EXPECT_TRUE(Like("a\\", "a\\", "!"));
  EXPECT_TRUE(Like("a\\", "a\\", ""));
  EXPECT_TRUE(Like("a%", "aé%", "é"));
  EXPECT_FALSE(LikePattern::Compile("a\\", "\\").has_value());
  EXPECT_FALSE(LikePattern::Compile("%%%", "%").has_value());
}

TEST(LikePattern, KnowsItsPrefix) {
  EXPECT_EQ(LikePattern::Compile("run-%", "\\")->prefix(), "run-");
  EXPECT_TRUE(LikePattern::Compile("run-%%", "\\")->IsPrefixOnly());
  EXPECT_TRUE(LikePattern::Compile("%", "\\")->IsPrefixOnly());
  EXPECT_FALSE(LikePattern::Compile("run-", "\\")->IsPrefixOnly());
  EXPECT_FALSE(LikePattern::Compile("run_%", "\\")->IsPrefixOnly());
  EXPECT_EQ(LikePattern::Compile("run_%", "\\")->prefix(), "run");
  EXPECT_EQ(LikePattern::Compile("_run", "\\")->prefix(), "");
  EXPECT_EQ(LikePattern::Compile("a\\%b%", "\\")->prefix(), "a%b");
}

TEST(LikePattern, AgreesWithItsDefinition) {
  std::mt19937 random(7);
  const auto word = [&](std::string_view letters, size_t longest) {
    std::string text;
    for (size_t size = random() % (longest + 1); size > 0; --size) text += letters[random() % letters.size()];
    return text;
  };
  for (int i = 0; i < 20000; ++i) {
    const std::string text = word("ab", 10);
    const std::string pattern = word("ab%_", 7);
    const auto compiled = *LikePattern::Compile(pattern, "\\");
    ASSERT_EQ(compiled.Matches(text), NaiveLike(text, pattern)) << text << " LIKE " << pattern;
    ASSERT_EQ(*LikePattern::Compile(compiled.ToText(), "\\"), compiled) << pattern;
  }
}

}  // namespace
}  // namespace reelhouse
