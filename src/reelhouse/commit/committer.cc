#include "reelhouse/commit/committer.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reelhouse/base/log.h"
#include "reelhouse/base/uuid.h"
#include "reelhouse/commit/manifest_merge.h"
#include "reelhouse/commit/row_lineage.h"
#include "reelhouse/io/location.h"
#include "reelhouse/manifest/index_manifest.h"
#include "reelhouse/manifest/manifest_list.h"
#include "reelhouse/snapshot/snapshot_store.h"
#include "reelhouse/version.h"

namespace reelhouse {

namespace {

constexpr int64_t kDefaultRetries = 100;

struct CommitOptions {
  int64_t max_retries = kDefaultRetries;
  int64_t min_wait_millis = 10;
  int64_t max_wait_millis = 10'000;
  std::string user_prefix;
  std::string manifest_compression;
  MergeOptions merge;
  bool row_tracking = false;
  bool group_by_partition = true;

  static Result<CommitOptions> From(const Options& options) {
    CommitOptions typed;
    ARROW_ASSIGN_OR_RAISE(typed.max_retries, options.GetInt("commit.max-retries", kDefaultRetries));
    ARROW_ASSIGN_OR_RAISE(typed.min_wait_millis, options.GetMillis("commit.min-retry-wait", 10));
    ARROW_ASSIGN_OR_RAISE(typed.max_wait_millis, options.GetMillis("commit.max-retry-wait", 10'000));
    ARROW_ASSIGN_OR_RAISE(typed.merge, MergeOptions::From(options));
    ARROW_ASSIGN_OR_RAISE(typed.row_tracking, options.GetBool("row-tracking.enabled", false));
    ARROW_ASSIGN_OR_RAISE(typed.group_by_partition, options.GetBool("row-tracking.partition-group-on-commit", true));
    typed.user_prefix = options.GetText("commit.user-prefix", "");
    typed.manifest_compression = options.GetText("manifest.compression", "zstd");
    return typed;
  }
};

int64_t NowMillis() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void WaitBeforeRetry(const CommitOptions& options, int64_t attempt) {
  const int64_t shift = std::min<int64_t>(attempt, 10);
  const int64_t wait = std::min(options.min_wait_millis << shift, options.max_wait_millis);
  static thread_local std::mt19937_64 random{std::random_device{}()};
  std::uniform_int_distribution<int64_t> jitter(0, wait / 5 + 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(wait + jitter(random)));
}

std::vector<DataType> PartitionTypes(const TableSchema& schema) {
  std::vector<DataType> types;
  for (const DataField& field : schema.PartitionFields()) types.push_back(field.type);
  return types;
}

/// One try at one snapshot id: the metadata files that it wrote, which go away again unless it won.
class Attempt {
 public:
  Attempt(FileStore& files, ManifestStore& manifests, SnapshotStore& snapshots)
      : manifests_(manifests), snapshots_(snapshots), batch_(files) {}

  Result<Snapshot> WriteMetadata(const std::optional<Snapshot>& previous, const FileChanges& changes,
                                 const TableSchema& schema, const CommitOptions& options,
                                 const std::string& commit_user, ManifestMerge& merge) {
    Snapshot next;
    next.id = previous ? previous->id + 1 : 1;
    next.schema_id = schema.id;
    next.commit_user = commit_user;
    next.commit_kind = "APPEND";
    next.uuid = NewUuid();
    next.writer_version = std::string("reelhouse-") + kVersion;
    next.properties = changes.properties;
    if (previous) {
      next.watermark = previous->watermark;
      next.index_manifest = previous->index_manifest;
    }

    std::vector<ManifestEntry> entries = changes.entries;
    if (options.row_tracking) {
      if (options.group_by_partition) GroupByPartition(entries);
      StampSequenceNumbers(entries, next.id);
      next.next_row_id = AssignRowIds(entries, previous ? previous->next_row_id.value_or(0) : 0);
    }
    for (const ManifestEntry& entry : entries) next.delta_record_count += entry.file.row_count;
    next.total_record_count = (previous ? previous->total_record_count : 0) + next.delta_record_count;

    const std::string uuid = NewUuid();
    ARROW_ASSIGN_OR_RAISE(
        std::vector<ManifestFile> delta,
        manifests_.WriteManifests(uuid, entries, PartitionTypes(schema), options.merge.target_bytes, &batch_));
    for (const ManifestFile& manifest : delta) written_.push_back(manifest.file_name);

    std::vector<ManifestFile> base;
    if (previous) {
      ARROW_ASSIGN_OR_RAISE(base, manifests_.ReadList(previous->base_manifest_list, previous->base_manifest_list_size));
      ARROW_ASSIGN_OR_RAISE(std::vector<ManifestFile> last,
                            manifests_.ReadList(previous->delta_manifest_list, previous->delta_manifest_list_size));
      base.insert(base.end(), std::make_move_iterator(last.begin()), std::make_move_iterator(last.end()));
      ARROW_ASSIGN_OR_RAISE(base, merge.Apply(std::move(base), &batch_));
    }
    ARROW_ASSIGN_OR_RAISE(WrittenFile base_list, manifests_.WriteList(uuid, 0, base, &batch_));
    written_.push_back(base_list.file_name);
    ARROW_ASSIGN_OR_RAISE(WrittenFile delta_list, manifests_.WriteList(uuid, 1, delta, &batch_));
    written_.push_back(delta_list.file_name);
    ARROW_RETURN_NOT_OK(batch_.Finish());
    next.base_manifest_list = base_list.file_name;
    next.base_manifest_list_size = base_list.file_size;
    next.delta_manifest_list = delta_list.file_name;
    next.delta_manifest_list_size = delta_list.file_size;
    next.time_millis = NowMillis();
    return next;
  }

  /// True if `snapshot` is now the table's, false if another writer took its id. A failed call whose snapshot may be
  /// there all the same is kCommitUnknown.
  Result<bool> Publish(const Snapshot& snapshot, FileStore& files) {
    Result<bool> made = snapshots_.CreateNoReplace(snapshot);
    if (made.ok()) return made;
    // The call failed, but the file may be there: only a look tells.
    Result<std::optional<Snapshot>> found = snapshots_.Find(snapshot.id);
    if (found.ok() && (!found->has_value() || (*found)->uuid != snapshot.uuid)) return made.status();
    if (found.ok() && files.SyncDirectory(ParentLocation(snapshots_.PathOf(snapshot.id))).ok()) return true;
    ErrorFields fields;
    fields.path = snapshots_.PathOf(snapshot.id);
    fields.commit_user = snapshot.commit_user;
    fields.commit_identifier = snapshot.commit_identifier;
    std::string text = fmt::format(
        "{}: it is not known whether this commit (user {}) took place: {}. Nothing was cleaned "
        "up; look for a snapshot of this commit user before you try again",
        fields.path, snapshot.commit_user, made.status().message());
    return MakeError(ErrorKind::kCommitUnknown, std::move(text), std::move(fields));
  }

  void RemoveMetadata() {
    // Best effort: a file that cannot be removed is an orphan, which harms no reader, and the first error matters more.
    for (const std::string& name : written_) LogFailure(manifests_.Delete(name));
    written_.clear();
  }

 private:
  ManifestStore& manifests_;
  SnapshotStore& snapshots_;
  FileBatch batch_;
  std::vector<std::string> written_;
};

}  // namespace

Committer::Committer(std::shared_ptr<FileStore> files, std::string table_path,
                     std::shared_ptr<const TableSchema> schema)
    : files_(std::move(files)), table_path_(std::move(table_path)), schema_(std::move(schema)) {}

Result<std::optional<Snapshot>> Committer::Commit(FileChanges changes) {
  if (changes.empty()) return std::nullopt;
  Result<Snapshot> committed = CommitStaged(changes);
  if (committed.ok()) return std::optional<Snapshot>(std::move(committed).ValueUnsafe());
  if (!IsKind(committed.status(), ErrorKind::kCommitUnknown)) {
    for (const std::string& path : changes.staged_paths) LogFailure(files_->Delete(path));
  }
  return committed.status();
}

Result<Snapshot> Committer::CommitStaged(const FileChanges& changes) {
  for (const ManifestEntry& entry : changes.entries) {
    if (entry.kind != FileChangeKind::kAdd || entry.file.first_row_id.has_value()) {
      return Status::NotImplemented("commit: only appends of new rows are supported, found a change of ",
                                    entry.file.file_name);
    }
  }
  if (changes.check_from_snapshot || !changes.new_index_files.empty() || !changes.removed_index_files.empty()) {
    return Status::NotImplemented("commit: only appends of new rows are supported, found an update or a delete");
  }

  ARROW_ASSIGN_OR_RAISE(CommitOptions options, CommitOptions::From(schema_->options));
  ManifestStore manifests(files_, table_path_, options.manifest_compression);
  SnapshotStore snapshots(files_, table_path_);
  const std::string commit_user = options.user_prefix.empty() ? NewUuid() : options.user_prefix + "_" + NewUuid();

  // Names of data files must last before a snapshot that mentions them does.
  std::set<std::string> folders;
  for (const std::string& path : changes.staged_paths) folders.insert(ParentLocation(path));
  for (const std::string& folder : folders) ARROW_RETURN_NOT_OK(files_->SyncDirectory(folder));

  ManifestMerge merge(manifests, options.merge, PartitionTypes(*schema_));
  const std::string schema_path = fmt::format("{}/schema/schema-{}", table_path_, schema_->id);
  for (int64_t attempt = 0;; ++attempt) {
    ARROW_ASSIGN_OR_RAISE(std::optional<FileEntry> schema_file, files_->Stat(schema_path));
    if (!schema_file) {
      return MakeError(ErrorKind::kTableNotExist,
                       fmt::format("{} is gone: the table was dropped or renamed during this write", schema_path));
    }
    ARROW_ASSIGN_OR_RAISE(std::optional<Snapshot> previous, snapshots.Latest());
    Attempt current(*files_, manifests, snapshots);
    Result<Snapshot> next = current.WriteMetadata(previous, changes, *schema_, options, commit_user, merge);
    Status status = next.status();
    bool won = false;
    if (status.ok()) status = current.Publish(*next, *files_).Value(&won);
    if (status.ok() && won) {
      // The snapshot is the truth; readers check the hint, so a hint that could not be written changes nothing.
      LogFailure(snapshots.HintLatest(next->id));
      merge.Settle();
      return next;
    }
    if (IsKind(status, ErrorKind::kCommitUnknown)) {
      merge.LeaveAll();
    } else {
      current.RemoveMetadata();
    }
    ARROW_RETURN_NOT_OK(status);
    if (attempt >= options.max_retries) {
      ErrorFields fields;
      fields.base_snapshot_id = previous ? previous->id : 0;
      fields.other_snapshot_id = next->id;
      return MakeError(ErrorKind::kCommitConflict,
                       fmt::format("{}: other writers were faster {} times in a row; try again, or raise "
                                   "commit.max-retries",
                                   table_path_, attempt + 1),
                       std::move(fields));
    }
    WaitBeforeRetry(options, attempt);
  }
}

}  // namespace reelhouse
