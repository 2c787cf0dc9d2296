#include "reelhouse/scan/plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "reelhouse/base/thread_pool.h"
#include "reelhouse/deletion/deletion_vectors.h"
#include "reelhouse/io/location.h"
#include "reelhouse/manifest/manifest_list.h"
#include "reelhouse/manifest/table_paths.h"
#include "reelhouse/scan/live_file_search.h"
#include "reelhouse/scan/split_grouping.h"
#include "reelhouse/scan/split_pruning.h"

namespace reelhouse {
namespace {

constexpr std::string_view kDeletionVectorsEnabled = "deletion-vectors.enabled";

// Planning of one scan: holds what its steps share.
class Planner {
 public:
  Planner(const std::shared_ptr<FileStore>& files, const std::string& table_path, SchemaStore& schemas,
          PlanRequest request)
      : files_(files),
        schemas_(schemas),
        table_path_(SpelledLocation(table_path)),
        snapshot_(*request.snapshot),
        schema_(request.schema),
        paths_(table_path_, request.schema),
        pruning_(request.schema, std::move(request.predicate), std::move(request.row_ids)),
        cache_(std::move(request.manifests)) {}

  Result<Plan> Run() {
    ARROW_ASSIGN_OR_RAISE(auto manifests, ReadManifests());
    LiveFileSearch search(paths_, pruning_, schemas_, &statistics_);
    ARROW_ASSIGN_OR_RAISE(std::vector<ManifestEntry> entries, search.Run(std::move(manifests)));
    ARROW_ASSIGN_OR_RAISE(std::vector<Split> splits, GroupIntoSplits(std::move(entries), paths_));
    ARROW_RETURN_NOT_OK(PruneByStatistics(&splits));
    ARROW_RETURN_NOT_OK(LocateDeletionVectors(&splits));
    Plan plan;
    plan.snapshot = snapshot_;
    plan.schema = schema_;
    plan.splits = std::move(splits);
    plan.statistics = statistics_;
    plan.statistics.splits_total = static_cast<int64_t>(plan.splits.size()) + statistics_.splits_pruned_by_partition +
                                   statistics_.splits_pruned_by_row_id + statistics_.splits_pruned_by_statistics;
    return plan;
  }

 private:
  // Manifests of the base list and then of the delta list; those that cannot hold wanted rows stay closed.
  Result<std::vector<std::shared_ptr<const UnpackedManifest>>> ReadManifests() {
    ManifestStore store(files_, table_path_, "zstd", cache_);
    std::shared_ptr<const std::vector<ManifestFile>> lists[2];
    if (!snapshot_.base_manifest_list.empty()) {
      ARROW_ASSIGN_OR_RAISE(lists[0], store.List(snapshot_.base_manifest_list, snapshot_.base_manifest_list_size));
    }
    if (!snapshot_.delta_manifest_list.empty()) {
      ARROW_ASSIGN_OR_RAISE(lists[1], store.List(snapshot_.delta_manifest_list, snapshot_.delta_manifest_list_size));
    }
    std::vector<const ManifestFile*> wanted;
    for (const auto& list : lists) {
      if (list == nullptr) continue;
      statistics_.manifests_total += static_cast<int64_t>(list->size());
      for (const ManifestFile& manifest : *list) {
        // An ADD and its DELETE share partition and row ids, so a test by these keeps both or none.
        if (pruning_.MayHoldRows(manifest)) wanted.push_back(&manifest);
      }
    }
    statistics_.manifests_read = static_cast<int64_t>(wanted.size());
    std::vector<std::shared_ptr<const UnpackedManifest>> read(wanted.size());
    ARROW_RETURN_NOT_OK(ParallelFor(static_cast<int64_t>(wanted.size()), [&](int64_t i) -> Status {
      return store.Unpack(*wanted[static_cast<size_t>(i)]).Value(&read[static_cast<size_t>(i)]);
    }));
    return read;
  }

  Status PruneByStatistics(std::vector<Split>* splits) {
    std::vector<uint8_t> may_hold(splits->size());
    ARROW_RETURN_NOT_OK(ParallelFor(static_cast<int64_t>(splits->size()), [&](int64_t i) -> Status {
      ARROW_ASSIGN_OR_RAISE(bool answer, pruning_.MayHoldRows((*splits)[i], schemas_));
      may_hold[i] = answer;
      return Status::OK();
    }));
    std::vector<Split> kept;
    kept.reserve(splits->size());
    for (size_t i = 0; i < splits->size(); ++i) {
      if (may_hold[i]) kept.push_back(std::move((*splits)[i]));
    }
    statistics_.splits_pruned_by_statistics += static_cast<int64_t>(splits->size() - kept.size());
    *splits = std::move(kept);
    return Status::OK();
  }

  Status LocateDeletionVectors(std::vector<Split>* splits) {
    if (!snapshot_.index_manifest || splits->empty()) return Status::OK();
    // Whether vectors count is a matter of the table today, not of the version that is read.
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const TableSchema> latest, schemas_.LoadLatest());
    const Options& options = (latest != nullptr ? latest : schema_)->options;
    ARROW_ASSIGN_OR_RAISE(bool enabled, options.GetBool(kDeletionVectorsEnabled, false));
    if (!enabled) return Status::OK();

    IndexManifestStore store(files_, table_path_);
    ARROW_ASSIGN_OR_RAISE(std::vector<IndexFile> index_files, store.Read(*snapshot_.index_manifest));
    using Anchor = std::tuple<std::string_view, int32_t, std::string_view>;
    std::map<Anchor, Split*> split_of;
    for (Split& split : *splits) {
      split_of.emplace(Anchor{split.partition, split.bucket, AnchorOf(split).file.file_name}, &split);
    }
    for (const IndexFile& index_file : index_files) {
      if (index_file.index_type != kDeletionVectorsIndex || !index_file.deletion_vectors) continue;
      ARROW_ASSIGN_OR_RAISE(std::string path, paths_.IndexFilePath(index_file));
      ARROW_RETURN_NOT_OK(LocateDeletionVectors(index_file, path, split_of));
    }
    return Status::OK();
  }

  template <typename SplitOfAnchor>
  Status LocateDeletionVectors(const IndexFile& index_file, const std::string& path, const SplitOfAnchor& split_of) {
    std::optional<DeletionVectors> read;  // Only of a file that does not say how many rows are dead.
    for (const DeletionVectorRange& range : *index_file.deletion_vectors) {
      // Vectors of files that are not live, or not wanted, have no effect.
      auto found = split_of.find({index_file.partition, index_file.bucket, range.data_file_name});
      if (found == split_of.end()) continue;
      Split& split = *found->second;
      if (split.deletion_vector) {
        return CorruptFile(path, range.offset_bytes,
                           "holds a deletion vector of " + range.data_file_name + ", and so does " +
                               split.deletion_vector->path + "; expected one for each data file");
      }
      DeletionVectorLocation location{path, range};
      if (!location.range.cardinality) {
        if (!read) {
          ARROW_ASSIGN_OR_RAISE(read, ReadDeletionVectors(*files_, path, index_file));
        }
        auto vector = read->find(range.data_file_name);
        location.range.cardinality = vector == read->end() ? 0 : vector->second.cardinality();
      }
      split.deletion_vector = std::move(location);
    }
    return Status::OK();
  }

  const std::shared_ptr<FileStore>& files_;
  SchemaStore& schemas_;
  const std::string table_path_;
  const Snapshot snapshot_;
  const std::shared_ptr<const TableSchema> schema_;
  const TablePaths paths_;
  const SplitPruning pruning_;
  const std::shared_ptr<ManifestCache> cache_;
  PlanStatistics statistics_;
};

}  // namespace

Result<Plan> MakePlan(const std::shared_ptr<FileStore>& files, const std::string& table_path, SchemaStore& schemas,
                      PlanRequest request) {
  if (request.schema == nullptr) return Status::Invalid(table_path, ": a plan needs the schema of its columns");
  if (!request.snapshot) {
    Plan empty;
    empty.schema = std::move(request.schema);
    return empty;
  }
  return Planner(files, table_path, schemas, std::move(request)).Run();
}

int64_t CountRows(const Plan& plan) {
  int64_t rows = 0;
  for (const Split& split : plan.splits) {
    rows += split.row_count;
    if (split.deletion_vector) rows -= split.deletion_vector->range.cardinality.value_or(0);
  }
  return rows;
}

}  // namespace reelhouse
