#pragma once

#include <string>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/manifest/manifest_entry.h"
#include "reelhouse/manifest/table_paths.h"
#include "reelhouse/scan/plan.h"

namespace reelhouse {

/// First and last row id of a file, both included. Fails, naming the file, if it has no first row id or its numbers are
/// impossible.
Result<RowIdRange> RowIdsOfFile(const ManifestEntry& entry, const TablePaths& paths);

/// Live files -> groups of rows (format notes, 4.2): partitions in the order in which their first file comes, then row
/// ids ascending. Checks that normal files have equal or disjoint ranges and that each sidecar lies inside one of them.
Result<std::vector<Split>> GroupIntoSplits(std::vector<ManifestEntry> live_files, const TablePaths& paths);

/// The file that deletion vectors of the split are keyed to (format notes, 7.4).
const ManifestEntry& AnchorOf(const Split& split);

}  // namespace reelhouse
