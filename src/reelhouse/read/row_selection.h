#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reelhouse/deletion/deletion_vectors.h"
#include "reelhouse/predicate/predicate.h"

namespace reelhouse {

/// Rows of one split as positions from its first row, ascending.
using RowPositions = std::vector<int64_t>;

/// Consecutive rows.
struct RowSpan {
  int64_t first = 0;
  int64_t count = 0;
  bool operator==(const RowSpan&) const = default;
};

/// Which rows of a split a read asks for before any filter: those that are alive and, where row ids are given, named.
struct RowChoice {
  int64_t first_row_id = 0;
  DeletionVector dead;
  std::optional<std::vector<RowIdRange>> row_ids;  ///< sorted, disjoint

  RowPositions PositionsIn(RowSpan window) const;
};

/// Spans that cover `positions`, in order. Gaps of up to `most_gap` rows are covered too: going on costs less than
/// seeking. At most `most_spans`, the narrowest gaps are covered first.
std::vector<RowSpan> CoveringSpans(std::span<const int64_t> positions, int64_t most_gap, size_t most_spans);

}  // namespace reelhouse
