#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/manifest/file_changes.h"
#include "reelhouse/schema/table_schema.h"
#include "reelhouse/snapshot/snapshot.h"

namespace reelhouse {

/// Turns staged file changes into the next snapshot of one table: gives row ids and sequence numbers, writes manifests
/// and lists, and makes the snapshot file, which nobody can replace (format notes, 2.3 to 2.5). Retries when another
/// writer was faster. On a sure failure everything staged is removed; on an unknown outcome (kCommitUnknown) nothing
/// is.
class Committer {
 public:
  Committer(std::shared_ptr<FileStore> files, std::string table_path, std::shared_ptr<const TableSchema> schema);

  /// Nothing if there was nothing to commit.
  Result<std::optional<Snapshot>> Commit(FileChanges changes);

 private:
  Result<Snapshot> CommitStaged(const FileChanges& changes);

  std::shared_ptr<FileStore> files_;
  std::string table_path_;
  std::shared_ptr<const TableSchema> schema_;
};

}  // namespace reelhouse
