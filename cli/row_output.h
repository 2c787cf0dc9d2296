#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <arrow/type_fwd.h>

#include "cli/result_stream.h"
#include "reelhouse/base/status.h"

namespace reelhouse::cli {

enum class RowFormat { kTable, kCsv, kJson, kJsonl, kParquet, kArrow };

/// By its name; refused with the names that there are.
Result<RowFormat> ParseRowFormat(std::string_view name);

/// The format that belongs to the end of a file name, nothing if none does.
std::optional<RowFormat> RowFormatOfFile(std::string_view path);

/// True for formats that would only mess up a terminal.
inline bool IsBinary(RowFormat format) { return format == RowFormat::kParquet || format == RowFormat::kArrow; }

/// A writer of rows in one format. Finish exactly once; it does not finish the stream below.
class RowOutput {
 public:
  virtual ~RowOutput() = default;
  virtual Status Write(const arrow::RecordBatch& batch) = 0;
  virtual Status Finish() = 0;
};

/// kArrow is a file where `out` is one, and a stream on standard output.
Result<std::unique_ptr<RowOutput>> MakeRowOutput(RowFormat format, const std::shared_ptr<arrow::Schema>& schema,
                                                 std::shared_ptr<ResultStream> out);

}  // namespace reelhouse::cli
