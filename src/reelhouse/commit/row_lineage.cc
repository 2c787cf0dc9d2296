#include "reelhouse/commit/row_lineage.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "reelhouse/schema/table_schema.h"

namespace reelhouse {

namespace {

constexpr int32_t kAppendedFile = 0;

bool HoldsRowIds(const DataFile& file) {
  return file.write_cols.has_value() &&
         std::find(file.write_cols->begin(), file.write_cols->end(), kRowIdColumn) != file.write_cols->end();
}

}  // namespace

void GroupByPartition(std::vector<ManifestEntry>& entries) {
  std::unordered_map<std::string, size_t> order;
  for (const ManifestEntry& entry : entries) order.emplace(entry.partition, order.size());
  std::stable_sort(entries.begin(), entries.end(), [&](const ManifestEntry& a, const ManifestEntry& b) {
    return order.at(a.partition) < order.at(b.partition);
  });
}

void StampSequenceNumbers(std::vector<ManifestEntry>& entries, int64_t snapshot_id) {
  for (ManifestEntry& entry : entries) {
    DataFile& file = entry.file;
    if (file.min_sequence_number == 0) {
      file.min_sequence_number = file.max_sequence_number = snapshot_id;
    } else if (file.max_sequence_number == 0) {
      file.max_sequence_number = snapshot_id;
    }
  }
}

int64_t AssignRowIds(std::vector<ManifestEntry>& entries, int64_t next_row_id) {
  int64_t start = next_row_id;
  int64_t vector_next = next_row_id;
  int64_t sidecar_start = next_row_id;
  std::unordered_map<std::string, int64_t> sidecar_next;  // by column
  for (ManifestEntry& entry : entries) {
    DataFile& file = entry.file;
    if (file.file_source != kAppendedFile || file.first_row_id.has_value() || HoldsRowIds(file)) continue;
    switch (file.kind()) {
      case DataFileKind::kNormal:
        file.first_row_id = start;
        sidecar_start = start;
        sidecar_next.clear();
        start += file.row_count;
        break;
      case DataFileKind::kVector:
        file.first_row_id = vector_next;
        vector_next += file.row_count;
        break;
      case DataFileKind::kBlob:
      case DataFileKind::kVideo: {
        const std::string column = file.write_cols && !file.write_cols->empty() ? file.write_cols->front() : "";
        int64_t& next = sidecar_next.emplace(column, sidecar_start).first->second;
        file.first_row_id = next;
        next += file.row_count;
        break;
      }
    }
  }
  return start;
}

}  // namespace reelhouse
