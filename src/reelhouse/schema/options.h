#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// Options of a table or connection as they are stored: text -> text. Each room reads the ones that it owns into a
/// typed group of its own; a value that does not parse is refused with the key, the value and what is expected.
class Options {
 public:
  Options() = default;
  explicit Options(std::map<std::string, std::string> values) : values_(std::move(values)) {}

  const std::map<std::string, std::string>& values() const { return values_; }
  bool contains(std::string_view key) const;
  std::optional<std::string> Find(std::string_view key) const;
  void Set(std::string key, std::string value) { values_[std::move(key)] = std::move(value); }

  std::string GetText(std::string_view key, std::string_view fallback) const;
  Result<bool> GetBool(std::string_view key, bool fallback) const;  ///< "true"/"false", any case
  Result<int64_t> GetInt(std::string_view key, int64_t fallback) const;
  Result<int64_t> GetBytes(std::string_view key, int64_t fallback) const;   ///< "256 mb"
  Result<int64_t> GetMillis(std::string_view key, int64_t fallback) const;  ///< "10 s"
  std::vector<std::string> GetList(std::string_view key) const;             ///< comma list, blanks trimmed

  bool operator==(const Options&) const = default;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace reelhouse
