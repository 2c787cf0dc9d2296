#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// What was done to read a Parquet file, for tests and `explain`.
struct ParquetReadStatistics {
  int64_t column_chunks_read = 0;  ///< a row group counts once for each column
  int64_t pages_read = 0;
  int64_t pages_skipped = 0;   ///< neither decompressed nor decoded
  int64_t values_decoded = 0;  ///< values that went to an array, and those that were decoded for their neighbours

  void Add(const ParquetReadStatistics& other) {
    column_chunks_read += other.column_chunks_read;
    pages_read += other.pages_read;
    pages_skipped += other.pages_skipped;
    values_decoded += other.values_decoded;
  }
};

/// One column of a Parquet file that gives the values of any rows. Going on behind the last row is cheap, going back
/// starts anew. Not thread safe, but the readers of several columns of a file may work side by side.
class ParquetColumnReader {
 public:
  virtual ~ParquetColumnReader() = default;
  /// Values of `rows`: ascending, all in the file, at least one.
  virtual Result<std::shared_ptr<arrow::Array>> Read(std::span<const int64_t> rows) = 0;

  const ParquetReadStatistics& statistics() const { return statistics_; }

 protected:
  ParquetReadStatistics statistics_;
};

}  // namespace reelhouse
