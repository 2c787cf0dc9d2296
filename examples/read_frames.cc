// Lists the rows of a table that a filter keeps, as a stream, and says how large the frames of its video column are.
//
//   read_frames WAREHOUSE DATABASE.TABLE [WHERE]
#include <cstdlib>
#include <iostream>

#include <arrow/api.h>

#include "reelhouse/reelhouse.h"

namespace {

arrow::Status PrintRows(const reelhouse::Query& query) {
  // Batches come one at a time: memory stays flat however many rows there are.
  ARROW_ASSIGN_OR_RAISE(auto reader, query.ToReader());
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (!batch) return arrow::Status::OK();
    std::cout << batch->ToString();
  }
}

arrow::Status PrintFrames(const reelhouse::Query& query) {
  reelhouse::FrameRequest request;
  request.format.pixels = reelhouse::FrameFormat::Pixels::kGray8;
  request.on_error = reelhouse::OnFrameError::kNull;  // a damaged video gives no frame instead of a failure
  ARROW_ASSIGN_OR_RAISE(auto frames, query.ReadFrames("", request));
  for (size_t i = 0; i < frames.size(); ++i) {
    std::cout << "frame " << i << ": ";
    if (frames[i]) {
      std::cout << frames[i]->width << " x " << frames[i]->height << "\n";
    } else {
      std::cout << "none\n";
    }
  }
  return arrow::Status::OK();
}

arrow::Status Run(const std::string& warehouse, const std::string& name, const std::string& filter) {
  ARROW_ASSIGN_OR_RAISE(auto connection, reelhouse::Connection::Open({{"warehouse", warehouse}}));
  arrow::Result<reelhouse::Table> table = connection->GetTable(name);
  if (reelhouse::IsKind(table.status(), reelhouse::ErrorKind::kTableNotExist)) {
    return arrow::Status::Invalid("there is no table ", name, " in ", warehouse);
  }
  ARROW_RETURN_NOT_OK(table.status());

  reelhouse::Query query = table->Scan();
  ARROW_RETURN_NOT_OK(query.Where(filter));
  query.Limit(10);
  ARROW_RETURN_NOT_OK(PrintFrames(query));
  query.WithRowId();
  return PrintRows(query);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::cerr << "usage: read_frames WAREHOUSE DATABASE.TABLE [WHERE]\n";
    return EXIT_FAILURE;
  }
  arrow::Status status = Run(argv[1], argv[2], argc == 4 ? argv[3] : "");
  if (!status.ok()) std::cerr << "error: " << status.ToString() << "\n";
  return status.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}
