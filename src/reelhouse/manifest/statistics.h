#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/manifest/data_file.h"
#include "reelhouse/schema/table_schema.h"

namespace reelhouse {

/// Gathers minimum, maximum and null count of every column of the rows that go into one file (format notes, 3.3, mode
/// `full`). NaN counts for nothing; texts are kept whole; columns that are not atomic and BLOBs have null counts only.
/// Not thread safe.
class StatisticsCollector {
 public:
  explicit StatisticsCollector(std::vector<DataField> columns);
  ~StatisticsCollector();
  StatisticsCollector(StatisticsCollector&&) noexcept;
  StatisticsCollector& operator=(StatisticsCollector&&) noexcept;

  /// Columns by position, with the types of `DataType::ToArrow()` (large and fixed-size binaries are taken as well).
  Status Add(const arrow::RecordBatch& batch);
  Result<ColumnStatistics> Finish() const;

  class Column;  ///< one for each type; in the .cc

 private:
  std::vector<DataField> fields_;
  std::vector<std::unique_ptr<Column>> columns_;
};

/// Statistics of a file without any: rows of arity 0 and no counts. Goes with an empty `_VALUE_STATS_COLS`.
ColumnStatistics NoStatistics();

/// What a file says about the values of one of its columns.
struct StatisticsOfColumn {
  /// Null scalars: not known, or there is no value that counts (then `null_count` is the row count). NaN is not
  /// covered.
  std::shared_ptr<arrow::Scalar> min;
  std::shared_ptr<arrow::Scalar> max;
  std::optional<int64_t> null_count;
};

/// The place of `column` in the rows of statistics of files that have the columns of this one; nothing where the file
/// does not tell (see below).
std::optional<int32_t> StatisticsPosition(const DataFile& file, const TableSchema& file_schema,
                                          std::string_view column);

/// The statistics of `column`, as it is named in the schema of the file; nothing where the file does not tell: no
/// statistics, rows too short, or a blob, video or vector file, whose numbers mean nothing (format notes, 3.3).
Result<std::optional<StatisticsOfColumn>> StatisticsOf(const DataFile& file, const TableSchema& file_schema,
                                                       std::string_view column);

/// Below 0, 0 or above 0 as `a` is less than, equal to or greater than `b`. Both valid and of one atomic type. Bytes
/// compare unsigned; NaN is greater than all numbers; -0.0 and 0.0 are equal.
int CompareScalars(const arrow::Scalar& a, const arrow::Scalar& b);

}  // namespace reelhouse
