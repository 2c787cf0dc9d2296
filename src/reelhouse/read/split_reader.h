#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/manifest/table_paths.h"
#include "reelhouse/read/read_columns.h"
#include "reelhouse/read/row_selection.h"
#include "reelhouse/read/table_reader.h"
#include "reelhouse/scan/plan.h"
#include "reelhouse/schema/schema_store.h"

namespace reelhouse {

/// What the readers of all splits of one read share. Immutable.
struct SplitReadContext {
  std::shared_ptr<FileStore> files;
  std::shared_ptr<SchemaStore> schemas;
  std::shared_ptr<const TableSchema> schema;
  TablePaths paths;
  std::vector<std::string> roots;  ///< the table itself, then those of ReadContext
  ReadColumns columns;
  Predicate predicate;
  std::optional<std::vector<RowIdRange>> row_ids;  ///< sorted, disjoint
  int64_t max_batch_rows = 131072;
};

/// The rows of one split, a batch at a time: dead rows dropped, columns stitched from their files, filter applied. What
/// the filter needs is read first; the other columns only for rows that are left. Not thread safe.
class SplitReader {
 public:
  SplitReader(std::shared_ptr<const SplitReadContext> context, Split split);
  ~SplitReader();

  /// The next batch of 1 to `most_rows` rows; null at the end. `use_threads`: decode columns side by side.
  Result<std::shared_ptr<arrow::RecordBatch>> Next(int64_t most_rows, bool use_threads);
  const ReadStatistics& statistics() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reelhouse
