#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/cancellation.h"
#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/predicate/predicate.h"
#include "reelhouse/scan/plan.h"
#include "reelhouse/schema/schema_store.h"

namespace reelhouse {

struct ReadContext {
  std::shared_ptr<FileStore> files;
  std::string table_path;
  std::shared_ptr<SchemaStore> schemas;
  /// Where stored descriptors may point: table, warehouse and `reelhouse.external-roots`. Others stay bytes.
  std::vector<std::string> roots;
};

struct ReadRequest {
  std::vector<std::string>
      columns;  ///< names of the plan's schema, `_ROW_ID`, `_SEQUENCE_NUMBER`; order and repeats kept
  Predicate predicate;
  std::optional<std::vector<RowIdRange>> row_ids;
  std::optional<int64_t> limit;
  /// BLOB cells: serialized descriptors (true) or content (false). Video cells are always descriptors.
  bool blob_as_descriptor = true;
  int64_t max_batch_rows = 131072;
  CancellationCheck cancelled;
};

/// What the reader opened, for `explain` and tests.
struct ReadStatistics {
  int64_t files_opened = 0;
  int64_t rows_scanned = 0;  ///< that the filter was asked about, or that were read without one
  int64_t rows_returned = 0;
  int64_t column_chunks_read = 0;  ///< a row group counts once for each column that is read
  int64_t pages_read = 0;          ///< decompressed, of flat columns
  int64_t pages_skipped = 0;       ///< neither decompressed nor decoded
  int64_t values_decoded = 0;      ///< those of rows that are decoded for their neighbours included
  int64_t descriptors_made = 0;
};

/// Rows of a plan as Arrow batches, in the order of the plan (format notes, 8.3 to 8.7). Pulls one split at a time;
/// closing early releases the files. Columns that filters need but the result does not are read and dropped.
class TableReader {
 public:
  TableReader(ReadContext context, Plan plan, ReadRequest request);
  ~TableReader();
  TableReader(TableReader&&) noexcept;

  const std::shared_ptr<arrow::Schema>& schema() const;
  /// The next batch, never empty; null at the end.
  Result<std::shared_ptr<arrow::RecordBatch>> Next();
  const ReadStatistics& statistics() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reelhouse
