#include "reelhouse/schema/options.h"

#include <charconv>

#include "reelhouse/base/duration.h"
#include "reelhouse/base/memory_size.h"
#include "reelhouse/base/text.h"

namespace reelhouse {
namespace {

Status Refuse(std::string_view key, std::string_view value, std::string_view expected) {
  return Status::Invalid("option '", key, "': expected ", expected, ", found ", QuoteForError(value));
}

}  // namespace

bool Options::contains(std::string_view key) const { return values_.contains(std::string(key)); }

std::optional<std::string> Options::Find(std::string_view key) const {
  auto entry = values_.find(std::string(key));
  if (entry == values_.end()) return std::nullopt;
  return entry->second;
}

std::string Options::GetText(std::string_view key, std::string_view fallback) const {
  std::optional<std::string> value = Find(key);
  return value ? *std::move(value) : std::string(fallback);
}

Result<bool> Options::GetBool(std::string_view key, bool fallback) const {
  std::optional<std::string> value = Find(key);
  if (!value) return fallback;
  const std::string_view trimmed = TrimmedView(*value);
  if (EqualsIgnoreCase(trimmed, "true")) return true;
  if (EqualsIgnoreCase(trimmed, "false")) return false;
  return Refuse(key, *value, "true or false");
}

Result<int64_t> Options::GetInt(std::string_view key, int64_t fallback) const {
  std::optional<std::string> value = Find(key);
  if (!value) return fallback;
  const std::string_view trimmed = TrimmedView(*value);
  int64_t number = 0;
  const auto [behind, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), number);
  if (error != std::errc() || behind != trimmed.data() + trimmed.size()) return Refuse(key, *value, "a whole number");
  return number;
}

Result<int64_t> Options::GetBytes(std::string_view key, int64_t fallback) const {
  std::optional<std::string> value = Find(key);
  if (!value) return fallback;
  Result<int64_t> size = ParseMemorySize(*value);
  if (!size.ok()) return Prefixed("option '" + std::string(key) + "'", size.status());
  return size;
}

Result<int64_t> Options::GetMillis(std::string_view key, int64_t fallback) const {
  std::optional<std::string> value = Find(key);
  if (!value) return fallback;
  Result<int64_t> duration = ParseDurationMillis(*value);
  if (!duration.ok()) return Prefixed("option '" + std::string(key) + "'", duration.status());
  return duration;
}

std::vector<std::string> Options::GetList(std::string_view key) const {
  std::optional<std::string> value = Find(key);
  if (!value) return {};
  return SplitCommaList(*value);
}

}  // namespace reelhouse
