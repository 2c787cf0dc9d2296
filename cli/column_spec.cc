#include "cli/column_spec.h"

#include <utility>

#include <arrow/type.h>
#include <nlohmann/json.hpp>

#include "reelhouse/base/text.h"
#include "reelhouse/schema/type_json.h"

namespace reelhouse::cli {

namespace {

/// The pieces of `text` between commas that are in no bracket and no backticks.
Result<std::vector<std::string_view>> SplitColumns(std::string_view text) {
  std::vector<std::string_view> pieces;
  std::string open;  // brackets that wait for their other half
  bool in_name = false;
  size_t begin = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '`') in_name = !in_name;
    if (in_name) continue;
    if (c == '<' || c == '(') open += c == '<' ? '>' : ')';
    if (c == '>' || c == ')') {
      if (open.empty() || open.back() != c) {
        return Status::Invalid("schema: position ", at + 1, ": '", std::string(1, c), "' closes nothing");
      }
      open.pop_back();
    }
    if (c == ',' && open.empty()) {
      pieces.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    }
  }
  if (in_name) return Status::Invalid("schema: a backtick is not closed");
  if (!open.empty()) return Status::Invalid("schema: expected '", std::string(1, open.back()), "', found the end");
  pieces.push_back(text.substr(begin));
  return pieces;
}

Result<DataField> ParseColumn(std::string_view text) {
  text = TrimmedView(text);
  DataField field;
  size_t name_end = 0;
  if (text.starts_with('`')) {
    name_end = text.find('`', 1);
    field.name = text.substr(1, name_end - 1);
    ++name_end;
  } else {
    name_end = text.find_first_of(" \t\n:");
    field.name = text.substr(0, name_end);
  }
  std::string_view type = name_end >= text.size() ? std::string_view() : TrimmedView(text.substr(name_end));
  if (type.starts_with(':')) type = TrimmedView(type.substr(1));
  if (field.name.empty()) return Status::Invalid("schema: expected a column `name type`, found ", QuoteForError(text));
  if (type.empty()) {
    return Status::Invalid("schema: column ", QuoteForError(field.name), ": expected a type behind the name, as in ",
                           "`", field.name, " bigint`");
  }
  Result<DataType> parsed = DataType::FromText(type);
  if (!parsed.ok()) return Prefixed("schema: column " + QuoteForError(field.name), parsed.status());
  field.type = std::move(parsed).ValueUnsafe();
  return field;
}

/// Types as text in any spelling, or the objects of schema files.
Result<DataType> TypeOfJson(const nlohmann::ordered_json& json) {
  if (json.is_string()) return DataType::FromText(json.get<std::string>());
  return DataTypeFromJson(nlohmann::json::parse(json.dump()));
}

Result<DataField> FieldOfJson(const nlohmann::ordered_json& json) {
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string() || !json.contains("type")) {
    return Status::Invalid("fields: expected objects with \"name\" and \"type\"");
  }
  DataField field;
  field.name = json["name"].get<std::string>();
  Result<DataType> type = TypeOfJson(json["type"]);
  if (!type.ok()) return Prefixed("column " + QuoteForError(field.name), type.status());
  field.type = std::move(type).ValueUnsafe();
  if (json.contains("description") && json["description"].is_string()) {
    field.description = json["description"].get<std::string>();
  }
  return field;
}

Status ReadSchemaObject(const nlohmann::ordered_json& json, TableSpec* spec) {
  for (const auto& member : json["fields"]) {
    ARROW_ASSIGN_OR_RAISE(DataField field, FieldOfJson(member));
    spec->fields.push_back(std::move(field));
  }
  for (const auto& key : json.value("partitionKeys", nlohmann::ordered_json::array())) {
    if (!key.is_string()) return Status::Invalid("partitionKeys: expected texts");
    spec->partition_keys.push_back(key.get<std::string>());
  }
  const nlohmann::ordered_json options = json.value("options", nlohmann::ordered_json::object());
  for (const auto& [key, value] : options.items()) {
    spec->options[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  if (json.contains("comment") && json["comment"].is_string() && !json["comment"].get<std::string>().empty()) {
    spec->comment = json["comment"].get<std::string>();
  }
  return Status::OK();
}

Status ReadFlatObject(const nlohmann::ordered_json& json, TableSpec* spec) {
  for (const auto& [name, value] : json.items()) {
    Result<DataType> type = TypeOfJson(value);
    if (!type.ok()) return Prefixed("column " + QuoteForError(name), type.status());
    DataField field;
    field.name = name;
    field.type = std::move(type).ValueUnsafe();
    spec->fields.push_back(std::move(field));
  }
  return Status::OK();
}

/// The type with NOT NULL keys in its maps: in Arrow a key cannot be NULL, so that is all that can be stored.
DataType WithStoredKeys(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kArray:
      return DataType::Array(WithStoredKeys(type.children()[0]), type.nullable());
    case TypeRoot::kMap:
      return DataType::Map(WithStoredKeys(type.children()[0]).WithNullable(false), WithStoredKeys(type.children()[1]),
                           type.nullable());
    case TypeRoot::kRow: {
      std::vector<DataField> members = type.fields();
      for (DataField& member : members) member.type = WithStoredKeys(member.type);
      return DataType::Row(std::move(members), type.nullable());
    }
    default:
      return type;
  }
}

}  // namespace

Result<std::vector<DataField>> ParseColumns(std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string_view> pieces, SplitColumns(text));
  std::vector<DataField> fields;
  for (const std::string_view piece : pieces) {
    ARROW_ASSIGN_OR_RAISE(DataField field, ParseColumn(piece));
    fields.push_back(std::move(field));
  }
  return fields;
}

Result<TableSpec> ParseSchemaJson(std::string_view text, std::string_view path) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Status::Invalid(path, ": expected a JSON object that describes columns");
  TableSpec spec;
  const bool is_schema_file = json.contains("fields") && json["fields"].is_array();
  ARROW_RETURN_NOT_OK(Prefixed(path, is_schema_file ? ReadSchemaObject(json, &spec) : ReadFlatObject(json, &spec)));
  return spec;
}

Status CheckStorable(const std::vector<DataField>& fields) {
  for (const DataField& field : fields) {
    ARROW_ASSIGN_OR_RAISE(DataType stored,
                          DataType::FromArrow(*field.type.ToArrow(), field.type.nullable(), /*next_id=*/nullptr));
    // Ids of ROW members are given later and are no part of the comparison.
    if (stored.ToText() != WithStoredKeys(field.type).ToText()) {
      return Status::Invalid("schema: column ", QuoteForError(field.name), ": ", field.type.ToText(),
                             " would be stored as ", stored.ToText(), "; write ", stored.ToText());
    }
  }
  return Status::OK();
}

}  // namespace reelhouse::cli
