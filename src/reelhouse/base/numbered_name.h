#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelhouse {

/// The number in a file name `<prefix><digits>`; nothing for every other name, also not for leading zeros, signs and
/// numbers beyond 64 bits, since no writer makes such names.
inline std::optional<int64_t> NumberInName(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  int64_t number = 0;
  const auto [behind, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || number < 0 || name != std::to_string(number)) return std::nullopt;
  return number;
}

}  // namespace reelhouse
