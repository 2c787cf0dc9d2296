#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"

namespace parquet {
class ParquetFileReader;
}

namespace reelhouse {

/// What a Parquet file says of the values of one column in consecutive rows.
struct ParquetColumnBounds {
  int64_t first_row = 0;
  int64_t row_count = 0;
  std::shared_ptr<arrow::Scalar> min;  ///< of type `type` below; null = unknown
  std::shared_ptr<arrow::Scalar> max;
  std::optional<int64_t> null_count;
};

/// Bounds of a flat column over all rows, in order: of its pages where the file has a page index, else of its row
/// groups. Those of another type than `type` are unknown. May throw what the Parquet library throws.
Result<std::vector<ParquetColumnBounds>> ReadColumnBounds(parquet::ParquetFileReader& file,
                                                          const std::vector<int64_t>& group_rows, int leaf,
                                                          const arrow::DataType& type);

}  // namespace reelhouse
