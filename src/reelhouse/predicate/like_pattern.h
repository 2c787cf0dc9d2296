#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelhouse {

/// A compiled pattern of LIKE: `%` is any run of bytes, `_` one UTF-8 character, all else itself, case and all.
class LikePattern {
 public:
  LikePattern() = default;

  /// `escape` (one UTF-8 character, or empty for none) makes the next character stand for itself. Nothing if the
  /// pattern ends in a lone escape.
  static std::optional<LikePattern> Compile(std::string_view pattern, std::string_view escape);

  bool Matches(std::string_view text) const;

  /// The pattern with backslash as its escape.
  std::string ToText() const;
  /// What every match begins with.
  const std::string& prefix() const { return prefix_; }
  /// True if the pattern is its prefix and then `%`: all that begins with it matches.
  bool IsPrefixOnly() const;

  bool operator==(const LikePattern&) const = default;

 private:
  /// Literal bytes with `skip_before` single characters of any kind in front.
  struct Piece {
    size_t skip_before = 0;
    std::string bytes;
    bool operator==(const Piece&) const = default;
  };
  /// What stands between two `%`.
  using Segment = std::vector<Piece>;

  /// End of `segment` if it matches at the start of `text`.
  static std::optional<size_t> MatchAt(const Segment& segment, std::string_view text);

  std::vector<Segment> segments_ = {{}};  // n segments are joined by n - 1 `%`
  std::string prefix_;
};

}  // namespace reelhouse
