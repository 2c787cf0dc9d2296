#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/manifest/manifest_list.h"
#include "reelhouse/predicate/predicate.h"
#include "reelhouse/scan/plan.h"
#include "reelhouse/schema/schema_store.h"
#include "reelhouse/schema/table_schema.h"

namespace reelhouse {

/// True if a range of row ids meets one of `wanted` (sorted, disjoint); no `wanted` means all.
bool Overlaps(const std::optional<std::vector<RowIdRange>>& wanted, RowIdRange range);

/// Row ids as a column, for filters on `_ROW_ID`.
ColumnRange RowIdColumnRange(RowIdRange range);

/// The rows in both; nothing means all.
std::optional<std::vector<RowIdRange>> Intersection(const std::optional<std::vector<RowIdRange>>& a,
                                                    const std::optional<std::vector<RowIdRange>>& b);

/// Sorted and disjoint, as the two above need it.
std::vector<RowIdRange> Normalized(std::vector<RowIdRange> ranges);

/// What a filter can rule out before any data file is opened (format notes, 8.5). `schema` is that of the plan.
/// Thread safe.
class SplitPruning {
 public:
  SplitPruning(std::shared_ptr<const TableSchema> schema, Predicate predicate,
               std::optional<std::vector<RowIdRange>> row_ids);

  const TableSchema& schema() const { return *schema_; }
  const Predicate& predicate() const { return predicate_; }
  const std::optional<std::vector<RowIdRange>>& row_ids() const { return row_ids_; }
  /// Columns of the filter that files hold: neither partition keys nor system columns.
  const std::vector<std::string>& value_columns() const { return other_columns_; }
  bool IsPartitionKey(std::string_view column) const;
  /// False if no file can be ruled out.
  bool prunes_files() const { return row_ids_.has_value() || asks_for_partition_ || !other_columns_.empty(); }

  bool MayHoldRows(const ManifestFile& manifest) const;
  /// Answers are kept: a table has few partitions and many files.
  Result<bool> MayHoldPartition(std::string_view partition) const;
  /// What the partition says of the values of one of its keys; nothing if it cannot be read.
  std::optional<ColumnRange> PartitionRange(std::string_view key, std::string_view partition, int64_t row_count) const;
  /// By the value statistics of the newest file that gives each column.
  Result<bool> MayHoldRows(const Split& split, SchemaStore& schemas) const;

 private:
  bool MayMatchPartition(const std::vector<std::shared_ptr<arrow::Scalar>>& min,
                         const std::vector<std::shared_ptr<arrow::Scalar>>& max,
                         const std::vector<std::optional<int64_t>>& null_counts, int64_t row_count) const;

  const std::shared_ptr<const TableSchema> schema_;
  const Predicate predicate_;
  std::optional<std::vector<RowIdRange>> row_ids_;
  std::vector<DataType> partition_types_;
  bool asks_for_partition_ = false;
  std::vector<std::string> other_columns_;  ///< of the predicate, neither partition keys nor system columns
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, bool> partition_answers_;
};

}  // namespace reelhouse
