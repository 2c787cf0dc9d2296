#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"

namespace reelhouse::cli {

/// True if the text has one of `*`, `?`, `[`.
bool HasWildcards(std::string_view text);

/// True if the file name `name` (no slashes) fits `pattern`: `*` is any run, `?` one character, `[a-z]` and `[!a-z]`
/// one of a set, a backslash takes the next character as it is. A leading dot must be in the pattern.
bool MatchesWildcards(std::string_view pattern, std::string_view name);

/// Files and folders whose path fits `pattern`, whose parts are as above or `**` for any depth of folders; in natural
/// order (`frame2` before `frame10`).
Result<std::vector<std::string>> ExpandWildcards(std::string_view pattern);

}  // namespace reelhouse::cli
