#include "reelhouse/scan/outline_pruning.h"

#include <algorithm>
#include <utility>

#include <arrow/scalar.h>

#include "reelhouse/manifest/binary_row.h"
#include "reelhouse/manifest/statistics.h"

namespace reelhouse {
namespace {

/// Whether `op value` fails for all of [min, max].
template <typename T>
bool FailsBetween(const T& min, const T& max, CompareOp op, const T& value) {
  if (max < min) return false;  // Bounds that contradict each other say nothing.
  switch (op) {
    case CompareOp::kEqual:
      return value < min || max < value;
    case CompareOp::kNotEqual:
      return false;
    case CompareOp::kLess:
      return !(min < value);
    case CompareOp::kLessEqual:
      return value < min;
    case CompareOp::kGreater:
      return !(value < max);
    case CompareOp::kGreaterEqual:
      return max < value;
  }
  return false;
}

bool IsText(TypeRoot root) {
  return root == TypeRoot::kChar || root == TypeRoot::kVarChar || root == TypeRoot::kBinary ||
         root == TypeRoot::kVarBinary;
}

}  // namespace

OutlinePruning::OutlinePruning(const SplitPruning& pruning, SchemaStore& schemas)
    : pruning_(pruning), schemas_(schemas) {
  AddTerms(pruning_.predicate().root());
}

void OutlinePruning::AddTerms(const Predicate::Node& node) {
  if (const auto* all = std::get_if<Conjunction>(&node.value)) {
    for (const NodePtr& term : all->terms) AddTerms(*term);
    return;
  }
  const auto* comparison = std::get_if<Comparison>(&node.value);
  if (comparison == nullptr) return;
  const std::vector<std::string>& columns = pruning_.value_columns();
  const auto column = std::find(columns.begin(), columns.end(), comparison->column.name);
  if (column == columns.end()) return;
  Term term{.column = static_cast<size_t>(column - columns.begin()), .op = comparison->op, .number = {}, .text = {}};
  if (const auto* number = std::get_if<ExactNumber>(&comparison->literal)) {
    const int64_t narrow = static_cast<int64_t>(number->units);
    if (number->scale != 0 || Int128{narrow} != number->units) return;
    term.number = narrow;
  } else if (const auto* text = std::get_if<std::string>(&comparison->literal)) {
    term.text = *text;
  } else {
    return;
  }
  terms_.push_back(term);
}

bool OutlinePruning::FailsEverywhere(const Term& term, const Place& place, const DataFileOutline::Statistics& stats) {
  if (place.kind != Place::Kind::kStatistics) return false;
  if (term.number) {
    const auto min = IntegerOfBinaryRow(stats.min_values, place.position, place.type.root());
    const auto max = IntegerOfBinaryRow(stats.max_values, place.position, place.type.root());
    return min && max && FailsBetween(*min, *max, term.op, *term.number);
  }
  if (!IsText(place.type.root())) return false;
  const auto min = BytesOfBinaryRow(stats.min_values, place.position);
  const auto max = BytesOfBinaryRow(stats.max_values, place.position);
  return min && max && FailsBetween(*min, *max, term.op, term.text);
}

Result<bool> OutlinePruning::MayHoldRows(const UnpackedManifest& manifest, const EntryOutline& outline,
                                         RowIdRange range) {
  ARROW_ASSIGN_OR_RAISE(const Places* places, PlacesOf(manifest, outline));
  const DataFileOutline& file = outline.file;
  for (const Term& term : terms_) {
    if (FailsEverywhere(term, (*places)[term.column], file.value_stats)) return false;
  }
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
