#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/schema/table_schema.h"

namespace reelhouse {

/// One Parquet file opened for reading; columns are found by name (format notes, 4.1). Not thread safe.
class ParquetFileReader {
 public:
  static Result<std::unique_ptr<ParquetFileReader>> Open(FileStore& files, const std::string& path, int64_t file_size);
  ~ParquetFileReader();

  int64_t row_count() const;
  bool HasColumn(const std::string& name) const;
  /// Rows of each row group, in order.
  std::vector<int64_t> RowGroupRows() const;
  /// Rows [first_row, first_row + row_count) of these columns, each converted to its `target` type (the current type of
  /// the column, e.g. after a schema change, by the casts of format notes 4.1). `columns[i]` is the name in the file.
  Result<std::shared_ptr<arrow::RecordBatch>> ReadRows(const std::vector<std::string>& columns,
                                                       const std::vector<DataField>& targets, int64_t first_row,
                                                       int64_t row_count, bool use_threads = true);

 private:
  struct State;
  explicit ParquetFileReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace reelhouse
