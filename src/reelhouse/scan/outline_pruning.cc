#include "reelhouse/scan/outline_pruning.h"

#include <algorithm>
#include <utility>

#include <arrow/scalar.h>

#include "reelhouse/manifest/binary_row.h"
#include "reelhouse/manifest/statistics.h"

namespace reelhouse {

Result<bool> OutlinePruning::MayHoldRows(const UnpackedManifest& manifest, const EntryOutline& outline,
                                         RowIdRange range) {
  ARROW_ASSIGN_OR_RAISE(const Places* places, PlacesOf(manifest, outline));
  const DataFileOutline& file = outline.file;
  const auto value = [](std::string_view row, const Place& place) -> std::shared_ptr<arrow::Scalar> {
    // Statistics that cannot be read say nothing: they only ever save work.
    Result<std::shared_ptr<arrow::Scalar>> scalar = DecodeBinaryRowField(row, place.position, place.type);
    return scalar.ok() && *scalar != nullptr && (*scalar)->is_valid ? *std::move(scalar) : nullptr;
  };
  return MayMatch(pruning_.predicate(), [&](std::string_view column) -> std::optional<ColumnRange> {
    if (column == kRowIdColumn) return RowIdColumnRange(range);
    if (pruning_.IsPartitionKey(column)) return pruning_.PartitionRange(column, outline.partition, file.row_count);
    const auto place = std::find_if(places->begin(), places->end(),
                                    [column](const Place& candidate) { return candidate.column == column; });
    if (place == places->end() || place->kind == Place::Kind::kUnknown) return std::nullopt;
    ColumnRange known;
    known.row_count = file.row_count;
    if (place->kind == Place::Kind::kNotThere) {
      known.null_count = file.row_count;  // No file has the column: every row is NULL in it.
      return known;
    }
    known.min = value(file.value_stats.min_values, *place);
    known.max = value(file.value_stats.max_values, *place);
    return known;
  });
}

Result<const OutlinePruning::Places*> OutlinePruning::PlacesOf(const UnpackedManifest& manifest,
                                                               const EntryOutline& outline) {
  const DataFileOutline& file = outline.file;
  // The writer's schema decides what the encoded lists mean.
  const ManifestDecoder* decoder = &manifest.decoder();
  key_.assign(reinterpret_cast<const char*>(&decoder), sizeof(decoder));
  key_.append(reinterpret_cast<const char*>(&file.schema_id), sizeof(file.schema_id));
  const size_t stats_cols_size = file.value_stats_cols.bytes.size();
  key_.append(reinterpret_cast<const char*>(&stats_cols_size), sizeof(stats_cols_size));
  key_.append(file.value_stats_cols.bytes).append(file.write_cols.bytes);
  const auto known = known_.find(key_);
  if (known != known_.end()) return &known->second;
  ARROW_ASSIGN_OR_RAISE(ManifestEntry entry, manifest.Entry(outline));
  ARROW_ASSIGN_OR_RAISE(Places places, FindPlaces(entry));
  return &known_.emplace(key_, std::move(places)).first->second;
}

Result<OutlinePruning::Places> OutlinePruning::FindPlaces(const ManifestEntry& entry) {
  const DataFile& file = entry.file;
  Result<std::shared_ptr<const TableSchema>> file_schema = schemas_.Load(file.schema_id);
  if (!file_schema.ok()) return Prefixed(file.file_name, file_schema.status());
  const std::vector<DataField> columns = ColumnsOfFile(file, **file_schema);
  const TableSchema& schema = pruning_.schema();
  Places places;
  for (const std::string& name : pruning_.value_columns()) {
    Place& place = places.emplace_back();
    place.column = name;
    const DataField* field = schema.FindField(name);
    if (field == nullptr || schema.StorageOf(*field) != ColumnStorage::kNormal) continue;
    const auto column =
        std::find_if(columns.begin(), columns.end(), [&](const DataField& each) { return each.id == field->id; });
    if (column == columns.end()) {
      place.kind = Place::Kind::kNotThere;
      continue;
    }
    const bool is_bound = column->type.IsAtomic() && !column->type.IsScalarBlob();
    if (!is_bound || !(column->type.WithNullable(true) == field->type.WithNullable(true))) continue;
    if (const std::optional<int32_t> position = StatisticsPosition(file, **file_schema, column->name)) {
      place.kind = Place::Kind::kStatistics;
      place.position = *position;
      place.type = column->type;
    }
  }
  return places;
}

}  // namespace reelhouse
