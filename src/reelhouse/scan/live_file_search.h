#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/manifest/manifest_list.h"
#include "reelhouse/manifest/table_paths.h"
#include "reelhouse/manifest/unpacked_manifest.h"
#include "reelhouse/scan/plan.h"
#include "reelhouse/scan/split_pruning.h"
#include "reelhouse/schema/schema_store.h"

namespace reelhouse {

/// The search for the live files of a snapshot that may hold wanted rows. Manifests are gone through on all threads,
/// and an entry is made only of a file that survives partition, row ids and statistics. One run.
class LiveFileSearch {
 public:
  /// What it borrows must outlive it. `statistics` gets what was seen.
  LiveFileSearch(const TablePaths& paths, const SplitPruning& pruning, SchemaStore& schemas, PlanStatistics* statistics)
      : paths_(paths), pruning_(pruning), schemas_(schemas), statistics_(*statistics) {}

  /// In the order of the manifests. Of a group of rows either nothing is left out, or everything.
  Result<std::vector<ManifestEntry>> Run(std::vector<std::shared_ptr<const UnpackedManifest>> manifests);

 private:
  enum class Verdict : uint8_t { kMayHold, kWrongPartition, kWrongRowIds, kWrongValues, kDead };

  /// An ADD entry that is not made yet.
  struct Candidate {
    std::string_view file_name;
    std::string_view partition;
    std::string_view encoded;
    RowIdRange range;
    int32_t bucket = 0;
    uint32_t manifest = 0;
    bool is_normal = false;
    Verdict verdict = Verdict::kMayHold;
  };
  /// Parts of manifests that one thread goes through at a time.
  struct Piece {
    uint32_t manifest = 0;
    size_t first_part = 0;
    size_t end_part = 0;
  };
  struct Task {
    std::vector<Piece> pieces;
    std::vector<Candidate> candidates;
    std::vector<ManifestEntry> entries;  // all of them, where nothing is pruned
    std::vector<ManifestEntry> deleted;
  };

  std::vector<Task> ShareWork() const;
  Status LookAt(Task* task) const;
  Status MakeAll(Task* task) const;
  Result<ManifestEntry> Entry(const Candidate& candidate) const;

  Result<std::vector<ManifestEntry>> EverythingLive(std::vector<Task> tasks);
  Status TakeOutDead(const std::vector<ManifestEntry>& deleted, std::vector<Candidate>* candidates) const;
  void CountGroupsRuledOut(const std::vector<Candidate>& candidates);
  void TakeOutGroupsByValues(std::vector<Candidate>* candidates);

  const TablePaths& paths_;
  const SplitPruning& pruning_;
  SchemaStore& schemas_;
  PlanStatistics& statistics_;
  std::vector<std::shared_ptr<const UnpackedManifest>> manifests_;
};

}  // namespace reelhouse
