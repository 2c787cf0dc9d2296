#pragma once

#include <cstdint>
#include <map>
#include <memory>
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

/// One Parquet file of a split, opened when the first value is asked for. Not thread safe.
class ColumnFile {
 public:
  /// `rows`: those of the split that the file holds.
  ColumnFile(std::shared_ptr<FileStore> files, std::string path, int64_t file_size, RowSpan rows);

  /// Values of rows `positions` (ascending positions in the split, all in `rows()`). A column that the file lacks is
  /// NULL. Reads the row ranges around the positions only.
  Result<std::vector<std::shared_ptr<arrow::Array>>> Read(const std::vector<ColumnOfFile>& columns,
                                                          std::span<const int64_t> positions, bool use_threads);

  bool is_open() const { return !readers_.empty(); }
  const std::string& path() const { return path_; }
  RowSpan rows() const { return rows_; }

 private:
  Result<ParquetFileReader*> ReaderOf(const std::vector<std::string>& names);

  const std::shared_ptr<FileStore> files_;
  const std::string path_;
  const int64_t file_size_;
  const RowSpan rows_;
  /// A reader goes on where it stopped only while the columns stay the same, so that those of the filter and those of
  /// the result, which take turns, have one each.
  std::map<std::vector<std::string>, std::unique_ptr<ParquetFileReader>> readers_;
};

}  // namespace reelhouse
