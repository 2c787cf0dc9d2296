#include <memory>
#include <utility>

#include <arrow/record_batch.h>

#include "reelhouse/table/add.h"
#include "reelhouse/table/append.h"

namespace reelhouse {

namespace {

/// Writes the rows of one video; gives their number.
Result<int64_t> WriteVideo(const Append& append, TableWriter& writer, const std::string& column,
                           const VideoInput& input) {
  if (input.first_frame < 0) return Status::Invalid("first_frame must be a non-negative int.");
  int64_t row = 0;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> rows;
    ARROW_RETURN_NOT_OK(input.rows.rows->ReadNext(&rows));
    if (!rows) return row;
    ARROW_ASSIGN_OR_RAISE(RowBatch batch, append.Align(rows, input.rows.trusted_uris, {column}));
    if (rows->num_rows() == 0) continue;
    batch.literal_blobs = CellsOfRows(input.rows.literal_blobs, row, rows->num_rows());
    batch.videos[column] = {VideoRun{input.video, input.first_frame + row, rows->num_rows()}};
    ARROW_RETURN_NOT_OK(writer.Write(std::move(batch)));
    row += rows->num_rows();
  }
}

}  // namespace

Result<std::optional<Snapshot>> AddVideos(const TableContext& table, const VideoInputs& videos,
                                          const WriteOptions& options) {
  ARROW_ASSIGN_OR_RAISE(Append append, Append::Begin(table, options));
  ARROW_ASSIGN_OR_RAISE(std::string column, append.VideoColumn(options.video_column, "add_video"));
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<TableWriter> writer, append.MakeWriter());
  int64_t row_count = 0;
  while (true) {
    if (options.cancelled) ARROW_RETURN_NOT_OK(options.cancelled());
    ARROW_ASSIGN_OR_RAISE(std::optional<VideoInput> input, videos());
    if (!input) break;
    ARROW_ASSIGN_OR_RAISE(int64_t rows, WriteVideo(append, *writer, column, *input));
    row_count += rows;
    if (options.progress) options.progress(row_count, -1);
  }
  ARROW_ASSIGN_OR_RAISE(FileChanges changes, writer->Finish());
  return append.Commit(std::move(changes));
}

}  // namespace reelhouse
