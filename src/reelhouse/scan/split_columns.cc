#include "reelhouse/scan/split_columns.h"

#include <algorithm>
#include <memory>

namespace reelhouse {
namespace {

const DataField* Find(const std::vector<DataField>& columns, int32_t field_id) {
  for (const DataField& column : columns) {
    if (column.id == field_id) return &column;
  }
  return nullptr;
}

}  // namespace

Result<SplitColumns> SplitColumns::Of(const Split& split, SchemaStore& schemas) {
  SplitColumns result;
  auto add = [&schemas](const ManifestEntry& entry, std::vector<FileColumns>* to) -> Status {
    Result<std::shared_ptr<const TableSchema>> schema = schemas.Load(entry.file.schema_id);
    if (!schema.ok()) return Prefixed(entry.file.file_name, schema.status());
    to->push_back({&entry, entry.file.kind(), ColumnsOfFile(entry.file, **schema)});
    return Status::OK();
  };
  for (const ManifestEntry& entry : split.normal_files) ARROW_RETURN_NOT_OK(add(entry, &result.normal_files_));
  for (const ManifestEntry& entry : split.sidecars) ARROW_RETURN_NOT_OK(add(entry, &result.sidecars_));
  return result;
}

std::optional<ColumnProvider> SplitColumns::NewestNormal(int32_t field_id) const {
  std::optional<ColumnProvider> newest;
  for (const FileColumns& file : normal_files_) {
    const DataField* column = Find(file.columns, field_id);
    if (column == nullptr) continue;
    if (newest && newest->entry->file.max_sequence_number >= file.entry->file.max_sequence_number) continue;
    newest = ColumnProvider{file.entry, column->name, column->type};
  }
  return newest;
}

std::vector<ColumnProvider> SplitColumns::Sidecars(int32_t field_id, std::initializer_list<DataFileKind> kinds) const {
  std::vector<ColumnProvider> providers;
  for (const FileColumns& file : sidecars_) {
    if (std::find(kinds.begin(), kinds.end(), file.kind) == kinds.end()) continue;
    const DataField* column = Find(file.columns, field_id);
    if (column != nullptr) providers.push_back({file.entry, column->name, column->type});
  }
  std::stable_sort(providers.begin(), providers.end(), [](const ColumnProvider& a, const ColumnProvider& b) {
    return a.entry->file.max_sequence_number > b.entry->file.max_sequence_number;
  });
  return providers;
}

}  // namespace reelhouse
