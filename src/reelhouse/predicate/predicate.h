#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/schema/data_type.h"

namespace reelhouse {

/// A filter over the columns of a table, in the one language of `where`. Immutable; cheap to copy.
///
/// Three-valued logic: a comparison with a NULL cell is unknown, NOT unknown is unknown, a row is taken only where the
/// filter is true. Grammar and errors: docs/guide, "Filters".
class Predicate {
 public:
  struct Node;  ///< predicate_node.h, for the rooms that look inside

  Predicate();  ///< TRUE
  explicit Predicate(std::shared_ptr<const Node> root);

  bool IsAlwaysTrue() const;
  const Node& root() const { return *root_; }
  Predicate And(const Predicate& other) const;

  /// Names of the columns that it needs, each once, in order of first use; may hold `_ROW_ID` and `_SEQUENCE_NUMBER`.
  std::vector<std::string> Columns() const;
  /// Canonical text: parses to the same filter.
  std::string ToText() const;

 private:
  std::shared_ptr<const Node> root_;
};

/// Parses the text of a filter against the columns `fields` (system columns are known besides). Blank text = TRUE.
/// Errors are Invalid with the 1-based position, what was found and what was expected.
Result<Predicate> ParsePredicate(std::string_view text, const std::vector<DataField>& fields);

/// Rows of `batch` for which the filter is true: a boolean array without nulls. Columns are found by name.
Result<std::shared_ptr<arrow::BooleanArray>> EvaluatePredicate(const Predicate& predicate,
                                                               const arrow::RecordBatch& batch);

/// What is known of a column over a set of rows.
struct ColumnRange {
  std::shared_ptr<arrow::Scalar> min;  ///< null = unknown
  std::shared_ptr<arrow::Scalar> max;
  std::optional<int64_t> null_count;
  int64_t row_count = 0;
};

/// True if rows with these ranges may match; false only if none can. `range_of` gives nothing for unknown columns.
bool MayMatch(const Predicate& predicate,
              const std::function<std::optional<ColumnRange>(std::string_view column)>& range_of);

/// An inclusive range of row ids.
struct RowIdRange {
  int64_t first = 0;
  int64_t last = 0;
  bool operator==(const RowIdRange&) const = default;
};

/// Row ids that can match, from `_ROW_ID` with =, <, >, IN, BETWEEN joined by AND and OR; nothing = all. Sorted,
/// disjoint.
std::optional<std::vector<RowIdRange>> WantedRowIds(const Predicate& predicate);

}  // namespace reelhouse
