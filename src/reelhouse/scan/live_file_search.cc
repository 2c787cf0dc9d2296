#include "reelhouse/scan/live_file_search.h"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "reelhouse/base/thread_pool.h"
#include "reelhouse/scan/outline_pruning.h"
#include "reelhouse/scan/split_grouping.h"

namespace reelhouse {
namespace {

// What a thread takes at a time: enough that its own look-ups pay, little enough that threads end together.
constexpr size_t kTaskBytes = 512 << 10;

}  // namespace

std::vector<LiveFileSearch::Task> LiveFileSearch::ShareWork() const {
  std::vector<Task> tasks;
  size_t bytes = kTaskBytes;
  for (size_t m = 0; m < manifests_.size(); ++m) {
    const auto& blocks = manifests_[m]->records().blocks;
    for (size_t part = 0; part < blocks.size(); ++part) {
      const bool is_new_task = bytes >= kTaskBytes;
      if (is_new_task) {
        tasks.emplace_back();
        bytes = 0;
      }
      std::vector<Piece>& pieces = tasks.back().pieces;
      if (pieces.empty() || pieces.back().manifest != m) pieces.push_back({static_cast<uint32_t>(m), part, part});
      ++pieces.back().end_part;
      bytes += blocks[part].size_bytes;
    }
  }
  return tasks;
}

Result<std::vector<ManifestEntry>> LiveFileSearch::Run(std::vector<std::shared_ptr<const UnpackedManifest>> manifests) {
  manifests_ = std::move(manifests);
  std::vector<Task> tasks = ShareWork();
  const bool prunes = pruning_.prunes_files();
  ARROW_RETURN_NOT_OK(ParallelFor(static_cast<int64_t>(tasks.size()), [&](int64_t i) -> Status {
    Task* task = &tasks[static_cast<size_t>(i)];
    return prunes ? LookAt(task) : MakeAll(task);
  }));
  if (!prunes) return EverythingLive(std::move(tasks));

  std::vector<Candidate> candidates;
  std::vector<ManifestEntry> deleted;
  for (Task& task : tasks) {
    candidates.insert(candidates.end(), task.candidates.begin(), task.candidates.end());
    std::move(task.deleted.begin(), task.deleted.end(), std::back_inserter(deleted));
  }
  statistics_.entries_seen = static_cast<int64_t>(candidates.size() + deleted.size());
  ARROW_RETURN_NOT_OK(TakeOutDead(deleted, &candidates));
  CountGroupsRuledOut(candidates);
  if (!pruning_.value_columns().empty()) TakeOutGroupsByValues(&candidates);

  std::erase_if(candidates, [](const Candidate& candidate) { return candidate.verdict != Verdict::kMayHold; });
  std::vector<ManifestEntry> entries(candidates.size());
  constexpr size_t kStride = 256;
  ARROW_RETURN_NOT_OK(
      ParallelFor(static_cast<int64_t>((candidates.size() + kStride - 1) / kStride), [&](int64_t stride) -> Status {
        const size_t begin = static_cast<size_t>(stride) * kStride;
        for (size_t i = begin; i < std::min(begin + kStride, candidates.size()); ++i) {
          ARROW_RETURN_NOT_OK(Entry(candidates[i]).Value(&entries[i]));
        }
        return Status::OK();
      }));
  statistics_.entries_made = static_cast<int64_t>(entries.size());
  return entries;
}

Status LiveFileSearch::MakeAll(Task* task) const {
  for (const Piece& piece : task->pieces) {
    for (size_t part = piece.first_part; part < piece.end_part; ++part) {
      ARROW_RETURN_NOT_OK(manifests_[piece.manifest]->AppendEntries(part, &task->entries));
    }
  }
  return Status::OK();
}

Result<std::vector<ManifestEntry>> LiveFileSearch::EverythingLive(std::vector<Task> tasks) {
  size_t total = 0;
  for (const Task& task : tasks) total += task.entries.size();
  std::vector<ManifestEntry> all;
  all.reserve(total);
  for (Task& task : tasks) std::move(task.entries.begin(), task.entries.end(), std::back_inserter(all));
  statistics_.entries_seen = statistics_.entries_made = static_cast<int64_t>(all.size());
  all = LiveEntries(std::move(all));
  statistics_.files_total = static_cast<int64_t>(all.size());
  for (const ManifestEntry& entry : all) ARROW_RETURN_NOT_OK(RowIdsOfFile(entry, paths_).status());
  return all;
}

Status LiveFileSearch::LookAt(Task* task) const {
  OutlinePruning by_values(pruning_, schemas_);
  std::string_view partition;
  bool partition_may_hold = false;
  for (const Piece& piece : task->pieces) {
    const UnpackedManifest& manifest = *manifests_[piece.manifest];
    partition = {};  // The views of one manifest only.
    const auto look = [&](const EntryOutline& outline) -> Status {
      if (outline.kind == FileChangeKind::kDelete) {
        return manifest.Entry(outline).Value(&task->deleted.emplace_back());
      }
      const DataFileOutline& file = outline.file;
      Candidate& candidate = task->candidates.emplace_back();
      candidate.file_name = file.file_name;
      candidate.partition = outline.partition;
      candidate.encoded = outline.encoded;
      candidate.bucket = outline.bucket;
      candidate.manifest = piece.manifest;
      candidate.is_normal = file.kind() == DataFileKind::kNormal;
      int64_t end = 0;
      if (!file.first_row_id || *file.first_row_id < 0 || file.row_count < 0 ||
          __builtin_add_overflow(*file.first_row_id, file.row_count, &end)) {
        ARROW_ASSIGN_OR_RAISE(ManifestEntry entry, manifest.Entry(outline));
        return RowIdsOfFile(entry, paths_).Value(&candidate.range);  // Says what is wrong.
      }
      candidate.range = {*file.first_row_id, end - 1};
      if (partition.data() == nullptr || partition != outline.partition) {
        ARROW_ASSIGN_OR_RAISE(partition_may_hold, pruning_.MayHoldPartition(outline.partition));
        partition = outline.partition;
      }
      if (!partition_may_hold) {
        candidate.verdict = Verdict::kWrongPartition;
      } else if (!Overlaps(pruning_.row_ids(), candidate.range)) {
        candidate.verdict = Verdict::kWrongRowIds;
      } else if (candidate.is_normal && !pruning_.value_columns().empty()) {
        ARROW_ASSIGN_OR_RAISE(bool may_hold, by_values.MayHoldRows(manifest, outline, candidate.range));
        if (!may_hold) candidate.verdict = Verdict::kWrongValues;
      }
      return Status::OK();
    };
    for (size_t part = piece.first_part; part < piece.end_part; ++part) {
      ARROW_ASSIGN_OR_RAISE(std::span<const EntryOutline> outlines, manifest.Outlines(part));
      for (const EntryOutline& outline : outlines) ARROW_RETURN_NOT_OK(look(outline));
    }
  }
  return Status::OK();
}

Result<ManifestEntry> LiveFileSearch::Entry(const Candidate& candidate) const {
  EntryOutline outline;
  outline.encoded = candidate.encoded;
  return manifests_[candidate.manifest]->Entry(outline);
}

Status LiveFileSearch::TakeOutDead(const std::vector<ManifestEntry>& deleted,
                                   std::vector<Candidate>* candidates) const {
  int64_t live = static_cast<int64_t>(candidates->size());
  std::unordered_set<std::string_view> names;
  std::unordered_set<std::string> identities;
  for (const ManifestEntry& entry : deleted) {
    names.insert(entry.file.file_name);
    identities.insert(entry.Identity());
  }
  for (Candidate& candidate : *candidates) {
    if (names.empty()) break;
    if (!names.contains(candidate.file_name)) continue;
    ARROW_ASSIGN_OR_RAISE(ManifestEntry entry, Entry(candidate));
    if (!identities.contains(entry.Identity())) continue;
    candidate.verdict = Verdict::kDead;
    --live;
  }
  statistics_.files_total = live;
  return Status::OK();
}

void LiveFileSearch::CountGroupsRuledOut(const std::vector<Candidate>& candidates) {
  using Group = std::tuple<std::string_view, int32_t, int64_t>;
  std::set<Group> wrong_partition, wrong_row_ids;
  for (const Candidate& candidate : candidates) {
    if (!candidate.is_normal) continue;
    const Group group{candidate.partition, candidate.bucket, candidate.range.first};
    if (candidate.verdict == Verdict::kWrongPartition) wrong_partition.insert(group);
    if (candidate.verdict == Verdict::kWrongRowIds) wrong_row_ids.insert(group);
  }
  statistics_.splits_pruned_by_partition = static_cast<int64_t>(wrong_partition.size());
  statistics_.splits_pruned_by_row_id = static_cast<int64_t>(wrong_row_ids.size());
}

void LiveFileSearch::TakeOutGroupsByValues(std::vector<Candidate>* candidates) {
  std::vector<Candidate*> normal;
  for (Candidate& candidate : *candidates) {
    const bool counts = candidate.verdict == Verdict::kMayHold || candidate.verdict == Verdict::kWrongValues;
    if (counts && candidate.is_normal && candidate.range.first <= candidate.range.last) normal.push_back(&candidate);
  }
  const auto is_before = [](const Candidate* a, const Candidate* b) { return a->range.first < b->range.first; };
  if (!std::is_sorted(normal.begin(), normal.end(), is_before)) std::sort(normal.begin(), normal.end(), is_before);
  std::vector<RowIdRange> kept;
  for (size_t begin = 0; begin < normal.size();) {
    int64_t last = normal[begin]->range.last;
    size_t end = begin + 1;
    for (; end < normal.size() && normal[end]->range.first <= last; ++end) {
      last = std::max(last, normal[end]->range.last);
    }
    // The statistics of one of several files with the same rows may be those of values that are replaced: such groups
    // are judged when they are whole.
    if (end == begin + 1 && normal[begin]->verdict == Verdict::kWrongValues) {
      ++statistics_.splits_pruned_by_statistics;
    } else {
      for (size_t i = begin; i < end; ++i) normal[i]->verdict = Verdict::kMayHold;
      kept.push_back({normal[begin]->range.first, last});
    }
    begin = end;
  }
  // Sidecars follow their group.
  for (Candidate& candidate : *candidates) {
    if (candidate.is_normal || candidate.verdict != Verdict::kMayHold) continue;
    if (!Overlaps(kept, candidate.range)) candidate.verdict = Verdict::kWrongValues;
  }
}

}  // namespace reelhouse
