#include "reelhouse/schema/options.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/schema/known_options.h"

namespace reelhouse {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Options, ReadTypedValues) {
  const Options options({{"b", " TRUE "}, {"i", "-7"}, {"s", "256 mb"}, {"t", "10 s"}, {"l", " a, b ,,c"}});
  EXPECT_TRUE(*options.GetBool("b", false));
  EXPECT_EQ(*options.GetInt("i", 0), -7);
  EXPECT_EQ(*options.GetBytes("s", 0), 256 << 20);
  EXPECT_EQ(*options.GetMillis("t", 0), 10000);
  EXPECT_THAT(options.GetList("l"), ElementsAre("a", "b", "c"));
  EXPECT_EQ(*options.GetInt("missing", 5), 5);
  EXPECT_EQ(options.GetText("missing", "x"), "x");
  EXPECT_FALSE(options.contains("missing"));
}

TEST(Options, NameTheKeyAndTheValueThatDoNotParse) {
  const Options options({{"b", "yes"}, {"i", "1.5"}, {"s", "abc"}, {"t", "soon"}});
  EXPECT_EQ(options.GetBool("b", false).status().message(), "option 'b': expected true or false, found `yes`");
  EXPECT_EQ(options.GetInt("i", 0).status().message(), "option 'i': expected a whole number, found `1.5`");
  EXPECT_THAT(options.GetBytes("s", 0).status().message(), AllOf(HasSubstr("option 's'"), HasSubstr("`abc`")));
  EXPECT_THAT(options.GetMillis("t", 0).status().message(), AllOf(HasSubstr("option 't'"), HasSubstr("`soon`")));
}

std::string RefusalOf(std::string key, std::string value) {
  Options options;
  options.Set(std::move(key), std::move(value));
  return ValidateKnownOptions(options).message();
}

TEST(KnownOptions, AreRefusedAtTheDoorWhenTheirValueIsWrong) {
  EXPECT_THAT(RefusalOf("target-file-size", "abc"), AllOf(HasSubstr("'target-file-size'"), HasSubstr("`abc`")));
  EXPECT_THAT(RefusalOf("target-file-size", "0"), HasSubstr("at least one byte"));
  EXPECT_EQ(RefusalOf("reelhouse.video.validation", "frame"),
            "option 'reelhouse.video.validation': expected one of frames, decode, container, none, found `frame`");
  EXPECT_THAT(RefusalOf("deletion-vectors.enabled", "ja"), HasSubstr("true or false"));
  EXPECT_EQ(RefusalOf("bucket", "4"), "option 'bucket': expected -1, found `4`");
  EXPECT_EQ(RefusalOf("file.format", "orc"), "option 'file.format': expected parquet, found `orc`");
  EXPECT_THAT(RefusalOf("target-file-row-num", "0"), HasSubstr("1 or more"));
  EXPECT_THAT(RefusalOf("reelhouse.image.max-pixels", "0"), HasSubstr("1 or more"));
  EXPECT_THAT(RefusalOf("reelhouse.video.max-pixels", "268435457"), HasSubstr("at most 268435456"));
  EXPECT_THAT(RefusalOf("commit.timeout", "x"), HasSubstr("'commit.timeout'"));
}

TEST(KnownOptions, PassWhenRightAndLetOtherEnginesHaveTheirs) {
  EXPECT_TRUE(ValidateKnownOptions(Options({{"target-file-size", "256 mb"},
                                            {"reelhouse.video.validation", "Decode"},
                                            {"file.compression", "ZSTD"},
                                            {"bucket", "-1"},
                                            {"commit.max-retries", "0"},
                                            {"some.java.option", "anything"}}))
                  .ok());
}

}  // namespace
}  // namespace reelhouse
