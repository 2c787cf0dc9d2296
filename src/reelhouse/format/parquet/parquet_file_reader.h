#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/format/parquet/column_bounds.h"
#include "reelhouse/format/parquet/column_reader.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/schema/table_schema.h"

namespace reelhouse {

/// One Parquet file opened for reading; columns are found by name (format notes, 4.1). Not thread safe, except as
/// ReadColumn says.
class ParquetFileReader {
 public:
  static Result<std::unique_ptr<ParquetFileReader>> Open(FileStore& files, const std::string& path, int64_t file_size);
  ~ParquetFileReader();

  int64_t row_count() const;
  bool HasColumn(const std::string& name) const;
  /// Rows of each row group, in order.
  std::vector<int64_t> RowGroupRows() const;

  /// Values of `rows` (ascending, in the file) of a column, converted to the `target` type (the current type of the
  /// column, e.g. after a schema change, by the casts of format notes 4.1). Going on behind the last rows of the column
  /// is cheap. Different columns may be read side by side.
  Result<std::shared_ptr<arrow::Array>> ReadColumn(const std::string& name, const DataField& target,
                                                   std::span<const int64_t> rows);

  /// Rows [first_row, first_row + row_count) of these columns. `columns[i]` is the name in the file.
  Result<std::shared_ptr<arrow::RecordBatch>> ReadRows(const std::vector<std::string>& columns,
                                                       const std::vector<DataField>& targets, int64_t first_row,
                                                       int64_t row_count, bool use_threads = true);

  /// Bounds of a column, of pages or row groups, over all rows in order; empty if they say nothing about values of the
  /// `target` type.
  Result<std::vector<ParquetColumnBounds>> BoundsOf(const std::string& name, const DataField& target);

  /// Sums over all columns. Not while a column is being read.
  ParquetReadStatistics statistics() const;

 private:
  struct State;
  explicit ParquetFileReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace reelhouse
