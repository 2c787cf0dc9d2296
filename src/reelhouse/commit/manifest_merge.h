#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_batch.h"
#include "reelhouse/manifest/manifest_list.h"
#include "reelhouse/manifest/unpacked_manifest.h"
#include "reelhouse/schema/data_type.h"
#include "reelhouse/schema/options.h"

namespace reelhouse {

/// When manifests are merged: the rules of Paimon's Java writers.
struct MergeOptions {
  int64_t min_count = 30;                   ///< `manifest.merge-min-count`: so many small ones are merged
  int64_t target_bytes = 8 << 20;           ///< `manifest.target-file-size`: below it a manifest is small
  int64_t full_threshold_bytes = 16 << 20;  ///< `manifest.full-compaction-threshold-size`

  static Result<MergeOptions> From(const Options& options);
};

/// The merging of the manifests of one commit: many small ones of the base list become few, so that lists stay short
/// and planning opens few files. Entries are copied unchanged and stay in their order; an ADD and a DELETE of one file
/// vanish together. Old files stay for older snapshots. What was merged for an attempt that lost is used again by the
/// next one, as long as the table still has the same manifests; unless it is settled, it is removed on destruction. Not
/// thread safe.
class ManifestMerge {
 public:
  ManifestMerge(ManifestStore& manifests, MergeOptions options, std::vector<DataType> partition_types)
      : manifests_(manifests), options_(options), partition_types_(std::move(partition_types)) {}
  ~ManifestMerge();
  ManifestMerge(const ManifestMerge&) = delete;
  ManifestMerge& operator=(const ManifestMerge&) = delete;

  /// The list to write in place of `base`; new files go to `batch`. Manifests that cannot be read, or that hold what we
  /// do not know, are left as they are: merging is never a reason for a commit to fail.
  Result<std::vector<ManifestFile>> Apply(std::vector<ManifestFile> base, FileBatch* batch);

  /// After a commit: what the last list names stays, the rest is removed.
  void Settle();
  /// After a commit of unknown outcome.
  void LeaveAll();

 private:
  using Manifests = std::vector<std::shared_ptr<const UnpackedManifest>>;

  /// A run of manifests in a list.
  struct Run {
    size_t begin = 0;
    size_t end = 0;
    size_t size() const { return end - begin; }
  };
  /// What takes the place of manifests that follow each other.
  struct Replacement {
    std::vector<std::string> names;
    std::vector<ManifestFile> merged;
  };

  bool IsSmall(const ManifestFile& manifest) const { return manifest.file_size < options_.target_bytes; }
  std::optional<Run> ChooseRun(const std::vector<ManifestFile>& base) const;
  Run WorthMerging(const std::vector<ManifestFile>& base, Run run) const;
  bool WantsFullMerge(const std::vector<ManifestFile>& base) const;

  Status MergeRun(const std::vector<ManifestFile>& base, Run run, FileBatch* batch);
  Status MergeFully(const std::vector<ManifestFile>& base, FileBatch* batch);
  /// Null where one of them cannot be merged, which is logged.
  Result<std::optional<Manifests>> Read(const std::vector<ManifestFile>& base, const std::vector<size_t>& which);
  Status Replace(const std::vector<ManifestFile>& base, Run run, Result<std::vector<ManifestFile>> merged);

  /// `base` with the replacements in it; nothing if one does not fit any more.
  std::optional<std::vector<ManifestFile>> Replaced(const std::vector<ManifestFile>& base) const;

  ManifestStore& manifests_;
  const MergeOptions options_;
  const std::vector<DataType> partition_types_;
  std::vector<Replacement> replacements_;
  std::vector<std::string> outdated_;  // names of files that were written and are of no use any more
};

}  // namespace reelhouse
