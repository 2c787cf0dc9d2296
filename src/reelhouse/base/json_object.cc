#include "reelhouse/base/json_object.h"

#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

namespace reelhouse {
namespace {

// Enough of a value to recognise it in an error.
std::string Shortened(const nlohmann::json& value) {
  constexpr size_t kLongest = 60;
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

std::optional<int64_t> AsInt64(const nlohmann::json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned()) {
    uint64_t number = value.get<uint64_t>();
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
    return static_cast<int64_t>(number);
  }
  return value.get<int64_t>();
}

}  // namespace

Result<JsonObject> JsonObject::Parse(std::string_view text, std::string_view path) {
  if (text.empty()) return CorruptFile(path, 0, "expected a JSON object, found an empty file");
  JsonObject object;
  object.path_ = path;
  try {
    object.document_ = std::make_shared<const nlohmann::json>(nlohmann::json::parse(text.begin(), text.end()));
  } catch (const nlohmann::json::parse_error& error) {
    // The parser counts the byte that it could not take from 1, and one behind the end for a text that stops early.
    const size_t byte = error.byte > 0 ? error.byte - 1 : 0;
    if (byte >= text.size()) {
      return CorruptFile(path, static_cast<int64_t>(text.size()), "the file is torn: its JSON ends early");
    }
    return CorruptFile(path, static_cast<int64_t>(byte), "expected JSON, found other bytes");
  } catch (const nlohmann::json::exception&) {
    return CorruptFile(path, -1, "a number of its JSON is out of range");
  }
  if (!object.document_->is_object()) {
    return CorruptFile(path, 0, "expected a JSON object, found " + Shortened(*object.document_));
  }
  object.object_ = object.document_.get();
  return object;
}

const nlohmann::json* JsonObject::Find(std::string_view key) const {
  auto member = object_->find(key);
  return member == object_->end() || member->is_null() ? nullptr : &*member;
}

Status JsonObject::Corrupt(std::string_view key, std::string_view text) const {
  std::string message = within_;
  if (!message.empty()) message += '.';
  message += key;
  message += ": ";
  message += text;
  return CorruptFile(path_, -1, message);
}

Status JsonObject::Mismatch(std::string_view key, std::string_view expected, const nlohmann::json& found) const {
  return Corrupt(key, "expected " + std::string(expected) + ", found " + Shortened(found));
}

Result<const nlohmann::json*> JsonObject::Require(std::string_view key) const {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return Corrupt(key, "the key is missing");
  return value;
}

Result<int64_t> JsonObject::Int64(std::string_view key) const {
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json* value, Require(key));
  std::optional<int64_t> number = AsInt64(*value);
  if (!number) return Mismatch(key, "a 64-bit integer", *value);
  return *number;
}

Result<int32_t> JsonObject::Int32(std::string_view key) const {
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json* value, Require(key));
  std::optional<int64_t> number = AsInt64(*value);
  if (!number || *number < std::numeric_limits<int32_t>::min() || *number > std::numeric_limits<int32_t>::max()) {
    return Mismatch(key, "a 32-bit integer", *value);
  }
  return static_cast<int32_t>(*number);
}

Result<std::string> JsonObject::Text(std::string_view key) const {
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json* value, Require(key));
  if (!value->is_string()) return Mismatch(key, "a text", *value);
  return value->get<std::string>();
}

Result<std::vector<std::string>> JsonObject::TextList(std::string_view key) const {
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json* value, Require(key));
  if (!value->is_array()) return Mismatch(key, "a list of texts", *value);
  std::vector<std::string> texts;
  texts.reserve(value->size());
  for (const nlohmann::json& item : *value) {
    if (!item.is_string()) return Mismatch(key, "a list of texts", item);
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

Result<std::map<std::string, std::string>> JsonObject::TextMap(std::string_view key) const {
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json* value, Require(key));
  if (!value->is_object()) return Mismatch(key, "an object of texts", *value);
  std::map<std::string, std::string> texts;
  for (auto member = value->begin(); member != value->end(); ++member) {
    if (member->is_string()) {
      texts.emplace(member.key(), member->get<std::string>());
    } else if (member->is_number() || member->is_boolean()) {
      texts.emplace(member.key(), member->dump());
    } else {
      return Corrupt(std::string(key) + "." + member.key(), "expected a text, found " + Shortened(*member));
    }
  }
  return texts;
}

Result<std::vector<JsonObject>> JsonObject::ObjectList(std::string_view key) const {
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json* value, Require(key));
  if (!value->is_array()) return Mismatch(key, "a list of objects", *value);
  std::vector<JsonObject> objects;
  objects.reserve(value->size());
  for (const nlohmann::json& item : *value) {
    if (!item.is_object()) return Mismatch(key, "a list of objects", item);
    JsonObject object;
    object.document_ = document_;
    object.object_ = &item;
    object.path_ = path_;
    object.within_ =
        (within_.empty() ? "" : within_ + ".") + std::string(key) + "[" + std::to_string(objects.size()) + "]";
    objects.push_back(std::move(object));
  }
  return objects;
}

Result<std::optional<int64_t>> JsonObject::FindInt64(std::string_view key) const {
  if (Find(key) == nullptr) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(int64_t number, Int64(key));
  return number;
}

Result<std::optional<std::string>> JsonObject::FindText(std::string_view key) const {
  if (Find(key) == nullptr) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(std::string text, Text(key));
  return text;
}

}  // namespace reelhouse
