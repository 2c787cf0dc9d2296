#include "reelhouse/base/temporary_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

namespace reelhouse {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, IsRemovedWithItsContent) {
  std::string path;
  {
    Result<TemporaryFolder> folder = TemporaryFolder::Make("case");
    ASSERT_TRUE(folder.ok()) << folder.status();
    path = folder->path();
    EXPECT_TRUE(fs::is_directory(path));
    EXPECT_TRUE(fs::path(path).is_absolute());
    fs::create_directories(folder->PathOf("a/b"));
    std::ofstream(folder->PathOf("a/b/c")) << "x";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, LiesWhereTheEnvironmentSays) {
  TemporaryFolder outer = *TemporaryFolder::Make();
  const char* before = std::getenv("REELHOUSE_TMPDIR");
  const std::string saved = before == nullptr ? "" : before;
  setenv("REELHOUSE_TMPDIR", outer.PathOf("made/here").c_str(), 1);
  {
    TemporaryFolder inner = *TemporaryFolder::Make();
    EXPECT_TRUE(inner.path().starts_with(outer.PathOf("made/here/")));
  }
  EXPECT_TRUE(fs::is_empty(outer.PathOf("made/here")));
  before == nullptr ? unsetenv("REELHOUSE_TMPDIR") : setenv("REELHOUSE_TMPDIR", saved.c_str(), 1);
}

TEST(TemporaryFolder, BelongsToOneOwnerAfterAMove) {
  std::optional<TemporaryFolder> first(*TemporaryFolder::Make());
  const std::string path = first->path();
  TemporaryFolder second = std::move(*first);
  first.reset();
  EXPECT_TRUE(fs::exists(path));
  EXPECT_EQ(second.path(), path);
}

}  // namespace
}  // namespace reelhouse
