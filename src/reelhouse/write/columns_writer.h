#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/format/parquet/parquet_file_writer.h"
#include "reelhouse/manifest/statistics.h"
#include "reelhouse/write/append_context.h"

namespace reelhouse {

/// The Parquet files of some columns of one file group: the one normal file, or the vector files. Not thread safe.
class ColumnsWriter {
 public:
  enum class Kind { kNormal, kVector };
  ColumnsWriter(AppendContext& context, std::string folder, Kind kind, std::vector<DataField> columns);

  /// Columns as in the constructor.
  Status Write(const std::shared_ptr<arrow::RecordBatch>& rows);
  int64_t row_count() const { return row_count_; }
  int64_t arrow_bytes() const { return arrow_bytes_; }

  /// Closes the open file. The files of the group, in row order; the next rows start a new group.
  Result<std::vector<DataFile>> Finish();
  /// Removes what was written since the last Finish.
  Status Discard();

 private:
  Status Append(const std::shared_ptr<arrow::RecordBatch>& rows, int64_t bytes);
  Status CloseFile();

  AppendContext& context_;
  std::string folder_;
  Kind kind_;
  std::vector<DataField> columns_;
  std::string uuid_;  // of the vector files, which count up
  int64_t next_ordinal_ = 0;
  std::unique_ptr<ParquetFileWriter> file_;
  std::optional<StatisticsCollector> statistics_;
  int64_t file_bytes_ = 0;   // Arrow bytes in the open file
  int64_t arrow_bytes_ = 0;  // Arrow bytes in the group
  int64_t row_count_ = 0;    // of the group
  std::vector<DataFile> finished_;
  std::vector<std::string> finished_paths_;
};

/// Arrow bytes that `rows` take, shared buffers counted for their part.
int64_t ArrowBytes(const arrow::RecordBatch& rows);

}  // namespace reelhouse
