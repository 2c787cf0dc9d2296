#include "cli/output_table.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace reelhouse::cli {

namespace {

/// A character of UTF-8 text: its number, 0xFFFD for a byte that begins none, and how many bytes it takes.
struct Character {
  uint32_t number = 0xfffd;
  size_t size_bytes = 1;
};

Character FirstCharacter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const size_t size = lead >= 0xf0 && lead < 0xf8 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  if (size == 1 || size > text.size()) return {};
  uint32_t number = lead & (0xff >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return {};
    number = number << 6 | (byte & 0x3f);
  }
  return {number, size};
}

struct CharacterRange {
  uint32_t first;
  uint32_t last;
};

constexpr CharacterRange kWithoutWidth[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},    {0x610, 0x61a},
                                            {0x64b, 0x65f},   {0x200b, 0x200f}, {0x20d0, 0x20ff},  {0xfe00, 0xfe0f},
                                            {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}};
constexpr CharacterRange kWide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xac00, 0xd7a3},
                                    {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
                                    {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

template <size_t kSize>
bool IsIn(uint32_t number, const CharacterRange (&ranges)[kSize]) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const CharacterRange& range) { return range.first <= number && number <= range.last; });
}

size_t WidthOf(uint32_t number) {
  if (number < 0x300) return 1;
  if (IsIn(number, kWithoutWidth)) return 0;
  return IsIn(number, kWide) ? 2 : 1;
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Character character = FirstCharacter(text);
    width += WidthOf(character.number);
    text.remove_prefix(character.size_bytes);
  }
  return width;
}

std::string CutToWidth(std::string_view text, size_t width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  size_t used = 0;
  size_t at = 0;
  while (at < text.size()) {
    const Character character = FirstCharacter(text.substr(at));
    const size_t wanted = WidthOf(character.number);
    if (used + wanted + 1 > width) break;
    used += wanted;
    at += character.size_bytes;
  }
  return std::string(text.substr(0, at)) + "…";
}

OutputTable::OutputTable(std::vector<Column> columns, size_t most_cell_width)
    : columns_(std::move(columns)), most_cell_width_(std::max<size_t>(most_cell_width, 1)) {}

void OutputTable::AddRow(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string OutputTable::Line(const std::vector<std::string>& cells) const {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool is_number = columns_[i].is_right_aligned;
    const std::string cell = is_number ? cells[i] : CutToWidth(cells[i], widths_[i]);
    const std::string gap(widths_[i] - std::min(widths_[i], DisplayWidth(cell)), ' ');
    if (i > 0) line += "  ";
    line += is_number ? gap + cell : cell + gap;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string OutputTable::TakeText() {
  std::string text;
  if (widths_.empty() && !columns_.empty()) {
    std::vector<std::string> titles;
    for (size_t i = 0; i < columns_.size(); ++i) {
      size_t width = DisplayWidth(columns_[i].title);
      for (const auto& row : rows_) width = std::max(width, DisplayWidth(row[i]));
      if (!columns_[i].is_right_aligned) width = std::min(width, most_cell_width_);
      widths_.push_back(std::max<size_t>(1, width));
      titles.push_back(columns_[i].title);
    }
    text += Line(titles);
    std::vector<std::string> rules;
    for (const size_t width : widths_) rules.emplace_back(width, '-');
    text += Line(rules);
  }
  for (const auto& row : rows_) text += Line(row);
  rows_.clear();
  return text;
}

}  // namespace reelhouse::cli
