#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/manifest/index_manifest.h"
#include "reelhouse/manifest/manifest_cache.h"
#include "reelhouse/manifest/manifest_entry.h"
#include "reelhouse/predicate/predicate.h"
#include "reelhouse/schema/schema_store.h"
#include "reelhouse/schema/table_schema.h"
#include "reelhouse/snapshot/snapshot.h"

namespace reelhouse {

/// Where the deletion vector of a split lies.
struct DeletionVectorLocation {
  std::string path;  ///< index file
  DeletionVectorRange range;
};

/// One group of rows that belong together: all files of one row-id range of one partition (format notes, 4.2). A value
/// that can be sent to a worker.
struct Split {
  std::string partition;
  int32_t bucket = 0;
  int64_t first_row_id = 0;
  int64_t row_count = 0;  ///< dead rows included
  std::vector<ManifestEntry> normal_files;
  std::vector<ManifestEntry> sidecars;
  std::optional<DeletionVectorLocation> deletion_vector;
};

/// What planning looked at, for `explain` and tests.
struct PlanStatistics {
  int64_t manifests_total = 0;
  int64_t manifests_read = 0;
  int64_t entries_seen = 0;  ///< of the manifests read
  int64_t entries_made = 0;  ///< of them, those that were decoded whole
  int64_t files_total = 0;   ///< live files
  int64_t splits_total = 0;
  int64_t splits_pruned_by_partition = 0;
  int64_t splits_pruned_by_row_id = 0;
  int64_t splits_pruned_by_statistics = 0;
};

/// What a scan will read: a value.
struct Plan {
  std::optional<Snapshot> snapshot;           ///< nothing = empty table
  std::shared_ptr<const TableSchema> schema;  ///< columns of the result
  std::vector<Split> splits;                  ///< in the order of the rows
  PlanStatistics statistics;
};

struct PlanRequest {
  std::optional<Snapshot> snapshot;
  std::shared_ptr<const TableSchema> schema;
  Predicate predicate;                             ///< prunes; the reader still filters
  std::optional<std::vector<RowIdRange>> row_ids;  ///< of take_row_ids
  std::shared_ptr<ManifestCache> manifests;        ///< what was read before; may be null
};

/// Snapshot -> manifests -> live files -> groups -> pruned splits (format notes, 8.2 and 8.5).
Result<Plan> MakePlan(const std::shared_ptr<FileStore>& files, const std::string& table_path, SchemaStore& schemas,
                      PlanRequest request);

/// Rows that a plan surely gives, without a filter: row counts minus dead rows, from manifests alone.
int64_t CountRows(const Plan& plan);

/// The plan in words: snapshot, files and rows kept and pruned, and why.
std::string ExplainPlan(const Plan& plan, const Predicate& predicate);

}  // namespace reelhouse
