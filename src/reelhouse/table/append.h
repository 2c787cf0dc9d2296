#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>

#include "reelhouse/base/status.h"
#include "reelhouse/snapshot/snapshot.h"
#include "reelhouse/table/table_context.h"
#include "reelhouse/table/write_input.h"
#include "reelhouse/write/table_writer.h"

namespace reelhouse {

/// An append in progress: a writer on the newest schema, and the commit at its end. Nothing stays behind unless
/// `Commit` succeeded.
class Append {
 public:
  static Result<Append> Begin(const TableContext& table, const WriteOptions& options);

  const TableSchema& schema() const { return *schema_; }
  /// The named video column, or the only one where the name is empty; texts of the contract, `call` names the call.
  Result<std::string> VideoColumn(const std::string& name, std::string_view call) const;

  /// A writer for a part of the rows; parts are committed in the order given to `Commit`.
  Result<std::unique_ptr<TableWriter>> MakeWriter() const;
  Result<RowBatch> Align(const std::shared_ptr<arrow::RecordBatch>& rows,
                         const std::unordered_set<std::string>& trusted_uris,
                         const std::set<std::string>& ignored_columns) const;
  Result<std::optional<Snapshot>> Commit(FileChanges changes) const;

 private:
  Append(const TableContext& table, const WriteOptions& options, std::shared_ptr<const TableSchema> schema)
      : table_(&table), options_(&options), schema_(std::move(schema)) {}

  const TableContext* table_;
  const WriteOptions* options_;
  std::shared_ptr<const TableSchema> schema_;
};

/// The changes of `part` behind those of `changes`.
void AppendChanges(FileChanges part, FileChanges& changes);

/// Cells of `all` (column -> rows of a stream) that lie in [first_row, first_row + row_count), counted from first_row.
std::map<std::string, std::set<int64_t>> CellsOfRows(const std::map<std::string, std::set<int64_t>>& all,
                                                     int64_t first_row, int64_t row_count);

}  // namespace reelhouse
