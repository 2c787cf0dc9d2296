#include "reelhouse/read/column_file.h"

#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

namespace reelhouse {
namespace {

// Rows between two wanted ones that cost less to decode than a new start, and the most starts of one read.
constexpr int64_t kMostGapRows = 1024;
constexpr size_t kMostSpans = 32;

// The rows of `batch`, which holds `span`, at `positions` (all of them in the span).
Result<std::shared_ptr<arrow::RecordBatch>> Picked(std::shared_ptr<arrow::RecordBatch> batch, RowSpan span,
                                                   std::span<const int64_t> positions) {
  if (static_cast<int64_t>(positions.size()) == span.count) return batch;
  arrow::Int64Builder indices;
  ARROW_RETURN_NOT_OK(indices.Reserve(static_cast<int64_t>(positions.size())));
  for (int64_t position : positions) indices.UnsafeAppend(position - span.first);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> index_array, indices.Finish());
  ARROW_ASSIGN_OR_RAISE(arrow::Datum taken,
                        arrow::compute::Take(arrow::Datum(std::move(batch)), arrow::Datum(std::move(index_array)),
                                             arrow::compute::TakeOptions::NoBoundsCheck()));
  return taken.record_batch();
}

}  // namespace

ColumnFile::ColumnFile(std::shared_ptr<FileStore> files, std::string path, int64_t file_size, RowSpan rows)
    : files_(std::move(files)), path_(std::move(path)), file_size_(file_size), rows_(rows) {}

Result<ParquetFileReader*> ColumnFile::ReaderOf(const std::vector<std::string>& names) {
  auto found = readers_.find(names);
  if (found != readers_.end()) return found->second.get();
  ARROW_ASSIGN_OR_RAISE(auto reader, ParquetFileReader::Open(*files_, path_, file_size_));
  if (reader->row_count() != rows_.count) {
    return CorruptFile(path_, -1,
                       fmt::format("the manifest says {} rows, the file has {}", rows_.count, reader->row_count()));
  }
  return readers_.emplace(names, std::move(reader)).first->second.get();
}

Result<std::vector<std::shared_ptr<arrow::Array>>> ColumnFile::Read(const std::vector<ColumnOfFile>& columns,
                                                                    std::span<const int64_t> positions,
                                                                    bool use_threads) {
  std::vector<std::string> all_names;
  for (const ColumnOfFile& column : columns) all_names.push_back(column.name);
  ARROW_ASSIGN_OR_RAISE(ParquetFileReader * reader, ReaderOf(all_names));
  std::vector<std::shared_ptr<arrow::Array>> arrays(columns.size());
  std::vector<std::string> names;
  std::vector<DataField> targets;
  std::vector<size_t> place_of;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (reader->HasColumn(columns[i].name)) {
      names.push_back(columns[i].name);
      targets.push_back(columns[i].target);
      place_of.push_back(i);
    } else {
      ARROW_ASSIGN_OR_RAISE(
          arrays[i], arrow::MakeArrayOfNull(columns[i].target.type.ToArrow(), static_cast<int64_t>(positions.size())));
    }
  }
  if (names.empty()) return arrays;

  std::vector<arrow::ArrayVector> pieces(names.size());
  size_t at = 0;
  for (const RowSpan& span : CoveringSpans(positions, kMostGapRows, kMostSpans)) {
    size_t end = at;
    while (end < positions.size() && positions[end] < span.first + span.count) ++end;
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch,
                          reader->ReadRows(names, targets, span.first - rows_.first, span.count, use_threads));
    if (batch->num_rows() != span.count) {
      return CorruptFile(path_, -1,
                         fmt::format("expected {} rows from row {}, found {}", span.count, span.first - rows_.first,
                                     batch->num_rows()));
    }
    ARROW_ASSIGN_OR_RAISE(batch, Picked(std::move(batch), span, positions.subspan(at, end - at)));
    for (size_t i = 0; i < names.size(); ++i) pieces[i].push_back(batch->column(static_cast<int>(i)));
    at = end;
  }
  for (size_t i = 0; i < names.size(); ++i) {
    std::shared_ptr<arrow::Array>& array = arrays[place_of[i]];
    if (pieces[i].size() == 1) {
      array = pieces[i].front();
    } else {
      ARROW_ASSIGN_OR_RAISE(array, arrow::Concatenate(pieces[i]));
    }
  }
  return arrays;
}

}  // namespace reelhouse
