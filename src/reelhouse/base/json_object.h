#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// A JSON object of a small metadata file, read member by member. Every failure is a CorruptFile that names the file
/// and the member: `snapshot-2: timeMillis: expected an integer, found "x"`. Copies share the parsed document.
class JsonObject {
 public:
  /// The whole document, which must be an object. A torn or empty file is told as such, with the byte.
  static Result<JsonObject> Parse(std::string_view text, std::string_view path);

  /// The member; null if it is absent or null. Lives as long as any copy of this object.
  const nlohmann::json* Find(std::string_view key) const;

  Result<int64_t> Int64(std::string_view key) const;
  Result<int32_t> Int32(std::string_view key) const;
  Result<std::string> Text(std::string_view key) const;
  Result<std::vector<std::string>> TextList(std::string_view key) const;
  /// Text -> text; numbers and booleans are taken as their text, as other readers do.
  Result<std::map<std::string, std::string>> TextMap(std::string_view key) const;
  Result<std::vector<JsonObject>> ObjectList(std::string_view key) const;

  // Nothing if the member is absent or null.
  Result<std::optional<int64_t>> FindInt64(std::string_view key) const;
  Result<std::optional<std::string>> FindText(std::string_view key) const;

  /// A CorruptFile that names the member.
  Status Corrupt(std::string_view key, std::string_view text) const;

 private:
  JsonObject() = default;
  Status Mismatch(std::string_view key, std::string_view expected, const nlohmann::json& found) const;
  Result<const nlohmann::json*> Require(std::string_view key) const;

  std::shared_ptr<const nlohmann::json> document_;
  const nlohmann::json* object_ = nullptr;
  std::string path_;
  std::string within_;  ///< `fields[2]`, empty for the document
};

}  // namespace reelhouse
