#include "reelhouse/read/row_selection.h"

#include <algorithm>

namespace reelhouse {

RowPositions RowChoice::PositionsIn(RowSpan window) const {
  RowPositions positions;
  const int64_t end = window.first + window.count;
  // Deletion vectors hold 32-bit positions; rows behind those cannot be dead.
  constexpr int64_t kMostPosition = 0xFFFFFFFF;
  std::vector<uint32_t> gone;
  if (!dead.empty() && window.first < kMostPosition) {
    gone = dead.PositionsIn(static_cast<uint32_t>(window.first), static_cast<uint32_t>(std::min(end, kMostPosition)));
  }
  size_t next_gone = 0;
  auto append = [&](int64_t from, int64_t to) {
    for (int64_t position = from; position < to; ++position) {
      while (next_gone < gone.size() && gone[next_gone] < position) ++next_gone;
      if (next_gone < gone.size() && gone[next_gone] == position) continue;
      positions.push_back(position);
    }
  };
  if (!row_ids) {
    positions.reserve(window.count - static_cast<int64_t>(gone.size()));
    append(window.first, end);
    return positions;
  }
  auto next = std::lower_bound(row_ids->begin(), row_ids->end(), first_row_id + window.first,
                               [](const RowIdRange& range, int64_t row_id) { return range.last < row_id; });
  for (; next != row_ids->end() && next->first < first_row_id + end; ++next) {
    // Compared before it is added to: the last row id may be the largest number.
    const int64_t last = std::min(next->last, first_row_id + end - 1);
    append(std::max(next->first - first_row_id, window.first), last - first_row_id + 1);
  }
  return positions;
}

std::vector<RowSpan> CoveringSpans(std::span<const int64_t> positions, int64_t most_gap, size_t most_spans) {
  if (positions.empty()) return {};
  std::vector<int64_t> gaps;
  for (size_t i = 1; i < positions.size(); ++i) {
    int64_t gap = positions[i] - positions[i - 1] - 1;
    if (gap > most_gap) gaps.push_back(gap);
  }
  if (gaps.size() >= most_spans) {
    // The widest gaps stay; the next narrower one sets the limit.
    auto limit = gaps.begin() + static_cast<std::ptrdiff_t>(most_spans - 1);
    std::nth_element(gaps.begin(), limit, gaps.end(), std::greater<>());
    most_gap = *limit;
  }
  std::vector<RowSpan> spans{{positions.front(), 1}};
  for (size_t i = 1; i < positions.size(); ++i) {
    int64_t gap = positions[i] - positions[i - 1] - 1;
    if (gap > most_gap) {
      spans.push_back({positions[i], 1});
    } else {
      spans.back().count = positions[i] - spans.back().first + 1;
    }
  }
  return spans;
}

}  // namespace reelhouse
