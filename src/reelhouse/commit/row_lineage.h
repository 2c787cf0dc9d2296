#pragma once

#include <cstdint>
#include <vector>

#include "reelhouse/manifest/manifest_entry.h"

namespace reelhouse {

/// Brings the entries of one partition together; partitions stay in the order of their first entry, entries of a
/// partition in theirs (format notes, 2.4).
void GroupByPartition(std::vector<ManifestEntry>& entries);

/// Sequence numbers of a commit: every file whose minimum is 0 gets `snapshot_id` (format notes, 2.4).
void StampSequenceNumbers(std::vector<ManifestEntry>& entries, int64_t snapshot_id);

/// Row ids of a commit for files that have none: normal files count up from `next_row_id`, sidecars of a column run
/// along with the normal file before them. Gives the next free row id.
int64_t AssignRowIds(std::vector<ManifestEntry>& entries, int64_t next_row_id);

}  // namespace reelhouse
