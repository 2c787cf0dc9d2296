#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reelhouse {

/// `text` without spaces, tabs and line breaks at both ends.
std::string_view TrimmedView(std::string_view text);

/// The items of `a, b,c`, trimmed, without empty ones.
std::vector<std::string> SplitCommaList(std::string_view text);

/// Equal but for the case of ASCII letters; no locale is asked.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

/// `text` in backticks for an error message: control bytes escaped, and cut to `most_bytes` with what was cut named,
/// never in the middle of a UTF-8 character.
std::string QuoteForError(std::string_view text, size_t most_bytes = 80);

/// True if `a` comes before `b` where runs of digits compare as numbers: `frame2` < `frame10`. A total order: texts
/// that differ only in leading zeros are ordered by their bytes.
bool NaturalLess(std::string_view a, std::string_view b);

}  // namespace reelhouse
