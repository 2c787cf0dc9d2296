#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// A piece of the text of a filter.
struct WhereToken {
  enum class Kind : uint8_t {
    kWord,          ///< a name, a number or a keyword
    kQuotedName,    ///< `...`
    kSingleQuoted,  ///< '...'
    kDoubleQuoted,  ///< "..."
    kSymbol,        ///< ( ) , = != <> < <= > >=
    kEnd,           ///< behind the last one
  };
  Kind kind = Kind::kEnd;
  std::string_view source;  ///< as written, with quotes
  size_t offset = 0;        ///< of `source` in the text, in bytes

  bool IsString() const { return kind == Kind::kSingleQuoted || kind == Kind::kDoubleQuoted; }
  bool IsSymbol(std::string_view symbol) const { return kind == Kind::kSymbol && source == symbol; }
  /// True for the bare word `keyword` in any case.
  bool IsKeyword(std::string_view keyword) const;
  size_t end() const { return offset + source.size(); }
  /// Without its quotes, doubled quotes inside made one; a backslash is a character like others.
  std::string Content() const;
};

/// The tokens of `text`, the last one of kind kEnd; they look into `text`.
Result<std::vector<WhereToken>> TokenizeWhere(std::string_view text);

/// A refusal of a filter: `what at position N. hint`, N = 1-based number of the character at `offset`.
Status WhereError(std::string_view text, size_t offset, std::string_view what, std::string_view hint = "");

}  // namespace reelhouse
