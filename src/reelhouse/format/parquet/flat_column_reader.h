#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/format/parquet/column_reader.h"

namespace parquet {
class ParquetFileReader;
}

namespace reelhouse {

/// A column without nesting, read page by page: a page without a wanted row is not decompressed, and of the others only
/// wanted values are made, from runs and dictionaries as they are stored. Read is NotImplemented when a page turns up
/// whose encoding is rare; may throw what the Parquet library throws.
class FlatColumnReader final : public ParquetColumnReader {
 public:
  /// Null if the column is nested, or of a type that is left to Arrow. `file` and `group_rows` outlive the reader.
  static std::unique_ptr<FlatColumnReader> Make(parquet::ParquetFileReader& file,
                                                const std::vector<int64_t>& group_rows, int leaf,
                                                const std::shared_ptr<arrow::DataType>& type);
  ~FlatColumnReader() override;

  Result<std::shared_ptr<arrow::Array>> Read(std::span<const int64_t> rows) override;

 private:
  struct State;
  explicit FlatColumnReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace reelhouse
