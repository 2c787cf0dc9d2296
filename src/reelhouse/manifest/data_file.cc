#include "reelhouse/manifest/data_file.h"

namespace reelhouse {
namespace {

constexpr char kWriteColsOptimization[] = "data-evolution.write-cols-optimization.enabled";

DataField SystemField(std::string_view name) {
  DataField field;
  field.id = name == kRowIdColumn ? kRowIdFieldId : kSequenceNumberFieldId;
  field.name = name;
  field.type = DataType(TypeRoot::kBigInt);
  return field;
}

}  // namespace

DataFileKind KindOfFile(std::string_view file_name) {
  if (file_name.ends_with(".blob")) return DataFileKind::kBlob;
  if (file_name.ends_with(".video")) return DataFileKind::kVideo;
  if (file_name.find(".vector.") != std::string_view::npos) return DataFileKind::kVector;
  return DataFileKind::kNormal;
}

std::vector<DataField> ColumnsOfFile(const DataFile& file, const TableSchema& file_schema) {
  std::vector<DataField> columns;
  if (file.write_cols) {
    for (const std::string& name : *file.write_cols) {
      if (const DataField* field = file_schema.FindField(name)) {
        columns.push_back(*field);
      } else if (name == kRowIdColumn || name == kSequenceNumberColumn) {
        columns.push_back(SystemField(name));
      }
      // Other names are columns that no schema can name; nobody can ask for them.
    }
    return columns;
  }
  // The option of the schema that the file was written with, not of the newest one. A value that does not parse is
  // as good as none: the writer of the file refused it or did not know it.
  const bool without_dedicated = file_schema.options.GetBool(kWriteColsOptimization, false).ValueOr(false);
  for (const DataField& field : file_schema.fields) {
    if (without_dedicated && file_schema.StorageOf(field) != ColumnStorage::kNormal) continue;
    columns.push_back(field);
  }
  return columns;
}

}  // namespace reelhouse
