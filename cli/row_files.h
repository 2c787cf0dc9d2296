#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"

namespace reelhouse::cli {

/// Rows of a Parquet, CSV (TSV), JSON Lines, JSON or Arrow (file or stream) file, told by the end of its name or its
/// first bytes. `table_schema` gives the types of the columns of text formats; null: they are guessed. Columns that are
/// not in it come with a guessed type. In CSV an empty cell is NULL and `""` the empty text.
Result<std::shared_ptr<arrow::RecordBatchReader>> OpenRowFile(const std::string& path,
                                                              const std::shared_ptr<arrow::Schema>& table_schema);

/// The rows of several files one after another, as far as they go; files may differ in their columns.
Result<std::shared_ptr<arrow::RecordBatchReader>> OpenRowFiles(const std::vector<std::string>& paths,
                                                               const std::shared_ptr<arrow::Schema>& table_schema);

/// The columns of a row file.
Result<std::shared_ptr<arrow::Schema>> SchemaOfRowFile(const std::string& path);

}  // namespace reelhouse::cli
