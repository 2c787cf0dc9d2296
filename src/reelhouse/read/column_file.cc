#include "reelhouse/read/column_file.h"

#include <utility>
#include <vector>

#include <arrow/array/util.h>
#include <arrow/type.h>
#include <fmt/format.h>

namespace reelhouse {

ColumnFile::ColumnFile(std::shared_ptr<FileStore> files, std::string path, int64_t file_size, RowSpan rows)
    : files_(std::move(files)), path_(std::move(path)), file_size_(file_size), rows_(rows) {}

Result<ParquetFileReader*> ColumnFile::Open() {
  std::lock_guard lock(open_lock_);
  if (reader_ != nullptr) return reader_.get();
  ARROW_ASSIGN_OR_RAISE(auto reader, ParquetFileReader::Open(*files_, path_, file_size_));
  if (reader->row_count() != rows_.count) {
    return CorruptFile(path_, -1,
                       fmt::format("the manifest says {} rows, the file has {}", rows_.count, reader->row_count()));
  }
  reader_ = std::move(reader);
  return reader_.get();
}

Result<std::shared_ptr<arrow::Array>> ColumnFile::Read(const ColumnOfFile& column, std::span<const int64_t> positions) {
  ARROW_ASSIGN_OR_RAISE(ParquetFileReader * reader, Open());
  if (!reader->HasColumn(column.name)) {
    return arrow::MakeArrayOfNull(column.target.type.ToArrow(), static_cast<int64_t>(positions.size()));
  }
  if (rows_.first == 0) return reader->ReadColumn(column.name, column.target, positions);
  std::vector<int64_t> rows(positions.begin(), positions.end());
  for (int64_t& row : rows) row -= rows_.first;
  return reader->ReadColumn(column.name, column.target, rows);
}

Result<std::vector<ParquetColumnBounds>> ColumnFile::BoundsOf(const ColumnOfFile& column) {
  ARROW_ASSIGN_OR_RAISE(ParquetFileReader * reader, Open());
  ARROW_ASSIGN_OR_RAISE(auto bounds, reader->BoundsOf(column.name, column.target));
  for (ParquetColumnBounds& part : bounds) part.first_row += rows_.first;
  return bounds;
}

}  // namespace reelhouse
