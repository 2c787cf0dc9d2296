#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/snapshot/snapshot.h"

namespace reelhouse {

/// The folder `snapshot/` of one table: numbered snapshots with the LATEST hint (format notes, 2.2). Thread safe.
class SnapshotStore {
 public:
  SnapshotStore(std::shared_ptr<FileStore> files, std::string table_path);

  /// Id of the newest snapshot (hint, checked, else listing); nothing in an empty table.
  Result<std::optional<int64_t>> LatestId();
  Result<std::optional<Snapshot>> Latest();
  /// Nothing if there is no such file.
  Result<std::optional<Snapshot>> Find(int64_t id);
  /// Invalid `Snapshot id '99' doesn't exist.` if there is no such file.
  Result<Snapshot> Load(int64_t id);
  Result<std::optional<int64_t>> EarliestId();
  /// All ids that exist, ascending.
  Result<std::vector<int64_t>> ListIds();
  /// The newest snapshot with `time_millis` not after this; Invalid, naming the earliest time, if there is none.
  Result<Snapshot> AtTime(int64_t epoch_millis);

  /// The truth of a commit: makes `snapshot-<id>` if nobody did; false if the id is taken.
  Result<bool> CreateNoReplace(const Snapshot& snapshot);
  /// Writes LATEST. Failure leaves the table right: readers check the hint.
  Status HintLatest(int64_t id);

  std::string PathOf(int64_t id) const;

 private:
  Result<bool> Exists(int64_t id);
  /// Nothing if the hint is missing or does not hold an id.
  Result<std::optional<int64_t>> ReadHint(std::string_view name);

  std::shared_ptr<FileStore> files_;
  std::string folder_;
};

}  // namespace reelhouse
