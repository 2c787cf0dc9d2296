#include "reelhouse/commit/manifest_merge.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "reelhouse/base/log.h"
#include "reelhouse/base/thread_pool.h"
#include "reelhouse/base/uuid.h"
#include "reelhouse/manifest/unpacked_manifest.h"

namespace reelhouse {
namespace {

// A run this many times longer than need be is a backlog that another engine left; it is taken from its oldest end.
constexpr int64_t kBacklog = 4;

// A manifest is merged with younger ones only when they have at least half as many entries together, so that an entry
// is copied a logarithmic number of times in its life.
constexpr int64_t kMostTimesYounger = 2;

int64_t Sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

int64_t EntryCount(const ManifestFile& manifest) {
  return Sum(std::max<int64_t>(manifest.num_added_files, 0), std::max<int64_t>(manifest.num_deleted_files, 0));
}

Result<std::vector<ManifestEntry>> EntriesOf(const UnpackedManifest& manifest) {
  std::vector<ManifestEntry> entries;
  for (size_t part = 0; part < manifest.part_count(); ++part) {
    ARROW_RETURN_NOT_OK(manifest.AppendEntries(part, &entries));
  }
  return entries;
}

/// Identities of files that DELETE entries name, and which of them met an ADD.
class DeletedFiles {
 public:
  void Note(const std::vector<ManifestEntry>& entries) {
    for (const ManifestEntry& entry : entries) {
      if (entry.kind == FileChangeKind::kDelete) deleted_.insert(entry.Identity());
    }
  }
  void Match(const std::vector<ManifestEntry>& entries) {
    if (deleted_.empty()) return;
    for (const ManifestEntry& entry : entries) {
      if (entry.kind == FileChangeKind::kDelete) continue;
      std::string identity = entry.Identity();
      if (deleted_.contains(identity)) matched_.insert(std::move(identity));
    }
  }
  /// ADDs that no DELETE names, and DELETEs that met no ADD.
  void Strip(std::vector<ManifestEntry>* entries) const {
    if (deleted_.empty()) return;
    std::erase_if(*entries, [this](const ManifestEntry& entry) {
      const bool is_add = entry.kind == FileChangeKind::kAdd;
      return (is_add ? deleted_ : matched_).contains(entry.Identity());
    });
  }
  bool all_matched() const { return matched_.size() == deleted_.size(); }

 private:
  std::unordered_set<std::string> deleted_;
  std::unordered_set<std::string> matched_;
};

}  // namespace

Result<MergeOptions> MergeOptions::From(const Options& options) {
  MergeOptions typed;
  ARROW_ASSIGN_OR_RAISE(typed.min_count, options.GetInt("manifest.merge-min-count", typed.min_count));
  ARROW_ASSIGN_OR_RAISE(typed.target_bytes, options.GetBytes("manifest.target-file-size", typed.target_bytes));
  ARROW_ASSIGN_OR_RAISE(typed.full_threshold_bytes,
                        options.GetBytes("manifest.full-compaction-threshold-size", typed.full_threshold_bytes));
  typed.min_count = std::max<int64_t>(typed.min_count, 2);
  return typed;
}

Result<std::vector<ManifestFile>> ManifestMerge::Apply(std::vector<ManifestFile> base, FileBatch* batch) {
  if (!replacements_.empty()) {
    if (auto replaced = Replaced(base)) return *std::move(replaced);
    // Another writer merged some of them, too.
    for (Replacement& replacement : std::exchange(replacements_, {})) {
      for (ManifestFile& manifest : replacement.merged) outdated_.push_back(std::move(manifest.file_name));
    }
  }
  if (WantsFullMerge(base)) {
    ARROW_RETURN_NOT_OK(MergeFully(base, batch));
  } else if (const std::optional<Run> run = ChooseRun(base)) {
    ARROW_RETURN_NOT_OK(MergeRun(base, *run, batch));
  }
  if (replacements_.empty()) return base;
  return Replaced(base).value_or(base);
}

ManifestMerge::~ManifestMerge() {
  for (const Replacement& replacement : replacements_) {
    for (const ManifestFile& manifest : replacement.merged) outdated_.push_back(manifest.file_name);
  }
  Settle();
}

void ManifestMerge::Settle() {
  replacements_.clear();
  // A file that cannot be removed is an orphan, which harms no reader.
  for (const std::string& name : std::exchange(outdated_, {})) LogFailure(manifests_.Delete(name));
}

void ManifestMerge::LeaveAll() {
  replacements_.clear();
  outdated_.clear();
}

bool ManifestMerge::WantsFullMerge(const std::vector<ManifestFile>& base) const {
  int64_t bytes = 0;
  bool helps = false;
  for (size_t i = 0; i < base.size(); ++i) {
    const bool has_deletes = base[i].num_deleted_files > 0;
    if (!has_deletes && !IsSmall(base[i])) continue;
    bytes = Sum(bytes, base[i].file_size);
    helps = helps || has_deletes || (i > 0 && IsSmall(base[i - 1]));
  }
  // Small manifests that lie between large ones, one at a time, would stay what they are.
  return helps && bytes >= options_.full_threshold_bytes;
}

std::optional<ManifestMerge::Run> ManifestMerge::ChooseRun(const std::vector<ManifestFile>& base) const {
  size_t end = base.size();
  while (end > 0) {
    if (!IsSmall(base[end - 1])) {
      --end;
      continue;
    }
    size_t begin = end;
    while (begin > 0 && IsSmall(base[begin - 1])) --begin;
    const Run run{begin, end};
    if (static_cast<int64_t>(run.size()) >= options_.min_count) return WorthMerging(base, run);
    end = begin;
  }
  return std::nullopt;
}

ManifestMerge::Run ManifestMerge::WorthMerging(const std::vector<ManifestFile>& base, Run run) const {
  int64_t bytes = 0;
  if (static_cast<int64_t>(run.size()) / kBacklog >= options_.min_count) {
    size_t end = run.begin;
    while (end < run.end && bytes < options_.target_bytes) bytes = Sum(bytes, base[end++].file_size);
    return {run.begin, std::max(end, std::min(run.begin + 2, run.end))};
  }
  const size_t at_least = static_cast<size_t>(std::max<int64_t>(options_.min_count / 2, 2));
  int64_t younger = 0;
  size_t begin = run.end;
  while (begin > run.begin && bytes < options_.target_bytes) {
    const int64_t count = EntryCount(base[begin - 1]);
    if (run.end - begin >= at_least && count / kMostTimesYounger > younger) break;
    younger = Sum(younger, count);
    bytes = Sum(bytes, base[--begin].file_size);
  }
  return {begin, run.end};
}

Result<std::optional<ManifestMerge::Manifests>> ManifestMerge::Read(const std::vector<ManifestFile>& base,
                                                                    const std::vector<size_t>& which) {
  Manifests read(which.size());
  const Status status = ParallelFor(static_cast<int64_t>(which.size()), [&](int64_t i) -> Status {
    return manifests_.Unpack(base[which[static_cast<size_t>(i)]]).Value(&read[static_cast<size_t>(i)]);
  });
  if (!status.ok()) {
    LogFailure(Prefixed("manifests are not merged", status));
    return std::nullopt;
  }
  const bool all_known = std::all_of(read.begin(), read.end(),
                                     [](const auto& manifest) { return manifest->decoder().has_known_fields_only; });
  if (!all_known) return std::nullopt;
  return read;
}

Status ManifestMerge::MergeRun(const std::vector<ManifestFile>& base, Run run, FileBatch* batch) {
  if (run.size() < 2) return Status::OK();
  std::vector<size_t> which(run.size());
  for (size_t i = 0; i < which.size(); ++i) which[i] = run.begin + i;
  ARROW_ASSIGN_OR_RAISE(std::optional<Manifests> read, Read(base, which));
  if (!read) return Status::OK();

  bool can_copy = true;
  for (size_t i = 0; i < which.size(); ++i) {
    can_copy = can_copy && base[which[i]].num_deleted_files == 0 && (*read)[i]->decoder().encodes_like_ours;
  }
  if (can_copy) {
    const auto named = std::span<const ManifestFile>(base).subspan(run.begin, run.size());
    return Replace(base, run,
                   manifests_.Concatenate(NewUuid(), named, *read, partition_types_, options_.target_bytes, batch));
  }
  std::vector<ManifestEntry> entries;
  DeletedFiles deleted;
  for (const auto& manifest : *read) {
    Result<std::vector<ManifestEntry>> part = EntriesOf(*manifest);
    if (!part.ok()) {
      LogFailure(Prefixed("manifests are not merged", part.status()));
      return Status::OK();
    }
    std::move(part->begin(), part->end(), std::back_inserter(entries));
  }
  deleted.Note(entries);
  deleted.Match(entries);
  deleted.Strip(&entries);
  return Replace(base, run,
                 manifests_.WriteManifests(NewUuid(), entries, partition_types_, options_.target_bytes, batch));
}

Status ManifestMerge::MergeFully(const std::vector<ManifestFile>& base, FileBatch* batch) {
  std::vector<size_t> all(base.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  ARROW_ASSIGN_OR_RAISE(std::optional<Manifests> read, Read(base, all));
  if (!read) return Status::OK();

  const auto entries_of = [&](size_t i) -> std::optional<std::vector<ManifestEntry>> {
    Result<std::vector<ManifestEntry>> entries = EntriesOf(*(*read)[i]);
    if (entries.ok()) return *std::move(entries);
    LogFailure(Prefixed("manifests are not merged", entries.status()));
    return std::nullopt;
  };
  std::vector<std::vector<ManifestEntry>> entries(base.size());
  std::vector<bool> is_rewritten(base.size());
  DeletedFiles deleted;
  for (size_t i = 0; i < base.size(); ++i) {
    if (base[i].num_deleted_files == 0 && !IsSmall(base[i])) continue;
    std::optional<std::vector<ManifestEntry>> found = entries_of(i);
    if (!found) return Status::OK();
    deleted.Note(*found);
    entries[i] = *std::move(found);
    is_rewritten[i] = true;
  }
  for (const auto& each : entries) deleted.Match(each);
  // Large manifests are only touched where a DELETE strikes them.
  for (size_t i = 0; i < base.size() && !deleted.all_matched(); ++i) {
    if (is_rewritten[i]) continue;
    std::optional<std::vector<ManifestEntry>> found = entries_of(i);
    if (!found) return Status::OK();
    const size_t before = found->size();
    deleted.Match(*found);
    std::vector<ManifestEntry> left = *found;
    deleted.Strip(&left);
    if (left.size() == before) continue;
    entries[i] = *std::move(found);
    is_rewritten[i] = true;
  }
  size_t begin = 0;
  while (begin < base.size()) {
    if (!is_rewritten[begin]) {
      ++begin;
      continue;
    }
    Run run{begin, begin};
    std::vector<ManifestEntry> left;
    for (; run.end < base.size() && is_rewritten[run.end]; ++run.end) {
      deleted.Strip(&entries[run.end]);
      // All manifests were looked at: a DELETE that met no ADD deletes nothing.
      std::erase_if(entries[run.end], [](const ManifestEntry& entry) { return entry.kind == FileChangeKind::kDelete; });
      std::move(entries[run.end].begin(), entries[run.end].end(), std::back_inserter(left));
    }
    ARROW_RETURN_NOT_OK(
        Replace(base, run, manifests_.WriteManifests(NewUuid(), left, partition_types_, options_.target_bytes, batch)));
    begin = run.end;
  }
  return Status::OK();
}

Status ManifestMerge::Replace(const std::vector<ManifestFile>& base, Run run,
                              Result<std::vector<ManifestFile>> merged) {
  if (!merged.ok()) {
    // What the disk refuses fails the commit; what is wrong with old entries does not.
    if (merged.status().IsIOError()) return merged.status();
    LogFailure(Prefixed("manifests are not merged", merged.status()));
    return Status::OK();
  }
  Replacement replacement;
  for (size_t i = run.begin; i < run.end; ++i) replacement.names.push_back(base[i].file_name);
  replacement.merged = *std::move(merged);
  replacements_.push_back(std::move(replacement));
  return Status::OK();
}

std::optional<std::vector<ManifestFile>> ManifestMerge::Replaced(const std::vector<ManifestFile>& base) const {
  std::vector<ManifestFile> list;
  size_t at = 0;
  for (const Replacement& replacement : replacements_) {
    while (at < base.size() && base[at].file_name != replacement.names.front()) list.push_back(base[at++]);
    for (const std::string& name : replacement.names) {
      if (at == base.size() || base[at++].file_name != name) return std::nullopt;
    }
    list.insert(list.end(), replacement.merged.begin(), replacement.merged.end());
  }
  list.insert(list.end(), base.begin() + static_cast<std::ptrdiff_t>(at), base.end());
  return list;
}

}  // namespace reelhouse
