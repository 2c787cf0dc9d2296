#include "reelhouse/write/columns_writer.h"

#include <algorithm>

#include <arrow/api.h>
#include <arrow/util/byte_size.h>
#include <fmt/format.h>

#include "reelhouse/base/uuid.h"

namespace reelhouse {
namespace {

std::vector<std::string> NamesOf(const std::vector<DataField>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const DataField& column : columns) names.push_back(column.name);
  return names;
}

}  // namespace

int64_t ArrowBytes(const arrow::RecordBatch& rows) {
  const auto bytes = arrow::util::ReferencedBufferSize(rows);
  return bytes.ok() ? *bytes : arrow::util::TotalBufferSize(rows);
}

ColumnsWriter::ColumnsWriter(AppendContext& context, std::string folder, Kind kind, std::vector<DataField> columns)
    : context_(context), folder_(std::move(folder)), kind_(kind), columns_(std::move(columns)), uuid_(NewUuid()) {}

Status ColumnsWriter::Write(const std::shared_ptr<arrow::RecordBatch>& rows) {
  const int64_t bytes = ArrowBytes(*rows);
  const int64_t target = context_.options.target_vector_file_bytes;
  if (kind_ == Kind::kNormal || file_bytes_ + bytes <= target) return Append(rows, bytes);
  // Vector files roll by themselves; rows have one size there, so bytes can be counted in rows.
  const int64_t row_bytes = std::max<int64_t>(bytes / std::max<int64_t>(rows->num_rows(), 1), 1);
  for (int64_t at = 0; at < rows->num_rows();) {
    if (file_ != nullptr && file_bytes_ + row_bytes > target) ARROW_RETURN_NOT_OK(CloseFile());
    const int64_t room = std::max<int64_t>((target - file_bytes_) / row_bytes, 1);
    const auto piece = rows->Slice(at, room);
    ARROW_RETURN_NOT_OK(Append(piece, piece->num_rows() * row_bytes));
    at += piece->num_rows();
  }
  return Status::OK();
}

Status ColumnsWriter::Append(const std::shared_ptr<arrow::RecordBatch>& rows, int64_t bytes) {
  if (rows->num_rows() == 0) return Status::OK();
  if (file_ == nullptr) {
    const std::string name =
        kind_ == Kind::kNormal
            ? fmt::format("{}{}-0.parquet", context_.options.file_prefix, NewUuid())
            : fmt::format("{}{}-{}.vector.parquet", context_.options.file_prefix, uuid_, next_ordinal_++);
    ARROW_ASSIGN_OR_RAISE(auto file, context_.staged.Create(folder_, name));
    ARROW_ASSIGN_OR_RAISE(file_, ParquetFileWriter::Make(std::move(file), columns_, context_.options.parquet));
    if (kind_ == Kind::kNormal && context_.options.has_statistics) statistics_.emplace(columns_);
    file_bytes_ = 0;
  }
  ARROW_RETURN_NOT_OK(file_->Write(*rows));
  if (statistics_) ARROW_RETURN_NOT_OK(statistics_->Add(*rows));
  file_bytes_ += bytes;
  arrow_bytes_ += bytes;
  row_count_ += rows->num_rows();
  return Status::OK();
}

Status ColumnsWriter::CloseFile() {
  if (file_ == nullptr) return Status::OK();
  const std::string path = file_->path();
  const int64_t rows = file_->row_count();
  ARROW_ASSIGN_OR_RAISE(const int64_t size_bytes, file_->Finish());
  file_.reset();
  file_bytes_ = 0;
  DataFile entry = NewDataFile(context_, path, size_bytes, rows);
  const bool has_sidecars = context_.schema->HasSidecars();
  if (kind_ == Kind::kVector) {
    entry.write_cols = NamesOf(columns_);
  } else {
    if (has_sidecars && !context_.options.write_cols_optimization) entry.write_cols = NamesOf(columns_);
    if (statistics_) {
      ARROW_ASSIGN_OR_RAISE(entry.value_stats, statistics_->Finish());
      statistics_.reset();
      if (has_sidecars) entry.value_stats_cols = NamesOf(columns_);
    } else {
      entry.value_stats_cols.emplace();
    }
  }
  finished_.push_back(std::move(entry));
  finished_paths_.push_back(path);
  return Status::OK();
}

Result<std::vector<DataFile>> ColumnsWriter::Finish() {
  ARROW_RETURN_NOT_OK(CloseFile());
  row_count_ = 0;
  arrow_bytes_ = 0;
  finished_paths_.clear();
  return std::exchange(finished_, {});
}

Status ColumnsWriter::Discard() {
  if (file_ != nullptr) finished_paths_.push_back(file_->path());
  file_.reset();
  statistics_.reset();
  for (const std::string& path : finished_paths_) ARROW_RETURN_NOT_OK(context_.staged.Drop(path));
  finished_paths_.clear();
  finished_.clear();
  row_count_ = 0;
  arrow_bytes_ = 0;
  return Status::OK();
}

}  // namespace reelhouse
