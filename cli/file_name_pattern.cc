#include "cli/file_name_pattern.h"

#include <algorithm>
#include <charconv>

#include <arrow/api.h>

#include "cli/cell_text.h"
#include "reelhouse/base/text.h"

namespace reelhouse::cli {

namespace {

constexpr int kMostDigits = 32;

/// `text` as a part of a file name: nothing in it may lead to another folder.
std::string AsNamePart(std::string text) {
  for (char& c : text) {
    if (c == '/' || static_cast<unsigned char>(c) < 0x20) c = '_';
  }
  return text == "." || text == ".." ? "_" : text;
}

std::string WithZeros(std::string number, int digits) {
  const bool is_negative = number.starts_with('-');
  if (is_negative) number.erase(0, 1);
  if (static_cast<int>(number.size()) < digits) number.insert(0, digits - number.size(), '0');
  return (is_negative ? "-" : "") + number;
}

}  // namespace

Result<FileNamePattern> FileNamePattern::Parse(std::string_view text) {
  FileNamePattern pattern;
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool is_doubled = at + 1 < text.size() && text[at + 1] == c;
    if ((c == '{' || c == '}') && is_doubled) {
      plain += c;
      ++at;
      continue;
    }
    if (c == '}') return Status::Invalid("--name-by: '}' without '{' at position ", at + 1, "; write }} for a brace");
    if (c != '{') {
      plain += c;
      continue;
    }
    const size_t end = text.find('}', at);
    if (end == std::string_view::npos) return Status::Invalid("--name-by: '{' at position ", at + 1, " is not closed");
    const std::string_view inside = text.substr(at + 1, end - at - 1);
    const size_t colon = inside.rfind(':');
    Piece piece;
    piece.column = inside.substr(0, colon);
    if (colon != std::string_view::npos) {
      const std::string_view width = inside.substr(colon + 1);
      const auto [behind, error] = std::from_chars(width.data(), width.data() + width.size(), piece.digits);
      if (error != std::errc() || behind != width.data() + width.size() || !width.starts_with('0') ||
          piece.digits > kMostDigits) {
        return Status::Invalid("--name-by: expected {column} or {column:08}, found ", QuoteForError(inside));
      }
    }
    if (piece.column.empty()) return Status::Invalid("--name-by: '{}' at position ", at + 1, " names no column");
    if (!plain.empty()) pattern.pieces_.push_back({std::exchange(plain, {}), "", 0});
    if (std::find(pattern.columns_.begin(), pattern.columns_.end(), piece.column) == pattern.columns_.end()) {
      pattern.columns_.push_back(piece.column);
    }
    pattern.pieces_.push_back(std::move(piece));
    at = end;
  }
  if (!plain.empty()) pattern.pieces_.push_back({plain, "", 0});
  if (pattern.columns_.empty()) {
    return Status::Invalid("--name-by: ", QuoteForError(text),
                           " gives every frame the same name; name a column, as in {_ROW_ID:08}");
  }
  return pattern;
}

Result<std::string> FileNamePattern::NameOf(const arrow::RecordBatch& batch, int64_t row) const {
  std::string name;
  for (const Piece& piece : pieces_) {
    if (piece.column.empty()) {
      name += piece.text;
      continue;
    }
    const std::shared_ptr<arrow::Array> column = batch.GetColumnByName(piece.column);
    if (!column) return Status::Invalid("--name-by: no column ", QuoteForError(piece.column));
    if (piece.digits > 0 && !arrow::is_integer(column->type_id())) {
      return Status::Invalid("--name-by: {", piece.column, ":0", piece.digits, "} needs a column of whole numbers");
    }
    std::string text = column->IsNull(row) ? "NULL" : CellText(*column, row);
    name += piece.digits > 0 && column->IsValid(row) ? WithZeros(std::move(text), piece.digits)
                                                     : AsNamePart(std::move(text));
  }
  return name;
}

}  // namespace reelhouse::cli
