#include "reelhouse/scan/split_grouping.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace reelhouse {
namespace {

// The name that an error gives a file: its full path where that can be made.
std::string NameForError(const ManifestEntry& entry, const TablePaths& paths) {
  Result<std::string> path = paths.DataFilePath(entry);
  return path.ok() ? *path : entry.file.file_name;
}

int64_t LastRowId(const Split& split) { return split.first_row_id + split.row_count - 1; }

struct FilesOfPartition {
  std::string partition;
  int32_t bucket = 0;
  std::vector<std::pair<RowIdRange, ManifestEntry>> normal_files;
  std::vector<std::pair<RowIdRange, ManifestEntry>> sidecars;
};

void SortByFirstRowId(std::vector<std::pair<RowIdRange, ManifestEntry>>& files) {
  // Stable: among files of equal sequence number the one that the manifests name first counts.
  std::stable_sort(files.begin(), files.end(),
                   [](const auto& a, const auto& b) { return a.first.first < b.first.first; });
}

Status AppendSplits(FilesOfPartition files, const TablePaths& paths, std::vector<Split>* splits) {
  const size_t begin = splits->size();
  SortByFirstRowId(files.normal_files);
  SortByFirstRowId(files.sidecars);
  for (auto& [range, entry] : files.normal_files) {
    const bool is_first = splits->size() == begin;
    if (!is_first && range.first <= LastRowId(splits->back())) {
      const Split& group = splits->back();
      if (range.first != group.first_row_id || range.last != LastRowId(group)) {
        return CorruptFile(
            NameForError(entry, paths), -1,
            fmt::format("holds row ids {} to {}, but {} holds {} to {}; files of one group of rows must have one range",
                        range.first, range.last, NameForError(group.normal_files.front(), paths), group.first_row_id,
                        LastRowId(group)));
      }
      splits->back().normal_files.push_back(std::move(entry));
      continue;
    }
    Split split;
    split.partition = files.partition;
    split.bucket = files.bucket;
    split.first_row_id = range.first;
    split.row_count = range.last - range.first + 1;
    split.normal_files.push_back(std::move(entry));
    splits->push_back(std::move(split));
  }
  size_t at = begin;
  for (auto& [range, entry] : files.sidecars) {
    while (at < splits->size() && LastRowId((*splits)[at]) < range.first) ++at;
    if (at == splits->size() || range.first < (*splits)[at].first_row_id || range.last > LastRowId((*splits)[at])) {
      return CorruptFile(NameForError(entry, paths), -1,
                         fmt::format("holds row ids {} to {}, which lie inside no data file of its partition; expected "
                                     "a .parquet file that covers them",
                                     range.first, range.last));
    }
    (*splits)[at].sidecars.push_back(std::move(entry));
  }
  return Status::OK();
}

}  // namespace

Result<RowIdRange> RowIdsOfFile(const ManifestEntry& entry, const TablePaths& paths) {
  const DataFile& file = entry.file;
  if (!file.first_row_id) {
    return CorruptFile(NameForError(entry, paths), -1,
                       "has no first row id in its manifest entry; tables with data evolution need one for every file");
  }
  if (*file.first_row_id < 0 || file.row_count < 0 ||
      *file.first_row_id > std::numeric_limits<int64_t>::max() - file.row_count) {
    return CorruptFile(NameForError(entry, paths), -1,
                       fmt::format("its manifest entry says first row id {} and {} rows, which cannot be",
                                   *file.first_row_id, file.row_count));
  }
  return RowIdRange{*file.first_row_id, *file.first_row_id + file.row_count - 1};
}

Result<std::vector<Split>> GroupIntoSplits(std::vector<ManifestEntry> live_files, const TablePaths& paths) {
  std::vector<FilesOfPartition> partitions;
  std::map<std::pair<std::string, int32_t>, size_t> position_of;
  for (ManifestEntry& entry : live_files) {
    ARROW_ASSIGN_OR_RAISE(RowIdRange range, RowIdsOfFile(entry, paths));
    auto [found, is_new] = position_of.try_emplace({entry.partition, entry.bucket}, partitions.size());
    if (is_new) partitions.push_back({entry.partition, entry.bucket, {}, {}});
    if (range.last < range.first) continue;  // A file without rows.
    FilesOfPartition& files = partitions[found->second];
    const bool is_normal = entry.file.kind() == DataFileKind::kNormal;
    (is_normal ? files.normal_files : files.sidecars).emplace_back(range, std::move(entry));
  }
  std::vector<Split> splits;
  for (FilesOfPartition& files : partitions) ARROW_RETURN_NOT_OK(AppendSplits(std::move(files), paths, &splits));
  return splits;
}

const ManifestEntry& AnchorOf(const Split& split) {
  return *std::min_element(split.normal_files.begin(), split.normal_files.end(),
                           [](const ManifestEntry& a, const ManifestEntry& b) {
                             return std::tie(a.file.max_sequence_number, a.file.file_name) <
                                    std::tie(b.file.max_sequence_number, b.file.file_name);
                           });
}

}  // namespace reelhouse
