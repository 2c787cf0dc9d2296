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

/// The folder `tag/` of one table: named copies of snapshots (format notes, 2.6). Thread safe.
class TagStore {
 public:
  TagStore(std::shared_ptr<FileStore> files, std::string table_path);

  /// Fails with kTagAlreadyExist `Tag 'v1' already exists.`; never replaces, also not in a race.
  Status Create(std::string_view name, const Snapshot& snapshot);
  /// Invalid `Tag 'zz' doesn't exist.` with kTagNotExist.
  Result<Snapshot> Load(std::string_view name);
  Status Delete(std::string_view name);
  Result<std::vector<std::string>> List();  ///< sorted

 private:
  std::shared_ptr<FileStore> files_;
  std::string folder_;
};

}  // namespace reelhouse
