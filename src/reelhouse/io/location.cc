#include "reelhouse/io/location.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace reelhouse {
namespace {

constexpr std::string_view kFileScheme = "file:";

bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsSchemeCharacter(char c) { return IsAlpha(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'; }

// The scheme in front of `://`, or empty. A colon alone is no scheme: `take:2/a.mp4` is a relative path.
std::string_view SchemeOf(std::string_view location) {
  size_t end = location.find("://");
  if (end == std::string_view::npos || end == 0 || !IsAlpha(location[0])) return {};
  for (char c : location.substr(0, end)) {
    if (!IsSchemeCharacter(c)) return {};
  }
  return location.substr(0, end);
}

bool StartsWithFileRoot(std::string_view location) {
  return location.starts_with(kFileScheme) && location.substr(kFileScheme.size()).starts_with('/');
}

// `file://host/x` names another machine; `file:///x` and `file:/x` do not.
bool NamesHost(std::string_view location) {
  std::string_view rest = location.substr(kFileScheme.size());
  return rest.starts_with("//") && rest.size() > 2 && rest[2] != '/';
}

bool IsLocal(std::string_view location) {
  std::string_view scheme = SchemeOf(location);
  return scheme.empty() || scheme == "file";
}

// The segments of a path without empty ones and `.`; `..` stays, since what it means depends on symlinks.
void AppendSegments(std::string_view path, std::string* spelled) {
  std::string_view separator;
  while (!path.empty()) {
    size_t slash = std::min(path.find('/'), path.size());
    std::string_view segment = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (segment.empty() || segment == ".") continue;
    *spelled += separator;
    *spelled += segment;
    separator = "/";
  }
}

Result<std::string> ResolvedPath(std::string_view location) {
  ARROW_ASSIGN_OR_RAISE(std::string path, LocalPath(location));
  std::error_code error;
  // Absolute first: a relative path that does not exist yet would otherwise stay relative.
  std::filesystem::path resolved = std::filesystem::absolute(path, error);
  if (!error) resolved = std::filesystem::weakly_canonical(resolved, error);
  if (error) return Status::IOError(path, ": could not be resolved: ", error.message());
  std::string text = resolved.string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

}  // namespace

std::string SpelledLocation(std::string_view path_or_uri) {
  std::string_view path = path_or_uri;
  std::string spelled;
  if (StartsWithFileRoot(path) && !NamesHost(path)) {
    path.remove_prefix(kFileScheme.size());
    spelled = std::string(kFileScheme) + '/';
  } else if (!SchemeOf(path).empty() || StartsWithFileRoot(path)) {
    while (path.ends_with('/')) path.remove_suffix(1);
    return std::string(path);
  } else if (path.starts_with('/')) {
    // POSIX gives a path with exactly two leading slashes a meaning of its own.
    spelled = path.starts_with("//") && !path.starts_with("///") ? "//" : "/";
  }
  AppendSegments(path, &spelled);
  return spelled.empty() && !path.empty() ? "." : spelled;
}

Result<std::string> LocalPath(std::string_view location) {
  if (location.empty()) return Status::Invalid("a path is empty; expected a local path or a file: URI");
  // The system would stop reading at the NUL and open another file than the one that was checked.
  if (location.find('\0') != std::string_view::npos) {
    return Status::Invalid("a path has a NUL byte after `", location.substr(0, location.find('\0')), "`");
  }
  if (StartsWithFileRoot(location)) {
    if (NamesHost(location)) {
      return Status::NotImplemented(location, ": a file: URI with a host is not supported; expected file:///path");
    }
    location.remove_prefix(kFileScheme.size());
    while (location.starts_with("//")) location.remove_prefix(1);
    return std::string(location);
  }
  std::string_view scheme = SchemeOf(location);
  if (!scheme.empty()) {
    return Status::NotImplemented(location, ": scheme `", scheme,
                                  "` is not supported; expected a local path or a file: URI");
  }
  return std::string(location);
}

std::string JoinLocation(std::string_view parent, std::string_view child) {
  std::string joined(parent);
  if (!joined.empty() && joined.back() != '/') joined += '/';
  joined += child;
  return joined;
}

std::string ParentLocation(std::string_view location) {
  size_t slash = location.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(location.substr(0, slash));
}

Result<bool> LiesUnder(std::string_view location, std::string_view root) {
  if (IsLocal(location) != IsLocal(root)) return false;
  ARROW_ASSIGN_OR_RAISE(std::string path, ResolvedPath(location));
  ARROW_ASSIGN_OR_RAISE(std::string root_path, ResolvedPath(root));
  if (root_path == "/" || path == root_path) return true;
  return path.starts_with(root_path) && path[root_path.size()] == '/';
}

}  // namespace reelhouse
