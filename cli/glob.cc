#include "cli/glob.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "reelhouse/base/text.h"

namespace reelhouse::cli {

namespace {

namespace fs = std::filesystem;

bool IsContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string_view FirstCharacter(std::string_view text) {
  size_t size = 1;
  while (size < text.size() && IsContinuationByte(text[size])) ++size;
  return text.substr(0, size);
}

/// A `[...]` at the start of a pattern.
struct CharacterSet {
  size_t size_bytes = 0;  ///< 0 if the bracket is never closed and is an ordinary character
  bool matches = false;
};

CharacterSet TakeSet(std::string_view pattern, char c) {
  size_t at = 1;
  const bool is_negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (is_negated) ++at;
  bool found = false;
  const auto byte = static_cast<unsigned char>(c);
  for (bool is_first = true; at < pattern.size() && (is_first || pattern[at] != ']'); is_first = false) {
    const auto low = static_cast<unsigned char>(pattern[at]);
    auto high = low;
    if (at + 2 < pattern.size() && pattern[at + 1] == '-' && pattern[at + 2] != ']') {
      high = static_cast<unsigned char>(pattern[at + 2]);
      at += 2;
    }
    found = found || (low <= byte && byte <= high);
    ++at;
  }
  if (at >= pattern.size()) return {};
  return {at + 1, found != is_negated};
}

/// Length of what stands at the start of `pattern` for one character, and whether it takes the first of `name`.
struct Step {
  size_t pattern_bytes = 0;
  size_t name_bytes = 0;  ///< 0 = no match
};

Step TakeOne(std::string_view pattern, std::string_view name) {
  if (pattern[0] == '?') return {1, FirstCharacter(name).size()};
  if (pattern[0] == '[') {
    const CharacterSet set = TakeSet(pattern, name[0]);
    if (set.size_bytes > 0) return {set.size_bytes, set.matches ? 1u : 0u};
  }
  const size_t escape = pattern[0] == '\\' && pattern.size() > 1 ? 1 : 0;
  return {escape + 1, pattern[escape] == name[0] ? 1u : 0u};
}

std::vector<std::string_view> PartsOf(std::string_view pattern) {
  std::vector<std::string_view> parts;
  while (!pattern.empty()) {
    const size_t slash = pattern.find('/');
    if (slash != 0) parts.push_back(pattern.substr(0, slash));
    if (slash == std::string_view::npos) break;
    pattern.remove_prefix(slash + 1);
  }
  return parts;
}

/// A walk down the folders along the parts of a pattern.
class PatternWalk {
 public:
  explicit PatternWalk(std::string_view pattern) : parts_(PartsOf(pattern)) {}

  Status Walk(const std::string& folder, size_t part) {
    if (part == parts_.size()) {
      if (!folder.empty()) found_.push_back(folder);
      return Status::OK();
    }
    if (parts_[part] == "**") return WalkDeep(folder, part);
    if (!HasWildcards(parts_[part])) {
      std::string path = Joined(folder, parts_[part]);
      std::error_code error;
      return fs::exists(path, error) ? Walk(path, part + 1) : Status::OK();
    }
    return ForEachEntry(folder, [&](const fs::directory_entry& entry, const std::string& name) -> Status {
      if (!MatchesWildcards(parts_[part], name)) return Status::OK();
      std::error_code error;
      if (part + 1 < parts_.size() && !entry.is_directory(error)) return Status::OK();
      return Walk(Joined(folder, name), part + 1);
    });
  }

  std::vector<std::string> TakeFound() { return std::move(found_); }

 private:
  /// `**`: here, and in every folder below; links are not followed, they could lead round in circles.
  Status WalkDeep(const std::string& folder, size_t part) {
    ARROW_RETURN_NOT_OK(Walk(folder, part + 1));
    return ForEachEntry(folder, [&](const fs::directory_entry& entry, const std::string& name) -> Status {
      std::error_code error;
      if (name.starts_with('.') || entry.is_symlink(error) || !entry.is_directory(error)) return Status::OK();
      return WalkDeep(Joined(folder, name), part);
    });
  }

  template <typename Visit>
  Status ForEachEntry(const std::string& folder, const Visit& visit) {
    std::error_code error;
    fs::directory_iterator entries(folder.empty() ? "." : folder, error);
    if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) return Status::OK();
    if (error) return Status::IOError(folder, ": ", error.message());
    for (; entries != fs::directory_iterator(); entries.increment(error)) {
      if (error) return Status::IOError(folder, ": ", error.message());
      ARROW_RETURN_NOT_OK(visit(*entries, entries->path().filename().string()));
    }
    return Status::OK();
  }

  static std::string Joined(const std::string& folder, std::string_view name) {
    std::string path = folder;
    if (!path.empty() && path.back() != '/') path += '/';
    path += name;
    return path;
  }

  const std::vector<std::string_view> parts_;
  std::vector<std::string> found_;
};

}  // namespace

bool HasWildcards(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

bool MatchesWildcards(std::string_view pattern, std::string_view name) {
  if (name.starts_with('.') && !pattern.starts_with('.') && !pattern.starts_with("\\.")) return false;
  // After a mismatch the last star takes one byte more; earlier stars need not be tried again.
  std::string_view star_pattern, star_name;
  bool has_star = false;
  while (true) {
    if (!pattern.empty() && pattern[0] == '*') {
      pattern.remove_prefix(1);
      star_pattern = pattern;
      star_name = name;
      has_star = true;
      continue;
    }
    if (pattern.empty() && name.empty()) return true;
    if (!pattern.empty() && !name.empty()) {
      const Step step = TakeOne(pattern, name);
      if (step.name_bytes > 0) {
        pattern.remove_prefix(step.pattern_bytes);
        name.remove_prefix(step.name_bytes);
        continue;
      }
    }
    if (!has_star || star_name.empty()) return false;
    star_name.remove_prefix(1);
    pattern = star_pattern;
    name = star_name;
  }
}

Result<std::vector<std::string>> ExpandWildcards(std::string_view pattern) {
  PatternWalk walk(pattern);
  ARROW_RETURN_NOT_OK(walk.Walk(pattern.starts_with('/') ? "/" : "", 0));
  std::vector<std::string> found = walk.TakeFound();
  std::sort(found.begin(), found.end(), NaturalLess);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace reelhouse::cli
