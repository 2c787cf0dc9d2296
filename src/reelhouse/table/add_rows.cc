#include <memory>
#include <utility>

#include <arrow/record_batch.h>

#include "reelhouse/table/add.h"
#include "reelhouse/table/append.h"

namespace reelhouse {

namespace {

/// Writes the rows of one input; progress goes on from the rows that the writer has.
Status WriteInput(const Append& append, TableWriter& writer, const RowInput& input, const WriteOptions& options) {
  int64_t first_row = 0;
  while (true) {
    if (options.cancelled) ARROW_RETURN_NOT_OK(options.cancelled());
    std::shared_ptr<arrow::RecordBatch> rows;
    ARROW_RETURN_NOT_OK(input.rows->ReadNext(&rows));
    if (!rows) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(RowBatch batch, append.Align(rows, input.trusted_uris, {}));
    if (rows->num_rows() == 0) continue;
    batch.literal_blobs = CellsOfRows(input.literal_blobs, first_row, rows->num_rows());
    ARROW_RETURN_NOT_OK(writer.Write(std::move(batch)));
    first_row += rows->num_rows();
    if (options.progress) options.progress(writer.row_count(), -1);
  }
}

}  // namespace

Result<std::optional<Snapshot>> AddRows(const TableContext& table, const RowInputs& inputs,
                                        const WriteOptions& options) {
  ARROW_ASSIGN_OR_RAISE(Append append, Append::Begin(table, options));
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<TableWriter> writer, append.MakeWriter());
  while (true) {
    ARROW_ASSIGN_OR_RAISE(std::optional<RowInput> input, inputs());
    if (!input) break;
    ARROW_RETURN_NOT_OK(WriteInput(append, *writer, *input, options));
  }
  ARROW_ASSIGN_OR_RAISE(FileChanges changes, writer->Finish());
  return append.Commit(std::move(changes));
}

}  // namespace reelhouse
