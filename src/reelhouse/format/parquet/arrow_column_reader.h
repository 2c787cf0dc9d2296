#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/format/parquet/column_reader.h"

namespace parquet::arrow {
class FileReader;
}

namespace reelhouse {

/// A column of any type and encoding, decoded by Arrow in batches; row groups without a wanted row are passed over. May
/// throw what the Parquet library throws.
class ArrowColumnReader final : public ParquetColumnReader {
 public:
  /// `leaves`: the Parquet columns of the one column. `file`, `file_lock` (which guards its settings) and `group_rows`
  /// outlive the reader.
  ArrowColumnReader(parquet::arrow::FileReader& file, std::mutex& file_lock, const std::vector<int64_t>& group_rows,
                    std::vector<int> leaves);
  ~ArrowColumnReader() override;

  Result<std::shared_ptr<arrow::Array>> Read(std::span<const int64_t> rows) override;

 private:
  size_t GroupOf(int64_t row) const;
  Status OpenAt(int64_t row, int64_t batch_rows);
  Status NextBatch();

  parquet::arrow::FileReader& file_;
  std::mutex& file_lock_;
  const std::vector<int64_t>& group_rows_;
  const std::vector<int> leaves_;

  std::unique_ptr<arrow::RecordBatchReader> batches_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  int64_t batch_begin_ = 0;  ///< row of the file
  int64_t batch_end_ = 0;
};

}  // namespace reelhouse
