#include "reelhouse/scan/split_pruning.h"

#include <algorithm>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "reelhouse/manifest/binary_row.h"
#include "reelhouse/manifest/statistics.h"
#include "reelhouse/scan/split_columns.h"

namespace reelhouse {
namespace {

using Scalars = std::vector<std::shared_ptr<arrow::Scalar>>;

int PositionOf(const std::vector<std::string>& names, std::string_view name) {
  auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

std::shared_ptr<arrow::Scalar> KnownOrNull(const std::shared_ptr<arrow::Scalar>& scalar) {
  return scalar != nullptr && scalar->is_valid ? scalar : nullptr;
}

}  // namespace

ColumnRange RowIdColumnRange(RowIdRange range) {
  ColumnRange result;
  result.min = std::make_shared<arrow::Int64Scalar>(range.first);
  result.max = std::make_shared<arrow::Int64Scalar>(range.last);
  result.null_count = 0;
  result.row_count = range.last - range.first + 1;
  return result;
}

bool Overlaps(const std::optional<std::vector<RowIdRange>>& wanted, RowIdRange range) {
  if (!wanted) return true;
  auto next = std::lower_bound(wanted->begin(), wanted->end(), range.first,
                               [](const RowIdRange& a, int64_t first) { return a.last < first; });
  return next != wanted->end() && next->first <= range.last;
}

std::vector<RowIdRange> Normalized(std::vector<RowIdRange> ranges) {
  std::erase_if(ranges, [](const RowIdRange& range) { return range.last < range.first; });
  std::sort(ranges.begin(), ranges.end(), [](const RowIdRange& a, const RowIdRange& b) { return a.first < b.first; });
  std::vector<RowIdRange> result;
  for (const RowIdRange& range : ranges) {
    if (!result.empty() && range.first <= result.back().last) {
      result.back().last = std::max(result.back().last, range.last);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

std::optional<std::vector<RowIdRange>> Intersection(const std::optional<std::vector<RowIdRange>>& a,
                                                    const std::optional<std::vector<RowIdRange>>& b) {
  if (!a) return b;
  if (!b) return a;
  std::vector<RowIdRange> result;
  for (size_t i = 0, j = 0; i < a->size() && j < b->size();) {
    RowIdRange both{std::max((*a)[i].first, (*b)[j].first), std::min((*a)[i].last, (*b)[j].last)};
    if (both.first <= both.last) result.push_back(both);
    (*a)[i].last < (*b)[j].last ? ++i : ++j;
  }
  return result;
}

SplitPruning::SplitPruning(std::shared_ptr<const TableSchema> schema, Predicate predicate,
                           std::optional<std::vector<RowIdRange>> row_ids)
    : schema_(std::move(schema)), predicate_(std::move(predicate)), row_ids_(std::move(row_ids)) {
  if (row_ids_) row_ids_ = Normalized(*std::move(row_ids_));
  if (!predicate_.IsAlwaysTrue()) row_ids_ = Intersection(row_ids_, WantedRowIds(predicate_));
  for (const DataField& field : schema_->PartitionFields()) partition_types_.push_back(field.type);
  for (const std::string& column : predicate_.Columns()) {
    if (PositionOf(schema_->partition_keys, column) >= 0) {
      asks_for_partition_ = true;
    } else if (column != kRowIdColumn && column != kSequenceNumberColumn) {
      other_columns_.push_back(column);
    }
  }
}

bool SplitPruning::MayMatchPartition(const Scalars& min, const Scalars& max,
                                     const std::vector<std::optional<int64_t>>& null_counts, int64_t row_count) const {
  return MayMatch(predicate_, [&](std::string_view column) -> std::optional<ColumnRange> {
    int at = PositionOf(schema_->partition_keys, column);
    if (at < 0) return std::nullopt;
    ColumnRange range;
    range.min = KnownOrNull(min[at]);
    range.max = KnownOrNull(max[at]);
    if (static_cast<size_t>(at) < null_counts.size()) range.null_count = null_counts[at];
    range.row_count = row_count;
    return range;
  });
}

bool SplitPruning::MayHoldRows(const ManifestFile& manifest) const {
  if (manifest.min_row_id && manifest.max_row_id && !Overlaps(row_ids_, {*manifest.min_row_id, *manifest.max_row_id})) {
    return false;
  }
  if (!asks_for_partition_) return true;
  const ColumnStatistics& stats = manifest.partition_stats;
  Result<Scalars> min = DecodeBinaryRow(stats.min_values, partition_types_);
  Result<Scalars> max = DecodeBinaryRow(stats.max_values, partition_types_);
  if (!min.ok() || !max.ok()) return true;
  std::vector<std::optional<int64_t>> null_counts;
  if (stats.null_counts) null_counts = *stats.null_counts;
  int64_t entries = 0;
  if (__builtin_add_overflow(manifest.num_added_files, manifest.num_deleted_files, &entries)) return true;
  return MayMatchPartition(*min, *max, null_counts, entries);
}

Result<bool> SplitPruning::MayHoldPartition(std::string_view partition) const {
  if (!asks_for_partition_) return true;
  std::string key(partition);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = partition_answers_.find(key);
    if (found != partition_answers_.end()) return found->second;
  }
  ARROW_ASSIGN_OR_RAISE(Scalars values, DecodeBinaryRow(partition, partition_types_));
  std::vector<std::optional<int64_t>> null_counts;
  for (const auto& value : values) null_counts.emplace_back(value->is_valid ? 0 : 1);
  bool answer = MayMatchPartition(values, values, null_counts, 1);
  std::lock_guard<std::mutex> lock(mutex_);
  partition_answers_.emplace(std::move(key), answer);
  return answer;
}

bool SplitPruning::IsPartitionKey(std::string_view column) const {
  return PositionOf(schema_->partition_keys, column) >= 0;
}

std::optional<ColumnRange> SplitPruning::PartitionRange(std::string_view key, std::string_view partition,
                                                        int64_t row_count) const {
  const int at = PositionOf(schema_->partition_keys, key);
  Result<Scalars> values = DecodeBinaryRow(partition, partition_types_);
  if (at < 0 || !values.ok()) return std::nullopt;
  ColumnRange range;
  range.row_count = row_count;
  range.min = range.max = KnownOrNull((*values)[static_cast<size_t>(at)]);
  range.null_count = range.min == nullptr ? row_count : 0;
  return range;
}

Result<bool> SplitPruning::MayHoldRows(const Split& split, SchemaStore& schemas) const {
  if (other_columns_.empty()) return true;
  ARROW_ASSIGN_OR_RAISE(SplitColumns columns, SplitColumns::Of(split, schemas));
  Status failure;
  bool may_match = MayMatch(predicate_, [&](std::string_view column) -> std::optional<ColumnRange> {
    if (column == kRowIdColumn) {
      return RowIdColumnRange({split.first_row_id, split.first_row_id + split.row_count - 1});
    }
    ColumnRange range;
    range.row_count = split.row_count;
    if (IsPartitionKey(column)) return PartitionRange(column, split.partition, split.row_count);
    const DataField* field = schema_->FindField(column);
    if (field == nullptr || schema_->StorageOf(*field) != ColumnStorage::kNormal) return std::nullopt;
    std::optional<ColumnProvider> provider = columns.NewestNormal(field->id);
    if (!provider) {
      range.null_count = split.row_count;  // No file has the column: every row is NULL in it.
      return range;
    }
    if (!(provider->type.WithNullable(true) == field->type.WithNullable(true))) return std::nullopt;
    const DataFile& file = provider->entry->file;
    Result<std::shared_ptr<const TableSchema>> schema = schemas.Load(file.schema_id);
    if (!schema.ok()) {
      failure &= schema.status();
      return std::nullopt;
    }
    // Statistics that cannot be read say nothing: they only ever save work.
    Result<std::optional<StatisticsOfColumn>> known = StatisticsOf(file, **schema, provider->name);
    if (!known.ok() || !*known) return std::nullopt;
    range.min = KnownOrNull((*known)->min);
    range.max = KnownOrNull((*known)->max);
    range.null_count = (*known)->null_count;
    return range;
  });
  ARROW_RETURN_NOT_OK(failure);
  return may_match;
}

}  // namespace reelhouse
