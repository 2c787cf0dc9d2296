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

struct ParquetWriteOptions {
  std::string compression = "zstd";  ///< option `file.compression`
  int zstd_level = 1;                ///< option `file.compression.zstd-level`
  /// What a row group holds at most, in rows and about in bytes before encoding: a filter passes over whole row groups
  /// and pages, and a writer keeps one row group in memory.
  int64_t max_row_group_rows = 1 << 17;
  int64_t max_row_group_bytes = 64 << 20;
  int64_t page_bytes = 128 << 10;
  /// Option `reelhouse.null-vectors`: vectors are stored as plain lists, the only form in which Parquet readers take
  /// NULL.
  bool vectors_as_lists = false;

  static Result<ParquetWriteOptions> From(const Options& options);
};

/// One Parquet file being written (format notes, 4.1). Unfinished = nothing left behind. Not thread safe.
class ParquetFileWriter {
 public:
  static Result<std::unique_ptr<ParquetFileWriter>> Make(std::unique_ptr<OutputFile> file,
                                                         const std::vector<DataField>& columns,
                                                         const ParquetWriteOptions& options);
  ~ParquetFileWriter();

  /// Columns as in Make, types as `DataType::ToArrow()`. A NULL in a NOT NULL column is Invalid, naming it.
  Status Write(const arrow::RecordBatch& batch);
  int64_t row_count() const;
  const std::string& path() const;
  Result<int64_t> Finish();
  Status Discard();

 private:
  struct State;
  explicit ParquetFileWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace reelhouse
