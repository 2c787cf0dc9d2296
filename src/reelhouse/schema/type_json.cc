#include "reelhouse/schema/type_json.h"

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "reelhouse/base/text.h"
#include "reelhouse/schema/type_text.h"

namespace reelhouse {
namespace {

// Deeper types than anybody writes; keeps a hostile file from exhausting the stack.
constexpr int kDeepestType = 64;

Result<DataType> TypeAt(const nlohmann::json& json, int depth);
Result<DataField> FieldAt(const nlohmann::json& json, int depth);

const nlohmann::json* Member(const nlohmann::json& object, std::string_view key) {
  auto member = object.find(key);
  return member == object.end() || member->is_null() ? nullptr : &*member;
}

Result<DataType> TypeMember(const nlohmann::json& object, std::string_view key, int depth) {
  const nlohmann::json* member = Member(object, key);
  if (member == nullptr) return Status::Invalid("a composite type has no key '", key, "'");
  return TypeAt(*member, depth + 1);
}

Result<int32_t> Int32Member(const nlohmann::json& object, std::string_view key, int32_t least) {
  const nlohmann::json* member = Member(object, key);
  // A number of the JSON library converts without a check, so the range is compared in its own type.
  if (member == nullptr || !member->is_number_integer() || *member < least ||
      *member > std::numeric_limits<int32_t>::max()) {
    return Status::Invalid("key '", key, "': expected an integer between ", least, " and ",
                           std::numeric_limits<int32_t>::max());
  }
  return member->get<int32_t>();
}

Result<std::optional<std::string>> TextMember(const nlohmann::json& object, std::string_view key) {
  const nlohmann::json* member = Member(object, key);
  if (member == nullptr) return std::nullopt;
  if (!member->is_string()) return Status::Invalid("key '", key, "': expected a text");
  return member->get<std::string>();
}

// Splits `ARRAY NOT NULL`; an ` NOT NULL` that is missing leaves the type nullable.
std::pair<std::string_view, bool> NameAndNullable(std::string_view text) {
  constexpr std::string_view kNotNull = " NOT NULL";
  text = TrimmedView(text);
  if (text.size() > kNotNull.size() && EqualsIgnoreCase(text.substr(text.size() - kNotNull.size()), kNotNull)) {
    return {TrimmedView(text.substr(0, text.size() - kNotNull.size())), false};
  }
  return {text, true};
}

Result<DataType> RowMember(const nlohmann::json& object, bool nullable, int depth) {
  const nlohmann::json* members = Member(object, "fields");
  if (members == nullptr || !members->is_array()) return Status::Invalid("a ROW has no list 'fields'");
  std::vector<DataField> fields;
  fields.reserve(members->size());
  for (const nlohmann::json& member : *members) {
    ARROW_ASSIGN_OR_RAISE(DataField field, FieldAt(member, depth + 1));
    fields.push_back(std::move(field));
  }
  return DataType::Row(std::move(fields), nullable);
}

Result<DataType> CompositeAt(const nlohmann::json& json, int depth) {
  ARROW_ASSIGN_OR_RAISE(std::optional<std::string> text, TextMember(json, "type"));
  if (!text) return Status::Invalid("a composite type has no key 'type'");
  auto [name, nullable] = NameAndNullable(*text);
  if (EqualsIgnoreCase(name, "ARRAY")) {
    ARROW_ASSIGN_OR_RAISE(DataType element, TypeMember(json, "element", depth));
    return DataType::Array(std::move(element), nullable);
  }
  if (EqualsIgnoreCase(name, "MULTISET")) {
    ARROW_ASSIGN_OR_RAISE(DataType element, TypeMember(json, "element", depth));
    return DataType::Multiset(std::move(element), nullable);
  }
  if (EqualsIgnoreCase(name, "VECTOR")) {
    ARROW_ASSIGN_OR_RAISE(DataType element, TypeMember(json, "element", depth));
    if (!IsVectorElement(element)) {
      return Status::Invalid("Invalid element type for vector: ", element.WithNullable(true).ToText());
    }
    ARROW_ASSIGN_OR_RAISE(int32_t length, Int32Member(json, "length", 1));
    return DataType::Vector(std::move(element), length, nullable);
  }
  if (EqualsIgnoreCase(name, "MAP")) {
    ARROW_ASSIGN_OR_RAISE(DataType key, TypeMember(json, "key", depth));
    ARROW_ASSIGN_OR_RAISE(DataType value, TypeMember(json, "value", depth));
    // The other composite types are told by the text alone; for MAP the key comes first.
    const nlohmann::json* nullable_key = Member(json, "nullable");
    if (nullable_key != nullptr && nullable_key->is_boolean()) nullable = nullable_key->get<bool>();
    return DataType::Map(std::move(key), std::move(value), nullable);
  }
  if (EqualsIgnoreCase(name, "ROW")) return RowMember(json, nullable, depth);
  return Status::Invalid("Unknown type: ", QuoteForError(*text));
}

Result<DataType> TypeAt(const nlohmann::json& json, int depth) {
  if (depth > kDeepestType) return Status::Invalid("a type is nested deeper than ", kDeepestType, " levels");
  if (json.is_object()) return CompositeAt(json, depth);
  if (!json.is_string()) return Status::Invalid("a type must be a text or an object");
  const std::string& text = json.get_ref<const std::string&>();
  ARROW_ASSIGN_OR_RAISE(DataType type, ParseTypeText(text));
  // Members of a ROW in a text would have no ids.
  if (!type.IsAtomic()) return Status::Invalid("type ", QuoteForError(text), " must be written as an object");
  return type;
}

Result<DataField> FieldAt(const nlohmann::json& json, int depth) {
  if (!json.is_object()) return Status::Invalid("a field must be an object");
  DataField field;
  ARROW_ASSIGN_OR_RAISE(std::optional<std::string> name, TextMember(json, "name"));
  if (!name) return Status::Invalid("a field has no key 'name'");
  field.name = *std::move(name);
  ARROW_ASSIGN_OR_RAISE(field.id, Int32Member(json, "id", 0));
  const nlohmann::json* type = Member(json, "type");
  if (type == nullptr) return Status::Invalid("field ", QuoteForError(field.name), " has no key 'type'");
  Result<DataType> parsed = TypeAt(*type, depth);
  if (!parsed.ok()) return Prefixed("field " + QuoteForError(field.name), parsed.status());
  field.type = *std::move(parsed);
  ARROW_ASSIGN_OR_RAISE(field.description, TextMember(json, "description"));
  ARROW_ASSIGN_OR_RAISE(field.default_value, TextMember(json, "defaultValue"));
  return field;
}

std::string_view CompositeName(TypeRoot root) {
  switch (root) {
    case TypeRoot::kArray:
      return "ARRAY";
    case TypeRoot::kVector:
      return "VECTOR";
    case TypeRoot::kMultiset:
      return "MULTISET";
    case TypeRoot::kMap:
      return "MAP";
    default:
      return "ROW";
  }
}

}  // namespace

Result<DataType> DataTypeFromJson(const nlohmann::json& json) { return TypeAt(json, 0); }

nlohmann::ordered_json DataTypeToJson(const DataType& type) {
  if (type.IsAtomic()) return type.ToText();
  nlohmann::ordered_json json;
  json["type"] = std::string(CompositeName(type.root())) + (type.nullable() ? "" : " NOT NULL");
  switch (type.root()) {
    case TypeRoot::kMap:
      json["key"] = DataTypeToJson(type.children()[0]);
      json["value"] = DataTypeToJson(type.children()[1]);
      break;
    case TypeRoot::kRow:
      json["fields"] = nlohmann::ordered_json::array();
      for (const DataField& member : type.fields()) json["fields"].push_back(DataFieldToJson(member));
      break;
    default:
      json["element"] = DataTypeToJson(type.children()[0]);
      if (type.root() == TypeRoot::kVector) json["length"] = type.length();
  }
  json["nullable"] = type.nullable();
  return json;
}

Result<DataField> DataFieldFromJson(const nlohmann::json& json) { return FieldAt(json, 0); }

nlohmann::ordered_json DataFieldToJson(const DataField& field) {
  nlohmann::ordered_json json;
  json["id"] = field.id;
  json["name"] = field.name;
  json["type"] = DataTypeToJson(field.type);
  if (field.description) json["description"] = *field.description;
  if (field.default_value) json["defaultValue"] = *field.default_value;
  return json;
}

}  // namespace reelhouse
