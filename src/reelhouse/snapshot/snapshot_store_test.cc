#include "reelhouse/snapshot/snapshot_store.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/temporary_folder.h"

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SnapshotStoreTest : public ::testing::Test {
 protected:
  static Snapshot SnapshotWithId(int64_t id) {
    Snapshot snapshot;
    snapshot.id = id;
    snapshot.time_millis = id * 1000;
    return snapshot;
  }

  void Put(const std::string& name, const std::string& content) {
    std::filesystem::create_directories(path_);
    std::ofstream(path_ / name) << content;
  }

  void PutSnapshots(const std::vector<int64_t>& ids) {
    for (int64_t id : ids) ASSERT_TRUE(*store_.CreateNoReplace(SnapshotWithId(id)));
  }

  std::string HintText() {
    std::ifstream file(path_ / "LATEST", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  TemporaryFolder folder_ = *TemporaryFolder::Make();
  std::filesystem::path path_ = std::filesystem::path(folder_.path()) / "snapshot";
  SnapshotStore store_{MakeLocalFileStore({.fsync = false}), folder_.path()};
};

TEST_F(SnapshotStoreTest, AnEmptyTableHasNoSnapshot) {
  EXPECT_EQ(*store_.LatestId(), std::nullopt);
  EXPECT_EQ(*store_.Latest(), std::nullopt);
  EXPECT_EQ(*store_.EarliestId(), std::nullopt);
  EXPECT_TRUE(store_.ListIds()->empty());
  EXPECT_THAT(store_.AtTime(0).status().message(), HasSubstr("no snapshot yet"));
}

TEST_F(SnapshotStoreTest, BelievesAHintWithoutASuccessor) {
  PutSnapshots({1, 2});
  ASSERT_TRUE(store_.HintLatest(2).ok());
  EXPECT_EQ(HintText(), "2");
  EXPECT_EQ(*store_.LatestId(), 2);
  EXPECT_EQ((*store_.Latest())->id, 2);
}

TEST_F(SnapshotStoreTest, LooksForItselfWhenTheHintIsStaleMissingOrTorn) {
  PutSnapshots({1, 2, 3, 10});
  EXPECT_EQ(*store_.LatestId(), 10);
  for (const char* hint :
       {"2", "4", "", "abc", "-1", "0", "1 0", "9223372036854775807", "99999999999999999999", "\xff"}) {
    Put("LATEST", hint);
    EXPECT_EQ(*store_.LatestId(), 10) << hint;
  }
  Put("LATEST", "10\n");
  EXPECT_EQ(*store_.LatestId(), 10);
}

TEST_F(SnapshotStoreTest, AHintBeforeAGapIsBelievedSinceARollbackLooksSo) {
  PutSnapshots({1, 2, 3, 10});
  Put("LATEST", "3");
  EXPECT_EQ(*store_.LatestId(), 3);
}

TEST_F(SnapshotStoreTest, AHintWithoutAnySnapshotIsAnError) {
  Put("LATEST", "4");
  Status status = store_.LatestId().status();
  EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile));
  EXPECT_THAT(status.message(), HasSubstr("LATEST: expected snapshot-4"));
}

TEST_F(SnapshotStoreTest, IgnoresNamesThatAreNoSnapshot) {
  for (const char* name : {"snapshot-", "snapshot-01", "snapshot-x", "snapshot-5.tmp", ".snapshot-6.uuid.tmp",
                           "snapshot--7", "snapshot-0", "snapshot-99999999999999999999", "EARLIEST"}) {
    Put(name, "x");
  }
  std::filesystem::create_directories(path_ / "snapshot-8");
  PutSnapshots({2, 11, 9});
  EXPECT_THAT(*store_.ListIds(), ElementsAre(2, 9, 11));
  EXPECT_EQ(*store_.LatestId(), 11);
  EXPECT_EQ(*store_.EarliestId(), 2);
}

TEST_F(SnapshotStoreTest, FindsTheEarliestWithAndWithoutTheHint) {
  PutSnapshots({400, 401, 402});
  EXPECT_EQ(*store_.EarliestId(), 400);
  Put("EARLIEST", "401");
  EXPECT_EQ(*store_.EarliestId(), 401);
  Put("EARLIEST", "17");
  EXPECT_EQ(*store_.EarliestId(), 400);
}

TEST_F(SnapshotStoreTest, NamesWhatIsNotThereAndWhatIsBroken) {
  PutSnapshots({1});
  EXPECT_EQ(store_.Load(99).status().message(), "Snapshot id '99' doesn't exist.");
  EXPECT_EQ(*store_.Find(-5), std::nullopt);
  Put("snapshot-2", "{\"id\": 2, ");
  Status torn = store_.Latest().status();
  EXPECT_TRUE(IsKind(torn, ErrorKind::kCorruptFile));
  EXPECT_THAT(torn.message(), HasSubstr("snapshot-2: byte"));
  EXPECT_EQ(store_.Load(1)->id, 1);
  Put("snapshot-3", SnapshotWithId(4).ToJsonText());
  EXPECT_THAT(store_.Load(3).status().message(), HasSubstr("snapshot-3: expected id 3, found 4"));
}

TEST_F(SnapshotStoreTest, FindsTheSnapshotOfATimeOverGaps) {
  PutSnapshots({3, 4, 8, 9});
  EXPECT_EQ(store_.AtTime(3000)->id, 3);
  EXPECT_EQ(store_.AtTime(3999)->id, 3);
  EXPECT_EQ(store_.AtTime(7999)->id, 4);
  EXPECT_EQ(store_.AtTime(8000)->id, 8);
  EXPECT_EQ(store_.AtTime(1 << 30)->id, 9);
  Status early = store_.AtTime(2999).status();
  EXPECT_TRUE(early.IsInvalid());
  EXPECT_EQ(early.message(),
            "no snapshot at or before 2999 (1970-01-01T00:00:02.999Z); the earliest is snapshot-3 at 3000 "
            "(1970-01-01T00:00:03.000Z)");
}

TEST_F(SnapshotStoreTest, ReadsFewSnapshotsToFindATime) {
  std::vector<int64_t> ids;
  for (int64_t id = 1; id <= 64; ++id) ids.push_back(id);
  PutSnapshots(ids);
  // The torn ones are not on the way of the search for the newest.
  for (int64_t id = 1; id <= 31; ++id) Put("snapshot-" + std::to_string(id), "");
  EXPECT_EQ(store_.AtTime(64000)->id, 64);
}

TEST_F(SnapshotStoreTest, OneOfManyWritersMakesASnapshot) {
  std::atomic<int> winners{0};
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 8; ++writer) {
    writers.emplace_back([&] {
      for (int64_t id = 1; id <= 20; ++id) winners += *store_.CreateNoReplace(SnapshotWithId(id)) ? 1 : 0;
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(winners, 20);
  EXPECT_EQ(store_.ListIds()->size(), 20u);
}

}  // namespace
}  // namespace reelhouse
