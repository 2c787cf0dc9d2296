#include "reelhouse/io/file_batch.h"

#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/io/fault_injection.h"

namespace reelhouse {
namespace {

class FileBatchTest : public testing::Test {
 protected:
  std::string PathOf(const std::string& name) { return folder_.PathOf(name); }
  bool Exists(const std::string& name) { return files_->Stat(PathOf(name)).ValueOrDie().has_value(); }

  TemporaryFolder folder_ = TemporaryFolder::Make("batch").ValueOrDie();
  std::shared_ptr<FileStore> files_ = MakeLocalFileStore();
};

TEST_F(FileBatchTest, FilesCanBeReadAtOnceAndSyncTheirFolderOnce) {
  std::map<std::string, int> calls;
  auto counted = MakeFaultInjectingFileStore(files_, [&](const StorageCall& call) -> Fault {
    ++calls[call.operation];
    return {};
  });
  FileBatch batch(*counted);
  ASSERT_TRUE(batch.Write(PathOf("d/a"), "first").ok());
  ASSERT_TRUE(batch.Write(PathOf("d/b"), "second").ok());
  EXPECT_EQ(files_->ReadAll(PathOf("d/a")).ValueOrDie(), "first");
  EXPECT_EQ(calls["finish"], 0);
  ASSERT_TRUE(batch.Finish().ok());
  EXPECT_EQ(calls["finish"], 2);
  EXPECT_EQ(calls["sync_directory"], 1);
  EXPECT_EQ(files_->ReadAll(PathOf("d/b")).ValueOrDie(), "second");
}

TEST_F(FileBatchTest, LeavesNothingUnlessItIsFinished) {
  {
    FileBatch batch(*files_);
    ASSERT_TRUE(batch.Write(PathOf("a"), "x").ok());
    EXPECT_FALSE(batch.Write(PathOf("a"), "y").ok());
  }
  EXPECT_FALSE(Exists("a"));
}

TEST_F(FileBatchTest, LeavesNothingWhereItFailsInTheMiddle) {
  auto faulty = MakeFaultInjectingFileStore(files_, [](const StorageCall& call) -> Fault {
    if (call.operation == "finish" && call.path.ends_with("b")) return {Status::IOError("full"), {}};
    return {};
  });
  {
    FileBatch batch(*faulty);
    ASSERT_TRUE(batch.Write(PathOf("a"), "x").ok());
    ASSERT_TRUE(batch.Write(PathOf("b"), "x").ok());
    EXPECT_FALSE(batch.Finish().ok());
  }
  EXPECT_FALSE(Exists("a"));
  EXPECT_FALSE(Exists("b"));
}

}  // namespace
}  // namespace reelhouse
