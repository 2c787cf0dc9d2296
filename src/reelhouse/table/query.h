#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/cancellation.h"
#include "reelhouse/base/status.h"
#include "reelhouse/predicate/predicate.h"
#include "reelhouse/read/frame_reader.h"
#include "reelhouse/read/table_reader.h"
#include "reelhouse/scan/plan.h"
#include "reelhouse/table/table_context.h"

namespace reelhouse {

/// Which version of a table is read; at most one is set, none = the newest at each terminal call.
struct TimeTravel {
  std::optional<int64_t> snapshot_id;
  std::optional<std::string> tag_name;
  std::optional<int64_t> timestamp_millis;  ///< newest snapshot not after this
};

/// Which rows and columns of a table are wanted. A value; nothing is read before a terminal call, and each terminal
/// call plans anew. Rows come in row-id order.
class Query {
 public:
  Query(std::shared_ptr<const TableContext> table, TimeTravel version,
        std::optional<std::vector<RowIdRange>> row_ids = {});

  /// ANDed with earlier filters; parsed at once against the columns of the version that is read. Blank = no filter.
  Status Where(std::string_view text);
  /// The last call wins; order and repeats are kept. Unknown names are refused, naming the nearest.
  Status Select(std::vector<std::string> columns);
  void WithRowId() { with_row_id_ = true; }
  /// Nothing = no limit; 0 or negative = no rows.
  void Limit(std::optional<int64_t> rows) { limit_ = rows; }
  void SetCancellation(CancellationCheck cancelled) { cancelled_ = std::move(cancelled); }

  /// Columns of the result. A selection without columns gives no rows, as in the contract.
  Result<std::shared_ptr<arrow::Schema>> ResultSchema() const;
  Result<std::shared_ptr<arrow::RecordBatchReader>> ToReader() const;
  Result<std::shared_ptr<arrow::Table>> ToTable() const;
  /// Number of rows; without a filter from metadata alone.
  Result<int64_t> Count() const;
  /// The plan in words, with what the read of it opened left out.
  Result<std::string> Explain() const;
  Result<Plan> MakePlan() const;

  /// Rows without their blob columns, and the content of the blob columns (all of the selection if `columns` is empty).
  struct RowsWithBlobs {
    std::shared_ptr<arrow::Table> rows;
    std::vector<std::pair<std::string, std::shared_ptr<arrow::ChunkedArray>>> blobs;
  };
  Result<RowsWithBlobs> ReadBlobs(std::vector<std::string> columns, int parallelism = 64) const;

  /// The same per batch.
  class BlobBatches {
   public:
    virtual ~BlobBatches() = default;
    virtual Result<std::optional<RowsWithBlobs>> Next() = 0;  ///< nothing at the end
  };
  Result<std::unique_ptr<BlobBatches>> StreamBlobs(std::vector<std::string> columns, int parallelism = 64) const;

  /// Frames of a video column ("" = the only one) in the order of the rows; nothing for NULL.
  Result<std::vector<std::optional<DecodedFrame>>> ReadFrames(std::string column, FrameRequest request) const;

 private:
  struct Prepared;
  /// Plans; `columns` = nothing: what was selected.
  Result<Prepared> Prepare(std::optional<std::vector<std::string>> columns = {}) const;
  Result<TableReader> Open(Prepared prepared) const;
  Result<std::shared_ptr<const TableSchema>> SchemaOfVersion(std::optional<Snapshot>* snapshot) const;
  Result<std::vector<std::string>> SelectedColumns(const TableSchema& schema) const;

  std::shared_ptr<const TableContext> table_;
  TimeTravel version_;
  std::optional<std::vector<RowIdRange>> row_ids_;
  std::vector<std::string> filters_;
  std::optional<std::vector<std::string>> selected_;
  bool with_row_id_ = false;
  std::optional<int64_t> limit_;
  CancellationCheck cancelled_;
};

}  // namespace reelhouse
