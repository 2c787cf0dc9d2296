#include "reelhouse/predicate/where_tokens.h"

#include <algorithm>
#include <array>

#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include "reelhouse/base/text.h"

namespace reelhouse {

namespace {

using Kind = WhereToken::Kind;

constexpr std::string_view kDelimiters = ",()=<>!'\"`";
constexpr std::array<std::string_view, 5> kTwoCharacterSymbols = {"!=", "<>", "<=", ">=", "=="};
constexpr std::string_view kSymbolCharacters = ",()=<>";

/// Bytes of the blank at the start of `text`, 0 if there is none. Blanks that word processors and web pages leave count
/// too: they look like blanks.
size_t BlankSize(std::string_view text) {
  const char c = text[0];
  if (c == ' ' || (c >= '\t' && c <= '\r')) return 1;
  if (text.starts_with("\xC2\xA0") || text.starts_with("\xC2\x85")) return 2;
  if (text.starts_with("\xE3\x80\x80") || text.starts_with("\xE2\x81\x9F")) return 3;  // U+3000, U+205F
  if (text.size() >= 3 && text.starts_with("\xE2\x80")) {  // U+2000 to 200A, 2028, 2029, 202F
    const auto last = static_cast<unsigned char>(text[2]);
    if (last <= 0x8A || last == 0xA8 || last == 0xA9 || last == 0xAF) return 3;
  }
  return 0;
}

/// Bytes of the word at the start of `text`. A `;` inside belongs to it, as in names; one at its end does not.
size_t WordSize(std::string_view text) {
  size_t size = 0;
  while (size < text.size() && kDelimiters.find(text[size]) == std::string_view::npos &&
         BlankSize(text.substr(size)) == 0) {
    ++size;
  }
  while (size > 0 && text[size - 1] == ';') --size;
  return size;
}

/// Bytes of the quoted text at the start of `text`, 0 if it does not end.
size_t QuotedSize(std::string_view text) {
  const char quote = text[0];
  for (size_t at = 1; at < text.size(); ++at) {
    if (text[at] != quote) continue;
    if (at + 1 == text.size() || text[at + 1] != quote) return at + 1;
    ++at;
  }
  return 0;
}

size_t SymbolSize(std::string_view text) {
  const std::string_view two = text.substr(0, 2);
  if (std::find(kTwoCharacterSymbols.begin(), kTwoCharacterSymbols.end(), two) != kTwoCharacterSymbols.end()) return 2;
  return kSymbolCharacters.find(text[0]) != std::string_view::npos ? 1 : 0;
}

Status Unterminated(std::string_view text, size_t offset) {
  const char quote = text[offset];
  if (quote == '`') {
    return WhereError(text, offset, "Unterminated quoted name", "Close it with ` and write `` for a ` inside a name");
  }
  return WhereError(
      text, offset, "Unterminated string",
      fmt::format("Close it with {0} and double the quote for one inside a string: {0}it{0}{0}s{0}", quote));
}

}  // namespace

bool WhereToken::IsKeyword(std::string_view keyword) const {
  return kind == Kind::kWord && EqualsIgnoreCase(source, keyword);
}

std::string WhereToken::Content() const {
  if (kind == Kind::kWord || kind == Kind::kSymbol || kind == Kind::kEnd) return std::string(source);
  const char quote = source[0];
  const std::string_view inside = source.substr(1, source.size() - 2);
  std::string content;
  content.reserve(inside.size());
  for (size_t at = 0; at < inside.size(); ++at) {
    content += inside[at];
    if (inside[at] == quote) ++at;
  }
  return content;
}

Result<std::vector<WhereToken>> TokenizeWhere(std::string_view text) {
  arrow::util::InitializeUTF8();
  if (!arrow::util::ValidateUTF8(text)) return Status::Invalid("A filter must be UTF-8 text");

  std::vector<WhereToken> tokens;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (const size_t blank = BlankSize(rest)) {
      at += blank;
      continue;
    }
    WhereToken token{Kind::kWord, {}, at};
    size_t size = 0;
    if (rest[0] == '\'' || rest[0] == '"' || rest[0] == '`') {
      token.kind = rest[0] == '\'' ? Kind::kSingleQuoted : rest[0] == '"' ? Kind::kDoubleQuoted : Kind::kQuotedName;
      size = QuotedSize(rest);
      if (size == 0) return Unterminated(text, at);
    } else if ((size = SymbolSize(rest)) != 0) {
      token.kind = Kind::kSymbol;
      if (rest.substr(0, size) == "==") return WhereError(text, at, "Unexpected '=='", "Write = to compare");
    } else {
      size = WordSize(rest);
      if (size == 0) {
        return WhereError(text, at, fmt::format("Unexpected character '{}'", rest[0]),
                          rest[0] == ';' ? "A filter is one expression, without ; at its end" : "");
      }
    }
    token.source = rest.substr(0, size);
    tokens.push_back(token);
    at += size;
  }
  tokens.push_back({Kind::kEnd, text.substr(text.size()), text.size()});
  return tokens;
}

Status WhereError(std::string_view text, size_t offset, std::string_view what, std::string_view hint) {
  const auto is_character_start = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; };
  const auto position = std::count_if(text.begin(), text.begin() + offset, is_character_start) + 1;
  std::string message = fmt::format("{} at position {}", what, position);
  if (!hint.empty()) message += fmt::format(". {}", hint);
  return Status::Invalid(message);
}

}  // namespace reelhouse
