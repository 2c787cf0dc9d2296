#include "reelhouse/schema/table_schema.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <arrow/util/utf8.h>
#include <nlohmann/json.hpp>

#include "reelhouse/base/json_object.h"
#include "reelhouse/base/text.h"
#include "reelhouse/schema/type_json.h"

namespace reelhouse {
namespace {

constexpr std::string_view kVideoFields = "video-frame-field";
constexpr std::string_view kDescriptorFields = "blob-descriptor-field";
constexpr std::string_view kOldDescriptorFields = "blob.stored-descriptor-fields";
constexpr std::string_view kViewFields = "blob-view-field";
constexpr std::string_view kBlobFields = "blob-field";
constexpr std::string_view kVectorFormat = "vector.file.format";

// Field ids from here up belong to system columns (format notes, 1.3).
constexpr int32_t kFirstSystemFieldId = 1073741823;

constexpr std::string_view kReservedNames[] = {kRowIdColumn, kSequenceNumberColumn, "_VALUE_KIND", "_LEVEL"};
constexpr std::string_view kReservedPrefix = "_KEY_";

// Names as pypaimon prints a list of them, which callers match: ['a', 'b'].
std::string PrintedList(const std::vector<std::string>& names) {
  std::string text = "[";
  for (const std::string& name : names) {
    if (text.size() > 1) text += ", ";
    text += "'" + name + "'";
  }
  return text + "]";
}

bool IsAmong(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> DescriptorFields(const Options& options) {
  return options.GetList(options.contains(kDescriptorFields) ? kDescriptorFields : kOldDescriptorFields);
}

std::vector<std::string> CommonNames(const std::vector<std::string>& names, const std::vector<std::string>& others) {
  std::set<std::string> common;
  for (const std::string& name : names) {
    if (IsAmong(others, name)) common.insert(name);
  }
  return {common.begin(), common.end()};
}

// The names for which `is_right(type)` does not hold, or that are no column; sorted, as pypaimon lists them.
template <typename Predicate>
std::vector<std::string> WrongColumns(const TableSchema& schema, const std::vector<std::string>& names,
                                      Predicate is_right) {
  std::set<std::string> wrong;
  for (const std::string& name : names) {
    const DataField* field = schema.FindField(name);
    if (field == nullptr || !is_right(field->type)) wrong.insert(name);
  }
  return {wrong.begin(), wrong.end()};
}

bool IsUtf8(const std::string& text) {
  arrow::util::InitializeUTF8();
  return arrow::util::ValidateUTF8(text);
}

Status ValidateNames(const TableSchema& schema) {
  std::set<std::string_view> seen;
  std::set<int32_t> ids;
  for (const DataField& field : schema.fields) {
    if (field.name.empty()) return Status::Invalid("a column has an empty name");
    if (!IsUtf8(field.name)) return Status::Invalid("column ", QuoteForError(field.name), ": the name is not UTF-8");
    if (!seen.insert(field.name).second) {
      return Status::Invalid("column '", field.name, "' occurs more than once; column names must be unique");
    }
    for (std::string_view reserved : kReservedNames) {
      if (field.name == reserved)
        return Status::Invalid("column name '", reserved, "' is reserved for a system column");
    }
    if (std::string_view(field.name).starts_with(kReservedPrefix)) {
      return Status::Invalid("column name '", field.name, "' begins with ", kReservedPrefix,
                             ", which is reserved for system columns");
    }
    if (field.id >= kFirstSystemFieldId) {
      return Status::Invalid("column '", field.name, "': field id ", field.id, " is reserved for system columns");
    }
    if (!ids.insert(field.id).second) {
      return Status::Invalid("column '", field.name, "': field id ", field.id, " is given twice");
    }
  }
  return Status::OK();
}

Status ValidateBlobTypes(const TableSchema& schema) {
  bool has_blob = false, has_other = false;
  for (const DataField& field : schema.fields) {
    if (field.type.HasUnsupportedBlob()) {
      return Status::Invalid("Field '", field.name, "' has unsupported nested BLOB type ", field.type.ToText(),
                             ". BLOB is only supported as a top-level BLOB, ARRAY<BLOB>, or MAP<X, BLOB> field.");
    }
    (field.type.IsBlobLike() ? has_blob : has_other) = true;
  }
  if (!has_blob) return Status::OK();
  std::string missing;
  for (std::string_view key : {"row-tracking.enabled", "data-evolution.enabled"}) {
    if (schema.options.GetText(key, "") == "true") continue;
    if (!missing.empty()) missing += ", ";
    missing += std::string(key) + "='true'";
  }
  if (!missing.empty()) {
    return Status::Invalid("Schema contains BLOB, ARRAY<BLOB> or MAP<X, BLOB> type but is missing required options: ",
                           missing, ". Please add these options to the schema.");
  }
  if (!schema.primary_keys.empty()) {
    return Status::Invalid("Table with BLOB, ARRAY<BLOB> or MAP<X, BLOB> type column cannot have primary keys, found ",
                           PrintedList(schema.primary_keys), ".");
  }
  if (!has_other) {
    return Status::Invalid("Table with BLOB, ARRAY<BLOB> or MAP<X, BLOB> type column must have other normal columns.");
  }
  return Status::OK();
}

Status ValidateBlobOptions(const TableSchema& schema) {
  for (const std::string& name : schema.options.GetList(kBlobFields)) {
    const DataField* field = schema.FindField(name);
    if (field == nullptr || !field->type.IsBlobLike()) {
      return Status::Invalid("Field '", name,
                             "' in 'blob-field' must be a BLOB, ARRAY<BLOB> or MAP<X, BLOB> field in table schema.");
    }
  }
  const std::vector<std::string> descriptors = DescriptorFields(schema.options);
  const std::vector<std::string> views = schema.options.GetList(kViewFields);
  std::vector<std::string> inlined = descriptors;
  inlined.insert(inlined.end(), views.begin(), views.end());
  auto wrong = WrongColumns(schema, inlined, [](const DataType& type) { return type.IsBlobLike(); });
  if (!wrong.empty()) {
    return Status::Invalid(
        "Fields in 'blob-descriptor-field' or 'blob-view-field' must be blob fields in schema. Non-BLOB fields: ",
        PrintedList(wrong));
  }
  wrong = WrongColumns(schema, inlined, [](const DataType& type) { return type.IsScalarBlob(); });
  if (!wrong.empty()) {
    return Status::Invalid(
        "ARRAY<BLOB> and MAP<X, BLOB> are only supported by 'blob-field'. Invalid inline blob fields: ",
        PrintedList(wrong));
  }
  const std::vector<std::string> twice = CommonNames(descriptors, views);
  if (!twice.empty()) {
    return Status::Invalid("Fields in 'blob-descriptor-field' and 'blob-view-field' must not overlap. ",
                           "Overlapping fields: ", PrintedList(twice));
  }
  const std::vector<std::string> videos = schema.options.GetList(kVideoFields);
  wrong = WrongColumns(schema, videos, [](const DataType& type) { return type.IsScalarBlob(); });
  if (!wrong.empty()) {
    return Status::Invalid("Fields in 'video-frame-field' must be scalar BLOB fields in schema. Invalid fields: ",
                           PrintedList(wrong));
  }
  const std::vector<std::string> both = CommonNames(videos, inlined);
  if (!both.empty()) {
    return Status::Invalid(
        "Fields in 'video-frame-field' must not also use descriptor-only or blob-view storage. Overlapping fields: ",
        PrintedList(both));
  }
  return Status::OK();
}

Status ValidatePartitionKeys(const TableSchema& schema) {
  std::set<std::string_view> seen;
  for (const std::string& key : schema.partition_keys) {
    const DataField* field = schema.FindField(key);
    if (field == nullptr) {
      return Status::Invalid("partition key '", key, "' is not a column; the columns are ",
                             PrintedList(schema.FieldNames()));
    }
    if (!seen.insert(key).second) return Status::Invalid("partition key '", key, "' is given twice");
    if (field->type.IsBlobLike()) {
      return Status::Invalid(
          "The BLOB, ARRAY<BLOB> or MAP<X, BLOB> type column can not be part of partition keys, found '", key, "'.");
    }
    if (field->type.root() == TypeRoot::kVector) {
      return Status::Invalid("The vector-store columns can not be part of partition keys, found '", key, "'.");
    }
    if (!field->type.IsAtomic() || field->type.root() == TypeRoot::kVariant) {
      return Status::Invalid("partition key '", key, "': expected an atomic type, found ", field->type.ToText());
    }
  }
  return Status::OK();
}

int64_t NowMillis() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// What older writers left out (format notes, 1.3).
void SetDefaultsOfOldVersions(TableSchema* schema) {
  if (schema->version <= 1 && !schema->options.contains("bucket")) schema->options.Set("bucket", "1");
  if (schema->version <= 2 && !schema->options.contains("file.format")) schema->options.Set("file.format", "orc");
}

}  // namespace

Result<TableSchema> TableSchema::FromJsonText(std::string_view text, std::string_view path) {
  ARROW_ASSIGN_OR_RAISE(JsonObject json, JsonObject::Parse(text, path));
  TableSchema schema;
  schema.version = 1;
  if (json.Find("version") != nullptr) {
    ARROW_ASSIGN_OR_RAISE(schema.version, json.Int32("version"));
  }
  ARROW_ASSIGN_OR_RAISE(schema.id, json.Int64("id"));
  const nlohmann::json* fields = json.Find("fields");
  if (fields == nullptr || !fields->is_array()) return json.Corrupt("fields", "expected a list of fields");
  schema.fields.reserve(fields->size());
  for (const nlohmann::json& member : *fields) {
    Result<DataField> field = DataFieldFromJson(member);
    if (!field.ok()) {
      return json.Corrupt("fields[" + std::to_string(schema.fields.size()) + "]", field.status().message());
    }
    schema.fields.push_back(*std::move(field));
  }
  ARROW_ASSIGN_OR_RAISE(schema.highest_field_id, json.Int32("highestFieldId"));
  ARROW_ASSIGN_OR_RAISE(schema.partition_keys, json.TextList("partitionKeys"));
  ARROW_ASSIGN_OR_RAISE(schema.primary_keys, json.TextList("primaryKeys"));
  ARROW_ASSIGN_OR_RAISE(auto options, json.TextMap("options"));
  schema.options = Options(std::move(options));
  ARROW_ASSIGN_OR_RAISE(schema.comment, json.FindText("comment"));
  ARROW_ASSIGN_OR_RAISE(std::optional<int64_t> time_millis, json.FindInt64("timeMillis"));
  schema.time_millis = time_millis.value_or(0);
  SetDefaultsOfOldVersions(&schema);
  return schema;
}

std::string TableSchema::ToJsonText() const {
  nlohmann::ordered_json json;
  json["version"] = version;
  json["id"] = id;
  json["fields"] = nlohmann::ordered_json::array();
  for (const DataField& field : fields) json["fields"].push_back(DataFieldToJson(field));
  json["highestFieldId"] = highest_field_id;
  json["partitionKeys"] = partition_keys;
  json["primaryKeys"] = primary_keys;
  json["options"] = nlohmann::ordered_json::object();
  for (const auto& [key, value] : options.values()) json["options"][key] = value;
  json["comment"] = nullptr;
  if (comment) json["comment"] = *comment;
  json["timeMillis"] = time_millis;
  // Bytes that are no UTF-8 would make the library throw; option values are the only place left for them.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<TableSchema> TableSchema::Make(const arrow::Schema& schema, std::vector<std::string> partition_keys,
                                      Options options, std::optional<std::string> comment) {
  TableSchema made;
  int32_t next_id = 0;
  made.fields.reserve(schema.fields().size());
  for (const std::shared_ptr<arrow::Field>& column : schema.fields()) {
    DataField field;
    field.id = next_id++;
    field.name = column->name();
    Result<DataType> type = DataType::FromArrow(*column->type(), column->nullable(), &next_id);
    if (!type.ok()) return type.status().WithMessage(type.status().message(), " (column '", field.name, "')");
    field.type = *std::move(type);
    if (column->metadata() != nullptr) {
      auto description = column->metadata()->Get("description");
      if (description.ok()) field.description = *std::move(description);
    }
    made.fields.push_back(std::move(field));
  }
  made.highest_field_id = next_id - 1;
  made.partition_keys = std::move(partition_keys);
  made.options = std::move(options);
  made.comment = std::move(comment);
  made.time_millis = NowMillis();
  ARROW_RETURN_NOT_OK(made.Validate());
  return made;
}

Status TableSchema::Validate() const {
  if (fields.empty()) return Status::Invalid("a table needs at least one column, found none");
  ARROW_RETURN_NOT_OK(ValidateNames(*this));
  ARROW_RETURN_NOT_OK(ValidateBlobTypes(*this));
  ARROW_RETURN_NOT_OK(ValidateBlobOptions(*this));
  bool has_vector = false, has_normal = false;
  for (const DataField& field : fields) {
    const ColumnStorage storage = StorageOf(field);
    has_vector = has_vector || storage == ColumnStorage::kVector;
    has_normal = has_normal || storage == ColumnStorage::kNormal;
  }
  if (has_vector && !has_normal) {
    return Status::Invalid("Table with VECTOR type column must have other normal columns.");
  }
  return ValidatePartitionKeys(*this);
}

const DataField* TableSchema::FindField(std::string_view name) const {
  for (const DataField& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

const DataField* TableSchema::FindFieldById(int32_t field_id) const {
  for (const DataField& field : fields) {
    if (field.id == field_id) return &field;
  }
  return nullptr;
}

int TableSchema::FieldIndex(std::string_view name) const {
  const DataField* field = FindField(name);
  return field == nullptr ? -1 : static_cast<int>(field - fields.data());
}

std::vector<std::string> TableSchema::FieldNames() const {
  std::vector<std::string> names;
  names.reserve(fields.size());
  for (const DataField& field : fields) names.push_back(field.name);
  return names;
}

std::vector<DataField> TableSchema::PartitionFields() const {
  std::vector<DataField> found;
  found.reserve(partition_keys.size());
  for (const std::string& key : partition_keys) {
    const DataField* field = FindField(key);
    if (field != nullptr) found.push_back(*field);
  }
  return found;
}

ColumnStorage TableSchema::StorageOf(const DataField& field) const {
  if (field.type.root() == TypeRoot::kVector) {
    return options.contains(kVectorFormat) ? ColumnStorage::kVector : ColumnStorage::kNormal;
  }
  if (!field.type.IsBlobLike()) return ColumnStorage::kNormal;
  if (IsAmong(options.GetList(kVideoFields), field.name)) return ColumnStorage::kVideo;
  if (IsAmong(DescriptorFields(options), field.name)) return ColumnStorage::kNormal;
  if (IsAmong(options.GetList(kViewFields), field.name)) return ColumnStorage::kNormal;
  return ColumnStorage::kBlob;
}

std::vector<std::string> TableSchema::VideoColumns() const {
  const std::vector<std::string> videos = options.GetList(kVideoFields);
  std::vector<std::string> names;
  for (const DataField& field : fields) {
    if (IsAmong(videos, field.name)) names.push_back(field.name);
  }
  return names;
}

bool TableSchema::HasSidecars() const {
  return std::any_of(fields.begin(), fields.end(),
                     [&](const DataField& field) { return StorageOf(field) != ColumnStorage::kNormal; });
}

std::shared_ptr<arrow::Schema> TableSchema::ToArrow() const {
  arrow::FieldVector columns;
  columns.reserve(fields.size());
  for (const DataField& field : fields) columns.push_back(ToArrowField(field));
  return arrow::schema(std::move(columns));
}

}  // namespace reelhouse
