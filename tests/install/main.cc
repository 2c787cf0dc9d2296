// Uses the installed library as somebody else would: opens a warehouse, makes a table, adds rows, reads them back.
#include <cstdlib>
#include <iostream>

#include <arrow/api.h>

#include "reelhouse/reelhouse.h"

namespace {

arrow::Result<std::shared_ptr<arrow::Table>> MakeRows() {
  arrow::Int64Builder ids;
  arrow::StringBuilder names;
  for (int64_t id = 0; id < 3; ++id) {
    ARROW_RETURN_NOT_OK(ids.Append(id));
    ARROW_RETURN_NOT_OK(names.Append("row " + std::to_string(id)));
  }
  ARROW_ASSIGN_OR_RAISE(auto id_array, ids.Finish());
  ARROW_ASSIGN_OR_RAISE(auto name_array, names.Finish());
  auto schema = arrow::schema({arrow::field("id", arrow::int64()), arrow::field("name", arrow::utf8())});
  return arrow::Table::Make(schema, {id_array, name_array});
}

arrow::Status Run(const std::string& warehouse) {
  ARROW_ASSIGN_OR_RAISE(auto connection, reelhouse::Connection::Open({{"warehouse", warehouse}}));
  ARROW_ASSIGN_OR_RAISE(auto rows, MakeRows());
  ARROW_ASSIGN_OR_RAISE(reelhouse::Table table, connection->CreateTable("things", *rows->schema()));
  ARROW_RETURN_NOT_OK(table.Add({.rows = std::make_shared<arrow::TableBatchReader>(rows)}));

  reelhouse::Query query = table.Scan();
  ARROW_RETURN_NOT_OK(query.Where("id >= 1"));
  ARROW_ASSIGN_OR_RAISE(auto found, query.ToTable());
  if (found->num_rows() != 2) return arrow::Status::Invalid("expected 2 rows, found ", found->num_rows());
  std::cout << "reelhouse " << reelhouse::kVersion << ": " << found->num_rows() << " rows\n";
  return arrow::Status::OK();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: consumer WAREHOUSE\n";
    return EXIT_FAILURE;
  }
  arrow::Status status = Run(argv[1]);
  if (!status.ok()) std::cerr << "error: " << status.ToString() << "\n";
  return status.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}
