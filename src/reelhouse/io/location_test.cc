#include "reelhouse/io/location.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "reelhouse/base/temporary_folder.h"

namespace reelhouse {
namespace {

using namespace std::string_literals;
namespace fs = std::filesystem;

TEST(SpelledLocation, GivesFileUrisOneSlash) {
  EXPECT_EQ(SpelledLocation("file:///data/wh"), "file:/data/wh");
  EXPECT_EQ(SpelledLocation("file:/data/wh/"), "file:/data/wh");
  EXPECT_EQ(SpelledLocation("file:///"), "file:/");
  EXPECT_EQ(SpelledLocation("file:////data"), "file:/data");
}

TEST(SpelledLocation, DropsSegmentsThatMeanNothing) {
  EXPECT_EQ(SpelledLocation("./wh//"), "wh");
  EXPECT_EQ(SpelledLocation("././/wh"), "wh");
  EXPECT_EQ(SpelledLocation("/data//./wh/."), "/data/wh");
  EXPECT_EQ(SpelledLocation("file:///data/.//wh"), "file:/data/wh");
  EXPECT_EQ(SpelledLocation("../a/../wh"), "../a/../wh");
  EXPECT_EQ(SpelledLocation("///data"), "/data");
  EXPECT_EQ(SpelledLocation("//data"), "//data");
  EXPECT_EQ(SpelledLocation("."), ".");
  EXPECT_EQ(SpelledLocation("./"), ".");
  EXPECT_EQ(SpelledLocation(""), "");
}

TEST(SpelledLocation, LeavesUrisOfOtherSchemesAlone) {
  EXPECT_EQ(SpelledLocation("s3://bucket//x/./y/"), "s3://bucket//x/./y");
  EXPECT_EQ(SpelledLocation("file://host/./x"), "file://host/./x");
}

TEST(SpelledLocation, LeavesPlainPathsAsTheyAre) {
  EXPECT_EQ(SpelledLocation("/data/wh"), "/data/wh");
  EXPECT_EQ(SpelledLocation("wh/robots"), "wh/robots");
  EXPECT_EQ(SpelledLocation("/"), "/");
  EXPECT_EQ(SpelledLocation("/a%20b"), "/a%20b");
  EXPECT_EQ(SpelledLocation("file:///a%20b"), "file:/a%20b");
  EXPECT_EQ(SpelledLocation("take:2/a"), "take:2/a");
}

TEST(LocalPath, TakesThePathOutOfFileUris) {
  EXPECT_EQ(*LocalPath("file:/data/wh"), "/data/wh");
  EXPECT_EQ(*LocalPath("file:///data/wh"), "/data/wh");
  EXPECT_EQ(*LocalPath("/data/100%/x"), "/data/100%/x");
  EXPECT_EQ(*LocalPath("wh/x"), "wh/x");
  EXPECT_EQ(*LocalPath("take:2/a\xff"), "take:2/a\xff");
}

TEST(LocalPath, RefusesOtherSchemesByName) {
  Status status = LocalPath("s3://bucket/x").status();
  EXPECT_TRUE(status.IsNotImplemented());
  EXPECT_NE(status.message().find("scheme `s3`"), std::string::npos);
  EXPECT_TRUE(LocalPath("file://host/x").status().IsNotImplemented());
}

TEST(LocalPath, RefusesEmptyPathsAndNulBytes) {
  EXPECT_TRUE(LocalPath("").status().IsInvalid());
  EXPECT_TRUE(LocalPath("/wh/x\0.blob"s).status().IsInvalid());
}

TEST(Location, JoinsAndCuts) {
  EXPECT_EQ(JoinLocation("/a", "b"), "/a/b");
  EXPECT_EQ(JoinLocation("/a/", "b"), "/a/b");
  EXPECT_EQ(JoinLocation("file:/", "b"), "file:/b");
  EXPECT_EQ(JoinLocation("", "b"), "b");
  EXPECT_EQ(ParentLocation("/a/b"), "/a");
  EXPECT_EQ(ParentLocation("file:/a/b"), "file:/a");
  EXPECT_EQ(ParentLocation("b"), "");
}

class LiesUnderTest : public testing::Test {
 protected:
  TemporaryFolder folder_ = *TemporaryFolder::Make();
  std::string wh_ = folder_.PathOf("wh");
  void SetUp() override {
    fs::create_directories(wh_ + "/a");
    fs::create_directories(folder_.PathOf("wh-secret"));
  }
};

TEST_F(LiesUnderTest, ComparesWholeNames) {
  EXPECT_TRUE(*LiesUnder(wh_, wh_));
  EXPECT_TRUE(*LiesUnder(wh_ + "/a/x", wh_));
  EXPECT_TRUE(*LiesUnder("file:" + wh_ + "/not/there/yet", wh_ + "/"));
  EXPECT_TRUE(*LiesUnder(wh_ + "/a", "file://" + wh_));
  EXPECT_FALSE(*LiesUnder(wh_ + "-secret/x", wh_));
  EXPECT_FALSE(*LiesUnder(folder_.path(), wh_));
  EXPECT_TRUE(*LiesUnder(wh_, "/"));
}

TEST_F(LiesUnderTest, ResolvesDotDot) {
  EXPECT_FALSE(*LiesUnder(wh_ + "/../wh-secret/x", wh_));
  EXPECT_FALSE(*LiesUnder(wh_ + "/missing/../../wh-secret/x", wh_));
  EXPECT_TRUE(*LiesUnder(folder_.PathOf("wh-secret/../wh/a"), wh_));
}

TEST_F(LiesUnderTest, ResolvesSymlinksOnBothSides) {
  fs::create_directory_symlink(folder_.PathOf("wh-secret"), wh_ + "/a/way-out");
  EXPECT_FALSE(*LiesUnder(wh_ + "/a/way-out/x", wh_));
  fs::create_directory_symlink(wh_, folder_.PathOf("alias"));
  EXPECT_TRUE(*LiesUnder(wh_ + "/a/x", folder_.PathOf("alias")));
  EXPECT_TRUE(*LiesUnder(folder_.PathOf("alias/a/x"), wh_));
}

TEST_F(LiesUnderTest, DoesNotDecodePercentSigns) { EXPECT_TRUE(*LiesUnder(wh_ + "/%2e%2e/x", wh_)); }

TEST_F(LiesUnderTest, ResolvesRelativePathsThatAreNotThere) {
  EXPECT_TRUE(*LiesUnder("no-such-folder/x", fs::current_path().string()));
  EXPECT_FALSE(*LiesUnder("no-such-folder/../../x", fs::current_path().string()));
}

TEST_F(LiesUnderTest, KeepsSchemesApart) {
  EXPECT_FALSE(*LiesUnder("s3://bucket/x", wh_));
  EXPECT_FALSE(*LiesUnder(wh_, "s3://bucket"));
}

TEST_F(LiesUnderTest, ReportsLoopsOfSymlinks) {
  fs::create_symlink(wh_ + "/loop", wh_ + "/loop");
  EXPECT_FALSE(LiesUnder(wh_ + "/loop/x", wh_).ok());
}

}  // namespace
}  // namespace reelhouse
