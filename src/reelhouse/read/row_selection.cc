#include "reelhouse/read/row_selection.h"

#include <algorithm>
#include <numeric>

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
  // Stretches between dead rows, since most rows are alive.
  auto append = [&](int64_t from, int64_t to) {
    while (next_gone < gone.size() && gone[next_gone] < from) ++next_gone;
    while (from < to) {
      const int64_t stop = next_gone < gone.size() ? std::min<int64_t>(gone[next_gone], to) : to;
      const size_t size = positions.size();
      positions.resize(size + static_cast<size_t>(stop - from));
      std::iota(positions.begin() + static_cast<std::ptrdiff_t>(size), positions.end(), from);
      from = stop + 1;
      if (stop < to) ++next_gone;
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

std::vector<RowSpan> CommonRows(const std::vector<RowSpan>& a, const std::vector<RowSpan>& b) {
  std::vector<RowSpan> common;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const int64_t a_end = a[i].first + a[i].count, b_end = b[j].first + b[j].count;
    const int64_t first = std::max(a[i].first, b[j].first), end = std::min(a_end, b_end);
    if (first < end && !common.empty() && common.back().first + common.back().count == first) {
      common.back().count += end - first;
    } else if (first < end) {
      common.push_back({first, end - first});
    }
    (a_end < b_end ? i : j)++;
  }
  return common;
}

void KeepRowsIn(const std::vector<RowSpan>& spans, RowPositions* positions) {
  auto span = spans.begin();
  auto to = positions->begin();
  for (const int64_t position : *positions) {
    while (span != spans.end() && span->first + span->count <= position) ++span;
    if (span == spans.end()) break;
    if (position >= span->first) *to++ = position;
  }
  positions->erase(to, positions->end());
}

}  // namespace reelhouse
