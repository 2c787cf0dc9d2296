#include <algorithm>
#include <iterator>
#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "reelhouse/manifest/table_paths.h"
#include "reelhouse/scan/plan.h"

namespace reelhouse {
namespace {

constexpr size_t kMostSplitsShown = 20;

std::string UtcText(int64_t epoch_millis) {
  int64_t seconds = epoch_millis / 1000;
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:03} UTC", fmt::gmtime(static_cast<std::time_t>(seconds)),
                     epoch_millis - seconds * 1000);
}

std::string Bytes(int64_t bytes) {
  if (bytes < 10 * 1024) return fmt::format("{} B", bytes);
  double amount = static_cast<double>(bytes) / 1024;
  const char* unit = "KiB";
  for (const char* next : {"MiB", "GiB", "TiB"}) {
    if (amount < 10 * 1024) break;
    amount /= 1024;
    unit = next;
  }
  return fmt::format("{:.1f} {}", amount, unit);
}

int64_t DeadRows(const Split& split) {
  return split.deletion_vector ? split.deletion_vector->range.cardinality.value_or(0) : 0;
}

int64_t BytesOf(const Split& split) {
  int64_t bytes = 0;
  for (const ManifestEntry& entry : split.normal_files) bytes += entry.file.file_size;
  for (const ManifestEntry& entry : split.sidecars) bytes += entry.file.file_size;
  return bytes;
}

std::string SidecarText(const Split& split) {
  int64_t blob = 0, video = 0, vector = 0;
  for (const ManifestEntry& entry : split.sidecars) {
    DataFileKind kind = entry.file.kind();
    (kind == DataFileKind::kBlob ? blob : kind == DataFileKind::kVideo ? video : vector) += 1;
  }
  std::string text;
  if (blob > 0) text += fmt::format(", {} blob", blob);
  if (video > 0) text += fmt::format(", {} video", video);
  if (vector > 0) text += fmt::format(", {} vector", vector);
  return text;
}

std::string SplitText(const Split& split, const TablePaths& paths) {
  Result<std::string> folder = paths.BucketFolder(split.partition, split.bucket);
  std::string text = fmt::format("  row ids {}..{}", split.first_row_id, split.first_row_id + split.row_count - 1);
  if (DeadRows(split) > 0) text += fmt::format(" ({} deleted)", DeadRows(split));
  // The folder of a table without partitions says nothing.
  if (folder.ok() && folder->find('=') != std::string::npos) text += "  in " + *folder;
  text += fmt::format("  files: {} data{}, {}", split.normal_files.size(), SidecarText(split), Bytes(BytesOf(split)));
  if (!split.normal_files.empty()) text += "  " + split.normal_files.front().file.file_name;
  return text + "\n";
}

}  // namespace

std::string ExplainPlan(const Plan& plan, const Predicate& predicate) {
  const PlanStatistics& seen = plan.statistics;
  std::string text;
  auto line = [&text](std::string_view label, const std::string& value) {
    fmt::format_to(std::back_inserter(text), "{:<10} {}\n", label, value);
  };
  if (!plan.snapshot) {
    line("snapshot", "none: the table has no data");
    return text;
  }
  const Snapshot& snapshot = *plan.snapshot;
  line("snapshot", fmt::format("{} ({}, {}, written with schema {})", snapshot.id, snapshot.commit_kind,
                               UtcText(snapshot.time_millis), snapshot.schema_id));
  if (plan.schema != nullptr) line("columns", fmt::format("of schema {}", plan.schema->id));
  line("where", predicate.IsAlwaysTrue() ? "(all rows)" : predicate.ToText());
  const bool all_read = seen.manifests_read == seen.manifests_total;
  line("manifests", fmt::format("{} of {} read{}", seen.manifests_read, seen.manifests_total,
                                all_read ? "" : "; the others cannot hold the partitions or row ids asked for"));
  line("files", fmt::format("{} live in the manifests read", seen.files_total));
  line("groups", fmt::format("{} of {} kept; ruled out: {} by partition, {} by row id, {} by column statistics",
                             plan.splits.size(), seen.splits_total, seen.splits_pruned_by_partition,
                             seen.splits_pruned_by_row_id, seen.splits_pruned_by_statistics));
  int64_t rows = 0, dead = 0, files = 0, bytes = 0;
  for (const Split& split : plan.splits) {
    rows += split.row_count;
    dead += DeadRows(split);
    files += static_cast<int64_t>(split.normal_files.size() + split.sidecars.size());
    bytes += BytesOf(split);
  }
  line("to read", fmt::format("at most {} rows ({} stored, {} deleted) from {} files of {}", rows - dead, rows, dead,
                              files, Bytes(bytes)));
  if (plan.splits.empty() || plan.schema == nullptr) return text;
  text += "groups of rows, in the order of the result:\n";
  const TablePaths paths("", plan.schema);
  const size_t shown = std::min(plan.splits.size(), kMostSplitsShown);
  for (size_t i = 0; i < shown; ++i) text += SplitText(plan.splits[i], paths);
  if (shown < plan.splits.size()) text += fmt::format("  and {} more\n", plan.splits.size() - shown);
  return text;
}

}  // namespace reelhouse
