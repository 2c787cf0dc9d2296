#include "reelhouse/avro/avro_schema.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "reelhouse/base/text.h"

namespace reelhouse {
namespace {

using nlohmann::json;

// Deeper than any schema of a person; keeps the recursion here and in readers off the end of the stack.
constexpr int kDeepestSchema = 64;
constexpr int64_t kMinBytesCap = 1 << 30;

std::optional<AvroKind> PrimitiveKind(std::string_view name) {
  static constexpr std::pair<std::string_view, AvroKind> kPrimitives[] = {
      {"null", AvroKind::kNull},   {"boolean", AvroKind::kBoolean}, {"int", AvroKind::kInt},
      {"long", AvroKind::kLong},   {"float", AvroKind::kFloat},     {"double", AvroKind::kDouble},
      {"bytes", AvroKind::kBytes}, {"string", AvroKind::kString},
  };
  for (const auto& [primitive, kind] : kPrimitives) {
    if (primitive == name) return kind;
  }
  return std::nullopt;
}

std::string_view NamespaceOf(std::string_view full_name) {
  size_t dot = full_name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : full_name.substr(0, dot);
}

}  // namespace

std::string_view NameOf(AvroKind kind) {
  static constexpr std::string_view kNames[] = {"null",   "boolean", "int",  "long",  "float", "double", "bytes",
                                                "string", "record",  "enum", "array", "map",   "union",  "fixed"};
  return kNames[static_cast<size_t>(kind)];
}

class AvroSchemaParser {
 public:
  Result<int> ParseType(const json& type, std::string_view enclosing_namespace, int depth) {
    if (depth > kDeepestSchema) {
      return Status::Invalid("Avro schema is nested deeper than ", kDeepestSchema, " levels");
    }
    if (type.is_string()) return ParseName(type.get_ref<const std::string&>(), enclosing_namespace);
    if (type.is_array()) return ParseUnion(type, enclosing_namespace, depth);
    if (!type.is_object()) {
      return Status::Invalid("Avro schema: expected a name, a list or an object for a type, found ",
                             QuoteForError(type.dump(-1, ' ', false, json::error_handler_t::replace)));
    }
    auto kind = type.find("type");
    if (kind == type.end()) return Status::Invalid("Avro schema: an object without \"type\"");
    if (!kind->is_string()) return ParseType(*kind, enclosing_namespace, depth + 1);
    const auto& name = kind->get_ref<const std::string&>();
    if (name == "record" || name == "error") return ParseRecord(type, enclosing_namespace, depth);
    if (name == "enum") return ParseEnum(type, enclosing_namespace);
    if (name == "fixed") return ParseFixed(type, enclosing_namespace);
    if (name == "array") return ParseContainer(AvroKind::kArray, type, "items", enclosing_namespace, depth);
    if (name == "map") return ParseContainer(AvroKind::kMap, type, "values", enclosing_namespace, depth);
    ARROW_ASSIGN_OR_RAISE(int node, ParseName(name, enclosing_namespace));
    // A reference to a named type keeps the node of that type; only primitives get a logical type of their own.
    if (PrimitiveKind(name)) schema_.nodes_[node].logical_type = LogicalType(type);
    return node;
  }

  Result<AvroSchema> Finish(int root) {
    schema_.root_ = root;
    min_bytes_.assign(schema_.nodes_.size(), kUnknown);
    for (int node = 0; node < schema_.node_count(); ++node) {
      ARROW_ASSIGN_OR_RAISE(int64_t bytes, MinBytes(node, 0));
      schema_.nodes_[node].min_bytes = bytes;
    }
    return std::move(schema_);
  }

 private:
  static constexpr int64_t kUnknown = -1;
  static constexpr int64_t kInProgress = -2;

  static std::string LogicalType(const json& type) {
    auto found = type.find("logicalType");
    return found != type.end() && found->is_string() ? found->get<std::string>() : std::string();
  }

  int NewNode(AvroKind kind) {
    schema_.nodes_.emplace_back().kind = kind;
    return schema_.node_count() - 1;
  }

  Result<int> ParseName(const std::string& name, std::string_view enclosing_namespace) {
    if (auto kind = PrimitiveKind(name)) return NewNode(*kind);
    if (name.find('.') == std::string::npos && !enclosing_namespace.empty()) {
      auto found = named_.find(std::string(enclosing_namespace) + "." + name);
      if (found != named_.end()) return found->second;
    }
    auto found = named_.find(name);
    if (found == named_.end()) return Status::Invalid("Avro schema: unknown type ", QuoteForError(name));
    return found->second;
  }

  // The full name of a named type; the type is known from here on, so that its own fields may refer to it.
  Result<int> DeclareNamed(AvroKind kind, const json& type, std::string_view enclosing_namespace) {
    auto name = type.find("name");
    if (name == type.end() || !name->is_string() || name->get_ref<const std::string&>().empty()) {
      return Status::Invalid("Avro schema: a ", NameOf(kind), " without a name");
    }
    std::string full_name = name->get<std::string>();
    if (full_name.find('.') == std::string::npos) {
      std::string space(enclosing_namespace);
      auto given = type.find("namespace");
      if (given != type.end() && given->is_string()) space = given->get<std::string>();
      if (!space.empty()) full_name = space + "." + full_name;
    }
    if (PrimitiveKind(full_name)) {
      return Status::Invalid("Avro schema: a ", NameOf(kind), " may not be called ", QuoteForError(full_name));
    }
    int node = NewNode(kind);
    if (!named_.emplace(full_name, node).second) {
      return Status::Invalid("Avro schema: type ", QuoteForError(full_name), " is defined twice");
    }
    schema_.nodes_[node].name = std::move(full_name);
    schema_.nodes_[node].logical_type = LogicalType(type);
    return node;
  }

  Result<int> ParseRecord(const json& type, std::string_view enclosing_namespace, int depth) {
    ARROW_ASSIGN_OR_RAISE(int node, DeclareNamed(AvroKind::kRecord, type, enclosing_namespace));
    const std::string name = schema_.nodes_[node].name;
    auto fields = type.find("fields");
    if (fields == type.end() || !fields->is_array()) {
      return Status::Invalid("Avro schema: record ", QuoteForError(name), " without a list of fields");
    }
    std::unordered_set<std::string> seen;
    for (const json& field : *fields) {
      if (!field.is_object() || !field.contains("name") || !field["name"].is_string() || !field.contains("type")) {
        return Status::Invalid("Avro schema: record ", QuoteForError(name), " has a field without name or type");
      }
      std::string field_name = field["name"].get<std::string>();
      if (!seen.insert(field_name).second) {
        return Status::Invalid("Avro schema: record ", QuoteForError(name), " has two fields ",
                               QuoteForError(field_name));
      }
      auto parsed = ParseType(field["type"], NamespaceOf(name), depth + 1);
      if (!parsed.ok()) return parsed.status();
      // The vector of nodes may have moved while the field was parsed.
      schema_.nodes_[node].fields.push_back({std::move(field_name), *parsed});
    }
    return node;
  }

  Result<int> ParseEnum(const json& type, std::string_view enclosing_namespace) {
    ARROW_ASSIGN_OR_RAISE(int node, DeclareNamed(AvroKind::kEnum, type, enclosing_namespace));
    auto symbols = type.find("symbols");
    if (symbols == type.end() || !symbols->is_array()) {
      return Status::Invalid("Avro schema: enum ", QuoteForError(schema_.nodes_[node].name), " without symbols");
    }
    for (const json& symbol : *symbols) {
      if (!symbol.is_string()) {
        return Status::Invalid("Avro schema: enum ", QuoteForError(schema_.nodes_[node].name),
                               " has a symbol that is no text");
      }
      schema_.nodes_[node].symbols.push_back(symbol.get<std::string>());
    }
    return node;
  }

  Result<int> ParseFixed(const json& type, std::string_view enclosing_namespace) {
    ARROW_ASSIGN_OR_RAISE(int node, DeclareNamed(AvroKind::kFixed, type, enclosing_namespace));
    auto size = type.find("size");
    if (size == type.end() || !size->is_number_integer() || size->get<int64_t>() < 0 ||
        size->get<int64_t>() > kMinBytesCap) {
      return Status::Invalid("Avro schema: fixed ", QuoteForError(schema_.nodes_[node].name),
                             " without a size from 0 to ", kMinBytesCap);
    }
    schema_.nodes_[node].fixed_size = size->get<int64_t>();
    return node;
  }

  Result<int> ParseContainer(AvroKind kind, const json& type, const char* key, std::string_view enclosing_namespace,
                             int depth) {
    auto inner = type.find(key);
    if (inner == type.end()) return Status::Invalid("Avro schema: a ", NameOf(kind), " without \"", key, "\"");
    int node = NewNode(kind);
    ARROW_ASSIGN_OR_RAISE(int child, ParseType(*inner, enclosing_namespace, depth + 1));
    schema_.nodes_[node].children.push_back(child);
    schema_.nodes_[node].logical_type = LogicalType(type);
    return node;
  }

  Result<int> ParseUnion(const json& type, std::string_view enclosing_namespace, int depth) {
    if (type.empty()) return Status::Invalid("Avro schema: a union without branches");
    int node = NewNode(AvroKind::kUnion);
    for (const json& branch : type) {
      ARROW_ASSIGN_OR_RAISE(int child, ParseType(branch, enclosing_namespace, depth + 1));
      if (schema_.nodes_[child].kind == AvroKind::kUnion) {
        return Status::Invalid("Avro schema: a union directly inside a union");
      }
      schema_.nodes_[node].children.push_back(child);
    }
    return node;
  }

  Result<int64_t> MinBytes(int node, int depth) {
    if (min_bytes_[node] >= 0) return min_bytes_[node];
    const AvroSchema::Node& type = schema_.nodes_[node];
    if (min_bytes_[node] == kInProgress || depth > 2 * kDeepestSchema) {
      return Status::Invalid("Avro schema: record ", QuoteForError(type.name), " contains itself without end");
    }
    min_bytes_[node] = kInProgress;
    int64_t bytes = 1;  // a varint, a length, a count or the number of a branch
    switch (type.kind) {
      case AvroKind::kNull:
        bytes = 0;
        break;
      case AvroKind::kFloat:
        bytes = 4;
        break;
      case AvroKind::kDouble:
        bytes = 8;
        break;
      case AvroKind::kFixed:
        bytes = type.fixed_size;
        break;
      case AvroKind::kRecord:
        bytes = 0;
        for (const AvroSchema::Field& field : type.fields) {
          ARROW_ASSIGN_OR_RAISE(int64_t field_bytes, MinBytes(field.node, depth + 1));
          bytes = std::min(bytes + field_bytes, kMinBytesCap);
        }
        break;
      default:
        break;
    }
    min_bytes_[node] = bytes;
    return bytes;
  }

  AvroSchema schema_;
  std::map<std::string, int> named_;
  std::vector<int64_t> min_bytes_;
};

Result<AvroSchema> AvroSchema::Parse(std::string_view text) {
  json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) return Status::Invalid("Avro schema is not JSON: ", QuoteForError(text));
  AvroSchemaParser parser;
  ARROW_ASSIGN_OR_RAISE(int root, parser.ParseType(parsed, "", 0));
  return parser.Finish(root);
}

bool AvroSchema::EncodesLike(const AvroSchema& other) const { return EncodesLike(root_, other, other.root_, 0); }

bool AvroSchema::EncodesLike(int number, const AvroSchema& other, int other_number, int depth) const {
  // Types that contain themselves are compared so far only: a "no" costs time, never data.
  if (depth > kDeepestSchema) return false;
  const Node& a = node(number);
  const Node& b = other.node(other_number);
  if (a.kind != b.kind || a.fixed_size != b.fixed_size || a.symbols != b.symbols ||
      a.fields.size() != b.fields.size() || a.children.size() != b.children.size()) {
    return false;
  }
  for (size_t i = 0; i < a.fields.size(); ++i) {
    if (a.fields[i].name != b.fields[i].name) return false;
    if (!EncodesLike(a.fields[i].node, other, b.fields[i].node, depth + 1)) return false;
  }
  for (size_t i = 0; i < a.children.size(); ++i) {
    if (!EncodesLike(a.children[i], other, b.children[i], depth + 1)) return false;
  }
  return true;
}

std::string AvroSchema::Describe(int number) const {
  const Node& type = node(number);
  std::string text(NameOf(type.kind));
  if (!type.name.empty()) return text + " " + type.name;
  if (type.kind == AvroKind::kUnion) {
    const char* separator = " of ";
    for (int child : type.children) {
      text += separator;
      text += NameOf(node(child).kind);
      separator = " and ";
    }
  }
  return text;
}

}  // namespace reelhouse
