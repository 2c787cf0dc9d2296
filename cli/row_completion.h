#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"

namespace reelhouse::cli {

/// Columns that the user fills from the command line.
struct ExtraColumns {
  std::vector<std::string> values;  ///< `column=text`, the same in every row
  std::string index_column;         ///< 0, 1, 2, ...; empty = none
  std::string file_column;          ///< name of the image or video file; empty = none

  bool empty() const { return values.empty() && index_column.empty() && file_column.empty(); }
};

/// Rows completed by columns of the command line, or made of them alone. A value; immutable.
class RowCompletion {
 public:
  /// The name of the file that row `row` comes from.
  using FileNames = std::function<std::string(int64_t row)>;

  /// Checks the columns against those of the table and turns texts into values of their types.
  static Result<RowCompletion> Make(const ExtraColumns& extra, const arrow::Schema& table_schema);

  /// `rows` with the columns in addition; refused where a row file has one of them as well.
  Result<std::shared_ptr<arrow::RecordBatchReader>> Complete(std::shared_ptr<arrow::RecordBatchReader> rows,
                                                             FileNames file_names) const;
  /// `row_count` rows of these columns alone.
  Result<std::shared_ptr<arrow::RecordBatchReader>> Generate(int64_t row_count, FileNames file_names) const;

 private:
  friend class CompletedRows;
  friend class GeneratedRows;

  arrow::FieldVector Fields() const;
  /// The columns of rows `first` to `first + count` - 1.
  Result<arrow::ArrayVector> Columns(int64_t first, int64_t count, const FileNames& file_names) const;

  std::vector<std::pair<std::string, std::shared_ptr<arrow::Scalar>>> constants_;
  std::string index_column_;
  std::string file_column_;
};

/// `key=value` cut at the first `=`; `option` names it in errors.
Result<std::pair<std::string, std::string>> ParseAssignment(std::string_view text, std::string_view option);

}  // namespace reelhouse::cli
