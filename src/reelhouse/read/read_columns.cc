#include "reelhouse/read/read_columns.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <arrow/type.h>

#include "reelhouse/base/text.h"

namespace reelhouse {
namespace {

constexpr std::string_view kDescriptorFields = "blob-descriptor-field";
constexpr std::string_view kDescriptorFieldsOldKey = "blob.stored-descriptor-fields";

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<ReadColumn> ColumnNamed(const TableSchema& schema, const std::string& name, bool blob_as_descriptor) {
  ReadColumn column;
  if (name == kRowIdColumn || name == kSequenceNumberColumn) {
    const bool is_row_id = name == kRowIdColumn;
    column.kind = is_row_id ? ReadColumn::Kind::kRowId : ReadColumn::Kind::kSequenceNumber;
    column.field.id = is_row_id ? kRowIdFieldId : kSequenceNumberFieldId;
    column.field.name = name;
    column.field.type = DataType(TypeRoot::kBigInt, /*nullable=*/false);
    return column;
  }
  const DataField* field = schema.FindField(name);
  if (field == nullptr) {
    std::string nearest = NearestName(name, schema.FieldNames());
    return Status::Invalid("there is no column ", QuoteForError(name),
                           nearest.empty() ? std::string() : "; did you mean " + QuoteForError(nearest) + "?");
  }
  column.field = *field;
  column.storage = schema.StorageOf(*field);
  auto key = std::find(schema.partition_keys.begin(), schema.partition_keys.end(), name);
  if (key != schema.partition_keys.end()) {
    column.kind = ReadColumn::Kind::kPartitionKey;
    column.partition_key = static_cast<int>(key - schema.partition_keys.begin());
  }
  if (blob_as_descriptor) return column;
  if (column.storage == ColumnStorage::kBlob) {
    column.content = ReadColumn::Content::kPayload;
  } else if (column.storage == ColumnStorage::kNormal && field->type.IsScalarBlob() &&
             (Contains(schema.options.GetList(kDescriptorFields), name) ||
              Contains(schema.options.GetList(kDescriptorFieldsOldKey), name))) {
    column.content = ReadColumn::Content::kReferencedPayload;
  }
  return column;
}

}  // namespace

Result<ReadColumns> ReadColumns::Of(const TableSchema& schema, const std::vector<std::string>& result_columns,
                                    const Predicate& predicate, bool blob_as_descriptor) {
  ReadColumns result;
  std::unordered_map<std::string, size_t> place_of;
  auto place = [&](const std::string& name) -> Result<size_t> {
    auto found = place_of.find(name);
    if (found != place_of.end()) return found->second;
    ARROW_ASSIGN_OR_RAISE(ReadColumn column, ColumnNamed(schema, name, blob_as_descriptor));
    result.columns.push_back(std::move(column));
    place_of.emplace(name, result.columns.size() - 1);
    return result.columns.size() - 1;
  };
  if (!predicate.IsAlwaysTrue()) {
    for (const std::string& name : predicate.Columns()) {
      ARROW_ASSIGN_OR_RAISE(size_t at, place(name));
      result.of_filter.push_back(at);
    }
  }
  for (const std::string& name : result_columns) {
    ARROW_ASSIGN_OR_RAISE(size_t at, place(name));
    result.of_result.push_back(at);
  }
  auto schema_of = [&result](const std::vector<size_t>& places) {
    arrow::FieldVector fields;
    for (size_t at : places) fields.push_back(ToArrowField(result.columns[at].field));
    return arrow::schema(std::move(fields));
  };
  result.filter_schema = schema_of(result.of_filter);
  result.result_schema = schema_of(result.of_result);
  return result;
}

}  // namespace reelhouse
