#include "reelhouse/io/fault_injection.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/io/file_store.h"
#include "tests/support/fault_walk.h"

namespace reelhouse {
namespace {

using testing::ElementsAre;
namespace fs = std::filesystem;

// A commit in small: a data file, then the name that makes it true, then a hint that may get lost.
Status WriteAndPublish(FileStore& store, const std::string& folder) {
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<OutputFile> file, store.Create(folder + "/data"));
  ARROW_RETURN_NOT_OK(file->Write("....", 4));
  ARROW_RETURN_NOT_OK(file->AppendRange(folder + "/source", 0, 3));
  ARROW_RETURN_NOT_OK(file->WriteAt(0, "HEAD", 4));
  ARROW_RETURN_NOT_OK(file->Flush());
  ARROW_RETURN_NOT_OK(file->Finish());
  Result<bool> made = store.CreateNoReplace(folder + "/snapshot-1", "data");
  if (!made.ok() || !*made) {
    // Whether the name was made is not known, so it is looked at.
    ARROW_ASSIGN_OR_RAISE(std::optional<FileEntry> snapshot, store.Stat(folder + "/snapshot-1"));
    if (!snapshot.has_value()) {
      ARROW_RETURN_NOT_OK(store.Delete(folder + "/data"));
      return made.status();
    }
  }
  (void)store.Replace(folder + "/LATEST", "1");
  return Status::OK();
}

class FaultWalkTest : public testing::TestWithParam<FaultMoment> {};

INSTANTIATE_TEST_SUITE_P(Moments, FaultWalkTest, testing::Values(FaultMoment::kBefore, FaultMoment::kAfter));

TEST_P(FaultWalkTest, EveryFaultPointLeavesAllOrNothing) {
  std::optional<TemporaryFolder> folder;
  std::vector<std::string> operations;
  const int64_t points = WalkFaults(
      GetParam(),
      [&](const std::shared_ptr<FileStore>& store) {
        folder.emplace(*TemporaryFolder::Make());
        EXPECT_TRUE(MakeLocalFileStore()->Replace(folder->PathOf("source"), "abc").ok());
        return WriteAndPublish(*store, folder->path());
      },
      [&](const Status& outcome, const StorageCall& failed) {
        operations.push_back(failed.operation);
        const bool published = fs::exists(folder->PathOf("snapshot-1"));
        EXPECT_EQ(outcome.ok(), published);
        EXPECT_EQ(fs::exists(folder->PathOf("data")), published);
        if (!outcome.ok()) {
          EXPECT_EQ(outcome.message(), "injected fault");
        }
        for (const fs::directory_entry& entry : fs::directory_iterator(folder->path())) {
          EXPECT_THAT(entry.path().filename().string(), testing::Not(testing::EndsWith(".tmp")));
        }
      });
  EXPECT_EQ(points, 8);
  EXPECT_THAT(operations, ElementsAre("create", "write", "append_range", "write_at", "flush", "finish",
                                      "create_no_replace", "replace"));
  EXPECT_EQ(*MakeLocalFileStore()->ReadAll(folder->PathOf("data")), "HEADabc");
}

TEST(FaultInjectingFileStore, NumbersTheCallsThatChangeStorage) {
  TemporaryFolder folder = *TemporaryFolder::Make();
  std::vector<std::string> calls;
  auto store = MakeFaultInjectingFileStore(MakeLocalFileStore(), [&](const StorageCall& call) {
    EXPECT_EQ(call.ordinal, static_cast<int64_t>(calls.size()));
    calls.push_back(call.operation + " " + fs::path(call.path).filename().string());
    return Fault{};
  });
  ASSERT_TRUE(store->MakeDirectories(folder.PathOf("a")).ok());
  ASSERT_TRUE(store->Replace(folder.PathOf("a/x"), "1").ok());
  ASSERT_TRUE(store->ReadAll(folder.PathOf("a/x")).ok());
  ASSERT_TRUE(store->List(folder.PathOf("a")).ok());
  ASSERT_TRUE(store->Stat(folder.PathOf("a")).ok());
  ASSERT_TRUE(store->OpenInput(folder.PathOf("a/x")).ok());
  ASSERT_TRUE(*store->RenameNoReplace(folder.PathOf("a/x"), folder.PathOf("a/y")));
  ASSERT_TRUE(store->SyncDirectory(folder.PathOf("a")).ok());
  ASSERT_TRUE(store->Delete(folder.PathOf("a/y")).ok());
  ASSERT_TRUE(store->DeleteTree(folder.PathOf("a")).ok());
  EXPECT_THAT(calls, ElementsAre("make_directories a", "replace x", "rename_no_replace x", "sync_directory a",
                                 "delete y", "delete_tree a"));
}

TEST(FaultInjectingFileStore, ALostAnswerMeansThatTheCallWasMade) {
  TemporaryFolder folder = *TemporaryFolder::Make();
  auto store = MakeFaultInjectingFileStore(MakeLocalFileStore(), FaultAt(0, FaultMoment::kAfter));
  EXPECT_FALSE(store->CreateNoReplace(folder.PathOf("snapshot-1"), "x").ok());
  EXPECT_TRUE(fs::exists(folder.PathOf("snapshot-1")));
}

TEST(FaultInjectingFileStore, DiscardingWorksAfterAFault) {
  TemporaryFolder folder = *TemporaryFolder::Make();
  auto store = MakeFaultInjectingFileStore(MakeLocalFileStore(), [](const StorageCall& call) {
    return call.operation == "create" ? Fault{} : Fault{Status::IOError("the disk is gone"), {}};
  });
  std::unique_ptr<OutputFile> file = *store->Create(folder.PathOf("a"));
  EXPECT_FALSE(file->Write("x", 1).ok());
  EXPECT_TRUE(file->Discard().ok());
  file = *store->Create(folder.PathOf("b"));
  file.reset();
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(FaultWalk, CountsTheCallsOfAnAction) {
  TemporaryFolder folder = *TemporaryFolder::Make();
  EXPECT_EQ(CountStorageCalls([&](const std::shared_ptr<FileStore>& store) {
              ARROW_RETURN_NOT_OK(store->Replace(folder.PathOf("a"), "1"));
              return store->Delete(folder.PathOf("a"));
            }),
            2);
}

}  // namespace
}  // namespace reelhouse
