#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"

namespace reelhouse::cli {

/// A pattern of file names with the columns of a row, such as `{task}/{_ROW_ID:08}`: `{column}` is the cell as text,
/// `{column:08}` a whole number with zeros in front; `{{` and `}}` are braces. Slashes of the pattern make folders,
/// those of cells do not.
class FileNamePattern {
 public:
  static Result<FileNamePattern> Parse(std::string_view text);

  /// Names of the columns that it needs, each once.
  const std::vector<std::string>& columns() const { return columns_; }

  /// The name for a row of a batch that has these columns.
  Result<std::string> NameOf(const arrow::RecordBatch& batch, int64_t row) const;

 private:
  struct Piece {
    std::string text;  ///< as it is, where `column` is empty
    std::string column;
    int digits = 0;  ///< width that zeros fill
  };
  std::vector<Piece> pieces_;
  std::vector<std::string> columns_;
};

}  // namespace reelhouse::cli
