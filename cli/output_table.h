#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reelhouse::cli {

/// A table of text for people: aligned columns, a rule below the titles, long cells cut with `…`. The rows before the
/// first TakeText set the widths; later ones are cut to fit, so that rows without end need no memory. Cells of
/// right-aligned columns are numbers and never cut: half a number is a wrong one.
class OutputTable {
 public:
  struct Column {
    std::string title;
    bool is_right_aligned = false;
  };

  explicit OutputTable(std::vector<Column> columns, size_t most_cell_width = 48);

  void AddRow(std::vector<std::string> cells);
  size_t waiting_rows() const { return rows_.size(); }

  /// The lines of the rows added since the last call, the first time with the titles.
  std::string TakeText();

 private:
  std::string Line(const std::vector<std::string>& cells) const;

  std::vector<Column> columns_;
  size_t most_cell_width_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> widths_;  // empty before the first TakeText
};

/// Columns that a terminal needs for UTF-8 text: wide characters count twice, combining ones not at all.
size_t DisplayWidth(std::string_view text);

/// `text`, cut to `width` with `…` at the end where it is longer.
std::string CutToWidth(std::string_view text, size_t width);

}  // namespace reelhouse::cli
