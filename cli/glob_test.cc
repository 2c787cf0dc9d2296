#include "cli/glob.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/input_files.h"
#include "reelhouse/base/temporary_folder.h"

namespace reelhouse::cli {
namespace {

using testing::ElementsAre;

class FilesInAFolder : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryFolder::Make();
    ASSERT_TRUE(made.ok());
    folder_ = std::make_unique<TemporaryFolder>(std::move(made).ValueUnsafe());
  }

  std::string Touch(const std::string& name) {
    const std::filesystem::path path = folder_->PathOf(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "x";
    return path.string();
  }

  std::unique_ptr<TemporaryFolder> folder_;
};

TEST(Wildcards, MatchRunsCharactersAndSets) {
  EXPECT_TRUE(MatchesWildcards("frame*.jpg", "frame12.jpg"));
  EXPECT_TRUE(MatchesWildcards("*a*b*", "xxaxxbxx"));
  EXPECT_FALSE(MatchesWildcards("*a*b", "xxaxxbxx"));
  EXPECT_TRUE(MatchesWildcards("frame?.jpg", "frame1.jpg"));
  EXPECT_FALSE(MatchesWildcards("frame?.jpg", "frame12.jpg"));
  EXPECT_TRUE(MatchesWildcards("f[0-9]", "f7"));
  EXPECT_FALSE(MatchesWildcards("f[!0-9]", "f7"));
  EXPECT_TRUE(MatchesWildcards("f[]x]", "f]"));
  EXPECT_TRUE(MatchesWildcards("f\\*", "f*"));
  EXPECT_FALSE(MatchesWildcards("f\\*", "fx"));
}

TEST(Wildcards, TakeAQuestionMarkForOneCharacterOfSeveralBytes) { EXPECT_TRUE(MatchesWildcards("?.png", "é.png")); }

TEST(Wildcards, TakeABracketThatIsNeverClosedAsItIs) { EXPECT_TRUE(MatchesWildcards("a[b", "a[b")); }

TEST(Wildcards, LeaveHiddenNamesOutUnlessThePatternHasTheDot) {
  EXPECT_FALSE(MatchesWildcards("*", ".hidden"));
  EXPECT_TRUE(MatchesWildcards(".*", ".hidden"));
}

TEST(Wildcards, AreNotSlowOnManyStars) {
  const std::string name(2000, 'a');
  EXPECT_FALSE(MatchesWildcards("*a*a*a*a*a*a*a*a*a*a*b", name));
}

TEST_F(FilesInAFolder, AreExpandedInNaturalOrder) {
  const std::string ten = Touch("cam/frame10.jpg"), two = Touch("cam/frame2.jpg"), one = Touch("cam/frame1.jpg");
  Touch("cam/rows.csv");
  auto found = ExpandWildcards(folder_->PathOf("cam/frame*.jpg"));
  ASSERT_TRUE(found.ok());
  EXPECT_THAT(*found, ElementsAre(one, two, ten));
}

TEST_F(FilesInAFolder, AreFoundAtAnyDepthWithTwoStars) {
  const std::string deep = Touch("a/b/c/x.png"), flat = Touch("a/x.png");
  auto found = ExpandWildcards(folder_->PathOf("**/x.png"));
  ASSERT_TRUE(found.ok());
  EXPECT_THAT(*found, ElementsAre(deep, flat));
}

TEST_F(FilesInAFolder, OfTheWantedKindAreTakenFromAFolder) {
  const std::string ten = Touch("10.PNG"), nine = Touch("9.jpg");
  Touch("rows.csv");
  auto files = FilesOfArguments({folder_->path()}, kImageFiles);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_THAT(*files, ElementsAre(nine, ten));
}

TEST_F(FilesInAFolder, AreSortedNaturallyWhereAShellListedThem) {
  const std::string one = Touch("f1.jpg"), two = Touch("f2.jpg"), ten = Touch("f10.jpg");
  auto files = FilesOfArguments({one, ten, two}, kImageFiles);
  ASSERT_TRUE(files.ok());
  EXPECT_THAT(*files, ElementsAre(one, two, ten));
}

TEST_F(FilesInAFolder, KeepAnOrderThatNoShellMakes) {
  const std::string one = Touch("f1.jpg"), two = Touch("f2.jpg"), ten = Touch("f10.jpg");
  auto files = FilesOfArguments({two, one, ten}, kImageFiles);
  ASSERT_TRUE(files.ok());
  EXPECT_THAT(*files, ElementsAre(two, one, ten));
}

TEST_F(FilesInAFolder, AreTakenByTheirNameEvenIfItLooksLikeAPattern) {
  const std::string odd = Touch("a[1].jpg");
  auto files = FilesOfArguments({odd}, kImageFiles);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_THAT(*files, ElementsAre(odd));
}

TEST_F(FilesInAFolder, AreMissedInWords) {
  EXPECT_TRUE(IsKind(FilesOfArguments({folder_->PathOf("no.jpg")}, kImageFiles).status(), ErrorKind::kFileNotFound));
  EXPECT_TRUE(IsKind(FilesOfArguments({folder_->PathOf("*.jpg")}, kImageFiles).status(), ErrorKind::kFileNotFound));
  EXPECT_TRUE(IsKind(FilesOfArguments({folder_->path()}, kImageFiles).status(), ErrorKind::kFileNotFound));
}

}  // namespace
}  // namespace reelhouse::cli
