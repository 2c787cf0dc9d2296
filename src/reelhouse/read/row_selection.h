#pragma once

#include <cstdint>
#include <optional>
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

/// Rows that are in both. All lists are sorted and disjoint; neighbours are joined.
std::vector<RowSpan> CommonRows(const std::vector<RowSpan>& a, const std::vector<RowSpan>& b);

/// Leaves only positions in `spans`, which are sorted and disjoint.
void KeepRowsIn(const std::vector<RowSpan>& spans, RowPositions* positions);

}  // namespace reelhouse
