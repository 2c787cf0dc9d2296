#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/format/parquet/parquet_file_reader.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/read/row_selection.h"
#include "reelhouse/schema/data_type.h"

namespace reelhouse {

/// A column as one file names it, and the type that it shall have.
struct ColumnOfFile {
  std::string name;
  DataField target;
};

/// One Parquet file of a split, opened when the first value is asked for.
class ColumnFile {
 public:
  /// `rows`: those of the split that the file holds.
  ColumnFile(std::shared_ptr<FileStore> files, std::string path, int64_t file_size, RowSpan rows);

  /// Values of rows `positions` (ascending positions in the split, all in `rows()`). A column that the file lacks is
  /// NULL. Different columns may be read side by side.
  Result<std::shared_ptr<arrow::Array>> Read(const ColumnOfFile& column, std::span<const int64_t> positions);

  /// What the file says of the values of a column, positions in the split; empty = nothing.
  Result<std::vector<ParquetColumnBounds>> BoundsOf(const ColumnOfFile& column);

  bool is_open() const { return reader_ != nullptr; }
  const std::string& path() const { return path_; }
  RowSpan rows() const { return rows_; }
  ParquetReadStatistics statistics() const { return is_open() ? reader_->statistics() : ParquetReadStatistics(); }

 private:
  Result<ParquetFileReader*> Open();

  const std::shared_ptr<FileStore> files_;
  const std::string path_;
  const int64_t file_size_;
  const RowSpan rows_;
  std::mutex open_lock_;
  std::unique_ptr<ParquetFileReader> reader_;
};

}  // namespace reelhouse
