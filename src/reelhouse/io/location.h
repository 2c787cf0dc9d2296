#pragma once

#include <string>
#include <string_view>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// A warehouse path or file name as it is spelled in descriptors (format notes, "URIs"): `file:///x` and `file:/x`
/// become `file:/x`; a plain path stays absolute or relative; empty segments, `.` and a trailing slash are dropped.
/// Percent signs are ordinary characters: nothing is decoded.
std::string SpelledLocation(std::string_view path_or_uri);

/// The path for the operating system behind a location (`file:/x` -> `/x`). Other schemes are refused by name.
Result<std::string> LocalPath(std::string_view location);

/// `parent` + '/' + `child`.
std::string JoinLocation(std::string_view parent, std::string_view child);

/// The text before the last '/', or empty.
std::string ParentLocation(std::string_view location);

/// True if `location`, after resolving symlinks and `..`, is `root` or lies below it.
Result<bool> LiesUnder(std::string_view location, std::string_view root);

}  // namespace reelhouse
