#include "cli/table_facts.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reelhouse/media/picture_limits.h"
#include "reelhouse/predicate/calendar_text.h"
#include "reelhouse/scan/plan.h"

namespace reelhouse::cli {

namespace {

void Count(const ManifestEntry& entry, StoredFiles* sum) {
  const DataFile& file = entry.file;
  ++sum->files;
  sum->bytes += file.file_size;
  if (file.kind() == DataFileKind::kVideo) {
    ++sum->video_files;
    sum->video_bytes += file.file_size;
  } else if (file.kind() == DataFileKind::kBlob) {
    ++sum->blob_files;
    sum->blob_bytes += file.file_size;
  }
}

}  // namespace

Result<StoredFiles> FilesOf(const Table& table, const Snapshot& snapshot, std::optional<RowIdRange> row_ids) {
  const TableContext& context = *table.context();
  PlanRequest request;
  request.snapshot = snapshot;
  ARROW_ASSIGN_OR_RAISE(request.schema, context.schemas->Load(snapshot.schema_id));
  if (row_ids) request.row_ids = std::vector<RowIdRange>{*row_ids};
  ARROW_ASSIGN_OR_RAISE(const Plan plan, MakePlan(context.files, context.path, *context.schemas, std::move(request)));
  StoredFiles sum;
  sum.rows = CountRows(plan);
  // A sidecar can reach over several groups.
  std::set<std::string> seen;
  for (const Split& split : plan.splits) {
    for (const std::vector<ManifestEntry>* entries : {&split.normal_files, &split.sidecars}) {
      for (const ManifestEntry& entry : *entries) {
        if (seen.insert(entry.Identity()).second) Count(entry, &sum);
      }
    }
  }
  return sum;
}

Result<std::optional<RowIdRange>> RowsAddedBy(const Table& table, const Snapshot& snapshot) {
  int64_t first = 0;
  if (snapshot.id > 1) {
    ARROW_ASSIGN_OR_RAISE(const std::optional<Snapshot> before, table.context()->snapshots->Find(snapshot.id - 1));
    if (!before) return std::nullopt;
    first = before->next_row_id.value_or(0);
  }
  const int64_t end = snapshot.next_row_id.value_or(first);
  if (end <= first) return std::nullopt;
  return RowIdRange{first, end - 1};
}

std::string MomentText(int64_t epoch_millis) { return TimestampToText(Int128{epoch_millis} * 1'000'000) + "Z"; }

std::string Counted(int64_t count, std::string_view singular) {
  std::string digits = std::to_string(count);
  for (int64_t at = static_cast<int64_t>(digits.size()) - 3; at > (count < 0 ? 1 : 0); at -= 3) digits.insert(at, ",");
  return digits + " " + std::string(singular) + (count == 1 ? "" : "s");
}

Result<int64_t> MostPixelsOfFrames(const Table& table) {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<const TableSchema> schema, table.Schema());
  return schema->options.GetInt(kVideoMaxPixelsOption, kDefaultMaxPixels);
}

}  // namespace reelhouse::cli
