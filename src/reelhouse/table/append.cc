#include "reelhouse/table/append.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reelhouse/commit/committer.h"

namespace reelhouse {

Result<Append> Append::Begin(const TableContext& table, const WriteOptions& options) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const TableSchema> schema, table.LatestSchema());
  return Append(table, options, std::move(schema));
}

Result<std::string> Append::VideoColumn(const std::string& name, std::string_view call) const {
  const std::vector<std::string> columns = schema_->VideoColumns();
  if (columns.empty()) return Status::Invalid(call, " requires table option 'video-frame-field'.");
  if (name.empty()) {
    if (columns.size() == 1) return columns.front();
    return Status::Invalid(
        "video_column is required when 'video-frame-field' configures multiple fields. Video columns: ",
        fmt::format("{}", fmt::join(columns, ", ")));
  }
  if (std::find(columns.begin(), columns.end(), name) == columns.end()) {
    return Status::Invalid("Video column '", name, "' is not configured by 'video-frame-field'. Video columns: ",
                           fmt::format("{}", fmt::join(columns, ", ")));
  }
  return name;
}

Result<std::unique_ptr<TableWriter>> Append::MakeWriter() const {
  return TableWriter::Make(WriteContext{
      .files = table_->files, .schema = schema_, .table_path = table_->path, .cancelled = options_->cancelled});
}

Result<RowBatch> Append::Align(const std::shared_ptr<arrow::RecordBatch>& rows,
                               const std::unordered_set<std::string>& trusted_uris,
                               const std::set<std::string>& ignored_columns) const {
  const ReferencePolicy references{.roots = table_->roots, .trusted_uris = trusted_uris};
  return AlignRows(rows, *schema_, references, ignored_columns);
}

Result<std::optional<Snapshot>> Append::Commit(FileChanges changes) const {
  changes.schema_id = schema_->id;
  changes.properties = options_->properties;
  return Committer(table_->files, table_->path, schema_).Commit(std::move(changes));
}

void AppendChanges(FileChanges part, FileChanges& changes) {
  std::move(part.entries.begin(), part.entries.end(), std::back_inserter(changes.entries));
  std::move(part.staged_paths.begin(), part.staged_paths.end(), std::back_inserter(changes.staged_paths));
}

std::map<std::string, std::set<int64_t>> CellsOfRows(const std::map<std::string, std::set<int64_t>>& all,
                                                     int64_t first_row, int64_t row_count) {
  std::map<std::string, std::set<int64_t>> cells;
  for (const auto& [column, rows] : all) {
    for (auto row = rows.lower_bound(first_row); row != rows.end() && *row < first_row + row_count; ++row) {
      cells[column].insert(*row - first_row);
    }
  }
  return cells;
}

}  // namespace reelhouse
