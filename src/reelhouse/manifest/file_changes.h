#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reelhouse/manifest/index_manifest.h"
#include "reelhouse/manifest/manifest_entry.h"

namespace reelhouse {

/// What a writer hands to a committer, and all that they share: the files of one commit. A value: many machines may
/// write, one commits. New files carry min sequence number 0 and no row id unless they repeat an existing range; a
/// normal file comes before its sidecars, sidecars of one column follow in row order.
struct FileChanges {
  std::vector<ManifestEntry> entries;
  std::vector<IndexFile> new_index_files;
  std::vector<std::string> removed_index_files;  ///< names
  int64_t schema_id = 0;                         ///< of the writer's table
  /// The snapshot that an update was planned on; its conflicts are checked from there.
  std::optional<int64_t> check_from_snapshot;
  std::map<std::string, std::string> properties;
  /// Full paths of everything staged, to be removed if the commit surely failed.
  std::vector<std::string> staged_paths;

  bool empty() const { return entries.empty() && new_index_files.empty() && removed_index_files.empty(); }
};

}  // namespace reelhouse
