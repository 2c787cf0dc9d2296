#include "reelhouse/format/parquet/arrow_column_reader.h"

#include <algorithm>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <parquet/arrow/reader.h>

namespace reelhouse {
namespace {

constexpr int64_t kLeastBatchRows = 1024;
constexpr int64_t kMostBatchRows = 64 * 1024;

// Values of `rows`, all in the array whose first row is `begin`.
Result<std::shared_ptr<arrow::Array>> Picked(const std::shared_ptr<arrow::Array>& values, int64_t begin,
                                             std::span<const int64_t> rows) {
  const auto count = static_cast<int64_t>(rows.size());
  if (rows.back() - rows.front() + 1 == count) return values->Slice(rows.front() - begin, count);
  arrow::Int64Builder indexes;
  ARROW_RETURN_NOT_OK(indexes.Reserve(count));
  for (const int64_t row : rows) indexes.UnsafeAppend(row - begin);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> index_array, indexes.Finish());
  ARROW_ASSIGN_OR_RAISE(arrow::Datum taken,
                        arrow::compute::Take(values, index_array, arrow::compute::TakeOptions::NoBoundsCheck()));
  return taken.make_array();
}

}  // namespace

ArrowColumnReader::ArrowColumnReader(parquet::arrow::FileReader& file, std::mutex& file_lock,
                                     const std::vector<int64_t>& group_rows, std::vector<int> leaves)
    : file_(file), file_lock_(file_lock), group_rows_(group_rows), leaves_(std::move(leaves)) {}

ArrowColumnReader::~ArrowColumnReader() = default;

Result<std::shared_ptr<arrow::Array>> ArrowColumnReader::Read(std::span<const int64_t> rows) {
  // Rows far apart need no large batches.
  const int64_t batch_rows = std::clamp(rows.back() - rows.front() + 1, kLeastBatchRows, kMostBatchRows);
  arrow::ArrayVector pieces;
  while (!rows.empty()) {
    const int64_t first = rows.front();
    const bool goes_on =
        batches_ != nullptr && first >= batch_begin_ &&
        (first < batch_end_ || GroupOf(first) == GroupOf(std::max<int64_t>(batch_end_ - 1, 0)) || first == batch_end_);
    if (!goes_on) ARROW_RETURN_NOT_OK(OpenAt(first, batch_rows));
    while (first >= batch_end_) ARROW_RETURN_NOT_OK(NextBatch());
    const size_t count = std::lower_bound(rows.begin(), rows.end(), batch_end_) - rows.begin();
    ARROW_ASSIGN_OR_RAISE(auto piece, Picked(batch_->column(0), batch_begin_, rows.first(count)));
    pieces.push_back(std::move(piece));
    rows = rows.subspan(count);
  }
  if (pieces.size() == 1) return std::move(pieces.front());
  return arrow::Concatenate(pieces);
}

size_t ArrowColumnReader::GroupOf(int64_t row) const {
  size_t group = 0;
  for (int64_t end = 0; group < group_rows_.size(); ++group) {
    end += group_rows_[group];
    if (row < end) break;
  }
  return group;
}

Status ArrowColumnReader::OpenAt(int64_t row, int64_t batch_rows) {
  batches_.reset();
  batch_.reset();
  const size_t first_group = GroupOf(row);
  batch_begin_ = batch_end_ = 0;
  std::vector<int> groups;
  for (size_t group = 0; group < group_rows_.size(); ++group) {
    if (group < first_group) {
      batch_begin_ += group_rows_[group];
    } else {
      groups.push_back(static_cast<int>(group));
    }
  }
  batch_end_ = batch_begin_;
  std::lock_guard lock(file_lock_);
  file_.set_batch_size(batch_rows);
  ARROW_ASSIGN_OR_RAISE(batches_, file_.GetRecordBatchReader(groups, leaves_));
  ++statistics_.column_chunks_read;
  return Status::OK();
}

Status ArrowColumnReader::NextBatch() {
  ARROW_RETURN_NOT_OK(batches_->ReadNext(&batch_));
  if (batch_ == nullptr) return Status::Invalid("more rows were expected, but they end at row ", batch_end_);
  if (batch_->num_columns() != 1) return Status::Invalid("expected one column, found ", batch_->num_columns());
  batch_begin_ = batch_end_;
  batch_end_ += batch_->num_rows();
  statistics_.values_decoded += batch_->num_rows();
  return Status::OK();
}

}  // namespace reelhouse
