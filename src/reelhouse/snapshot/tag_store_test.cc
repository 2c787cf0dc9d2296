#include "reelhouse/snapshot/tag_store.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/temporary_folder.h"

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TagStoreTest : public ::testing::Test {
 protected:
  static Snapshot SnapshotWithId(int64_t id) {
    Snapshot snapshot;
    snapshot.id = id;
    return snapshot;
  }

  TemporaryFolder folder_ = *TemporaryFolder::Make();
  TagStore store_{MakeLocalFileStore({.fsync = false}), folder_.path()};
};

TEST_F(TagStoreTest, KeepsSnapshotsUnderNames) {
  EXPECT_TRUE(store_.List()->empty());
  for (const char* name : {"v1", "ä b", "123", "..", "tag-x"}) {
    EXPECT_TRUE(store_.Create(name, SnapshotWithId(3)).ok()) << name;
  }
  EXPECT_THAT(*store_.List(), ElementsAre("..", "123", "tag-x", "v1", "ä b"));
  EXPECT_EQ(store_.Load("v1")->id, 3);
  EXPECT_TRUE(store_.Delete("v1").ok());
  EXPECT_EQ(store_.Load("v1").status().message(), "Tag 'v1' doesn't exist.");
}

TEST_F(TagStoreTest, NeverReplacesATag) {
  ASSERT_TRUE(store_.Create("v1", SnapshotWithId(3)).ok());
  Status status = store_.Create("v1", SnapshotWithId(4));
  EXPECT_TRUE(IsKind(status, ErrorKind::kTagAlreadyExist));
  EXPECT_EQ(status.message(), "Tag 'v1' already exists.");
  EXPECT_EQ(store_.Load("v1")->id, 3);
}

TEST_F(TagStoreTest, RefusesNamesThatAreNoFileName) {
  EXPECT_EQ(store_.Create("", SnapshotWithId(1)).message(), "Tag name shouldn't be blank.");
  EXPECT_EQ(store_.Create("  ", SnapshotWithId(1)).message(), "Tag name shouldn't be blank.");
  EXPECT_THAT(store_.Create("a/b", SnapshotWithId(1)).message(), HasSubstr("`a/b`"));
  EXPECT_FALSE(store_.Create("a\nb", SnapshotWithId(1)).ok());
  EXPECT_THAT(store_.Create(std::string(252, 'x'), SnapshotWithId(1)).message(), HasSubstr("at most 251 bytes"));
  EXPECT_TRUE(store_.Create(std::string(251, 'x'), SnapshotWithId(1)).ok());
}

TEST_F(TagStoreTest, TellsATagThatIsNotThere) {
  for (const char* name : {"zz", "", "a/b"}) {
    EXPECT_TRUE(IsKind(store_.Load(name).status(), ErrorKind::kTagNotExist)) << name;
    EXPECT_TRUE(IsKind(store_.Delete(name), ErrorKind::kTagNotExist)) << name;
  }
}

TEST_F(TagStoreTest, ReadsTagsOfPypaimonWithRetention) {
  const std::filesystem::path table =
      std::filesystem::path(REELHOUSE_SOURCE_DIR) / "tests/data/vectors/tagged/wh/robots.db/frames";
  TagStore store(MakeLocalFileStore(), table.string());
  Result<std::vector<std::string>> names = store.List();
  ASSERT_TRUE(names.ok());
  ASSERT_EQ(names->size(), 2u);
  for (const std::string& name : *names) EXPECT_TRUE(store.Load(name).ok()) << store.Load(name).status();
}

TEST_F(TagStoreTest, ATornTagIsNamed) {
  std::filesystem::create_directories(std::filesystem::path(folder_.path()) / "tag");
  std::ofstream(std::filesystem::path(folder_.path()) / "tag" / "tag-v2") << "{";
  EXPECT_THAT(store_.Load("v2").status().message(), HasSubstr("tag-v2: byte"));
}

}  // namespace
}  // namespace reelhouse
