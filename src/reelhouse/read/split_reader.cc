#include "reelhouse/read/split_reader.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <arrow/array/array_primitive.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include "reelhouse/format/parquet/parquet_file_reader.h"
#include "reelhouse/read/split_columns_reader.h"

namespace reelhouse {
namespace {

// About how much one batch may hold. Files are compressed, about so much.
constexpr int64_t kMostBatchBytes = 128 << 20;
constexpr int64_t kMostPayloadBytes = 64 << 20;
constexpr int64_t kExpansion = 4;
constexpr int64_t kLeastWindowRows = 1024;
// Where a filter meets a limit, the first rows may be enough: the rows that it is asked about begin with so many.
constexpr int64_t kFirstLimitedRows = 4096;
// More rows than that are believed only if a file has them: columns that no file gives, as row ids, would else go on
// for as long as a number in a manifest says.
constexpr int64_t kMostUnseenRows = 1 << 24;

Result<DeletionVector> ReadDeletionVector(FileStore& files, const Split& split) {
  if (!split.deletion_vector) return DeletionVector();
  IndexFile index_file;
  index_file.partition = split.partition;
  index_file.bucket = split.bucket;
  index_file.index_type = kDeletionVectorsIndex;
  index_file.file_name = split.deletion_vector->path.substr(split.deletion_vector->path.rfind('/') + 1);
  index_file.row_count = 1;
  index_file.deletion_vectors = std::vector<DeletionVectorRange>{split.deletion_vector->range};
  ARROW_ASSIGN_OR_RAISE(DeletionVectors vectors, ReadDeletionVectors(files, split.deletion_vector->path, index_file));
  auto found = vectors.find(split.deletion_vector->range.data_file_name);
  return found == vectors.end() ? DeletionVector() : found->second;
}

Status CheckRowCount(const SplitReadContext& context, const Split& split) {
  const ManifestEntry& entry = split.normal_files.front();
  ARROW_ASSIGN_OR_RAISE(const std::string path, context.paths.DataFilePath(entry));
  ARROW_ASSIGN_OR_RAISE(const auto file, ParquetFileReader::Open(*context.files, path, entry.file.file_size));
  if (file->row_count() == split.row_count) return Status::OK();
  return CorruptFile(path, -1,
                     fmt::format("the manifest says {} rows, the file has {}", split.row_count, file->row_count()));
}

}  // namespace

struct SplitReader::State {
  std::shared_ptr<const SplitReadContext> context;
  Split split;

  bool is_open = false;
  RowChoice choice;
  std::unique_ptr<SplitColumnsReader> columns;
  std::vector<RowSpan> may_match;   ///< rows that the filter may take
  std::vector<size_t> late_places;  ///< of the result, read after the filter
  int64_t window_rows = 0;
  int64_t limited_rows = kFirstLimitedRows;  ///< of the next window that a limit may end
  int64_t next_position = 0;
  ReadStatistics statistics;

  Status Open();
  void CountWork();
  Result<std::shared_ptr<arrow::RecordBatch>> ReadWindow(int64_t most_rows);
  Status Filter(RowPositions* positions, arrow::ArrayVector* filter_arrays);
};

SplitReader::SplitReader(std::shared_ptr<const SplitReadContext> context, Split split)
    : state_(std::make_unique<State>()) {
  state_->context = std::move(context);
  state_->split = std::move(split);
}

SplitReader::~SplitReader() = default;

const ReadStatistics& SplitReader::statistics() const { return state_->statistics; }

Result<std::shared_ptr<arrow::RecordBatch>> SplitReader::Next(int64_t most_rows, bool use_threads) {
  State& state = *state_;
  if (!state.is_open) ARROW_RETURN_NOT_OK(state.Open());
  state.columns->set_use_threads(use_threads);
  while (state.next_position < state.split.row_count && most_rows > 0) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch, state.ReadWindow(most_rows));
    state.CountWork();
    if (batch == nullptr) continue;
    state.statistics.rows_returned += batch->num_rows();
    return batch;
  }
  return nullptr;
}

Status SplitReader::State::Open() {
  const ReadColumns& wanted = context->columns;
  if (split.row_count > kMostUnseenRows) ARROW_RETURN_NOT_OK(CheckRowCount(*context, split));
  choice.first_row_id = split.first_row_id;
  choice.row_ids = context->row_ids;
  ARROW_ASSIGN_OR_RAISE(choice.dead, ReadDeletionVector(*context->files, split));
  ARROW_ASSIGN_OR_RAISE(columns, SplitColumnsReader::Make(context, split));
  std::vector<size_t> all = wanted.of_filter;
  for (size_t place : wanted.of_result) {
    all.push_back(place);
    const bool is_early =
        std::find(wanted.of_filter.begin(), wanted.of_filter.end(), place) != wanted.of_filter.end() &&
        wanted.columns[place].content == ReadColumn::Content::kAsStored;
    const bool is_known = std::find(late_places.begin(), late_places.end(), place) != late_places.end();
    if (!is_early && !is_known) late_places.push_back(place);
  }
  const int64_t bytes_per_row = std::max<int64_t>(columns->BytesPerRow(all), 1) * kExpansion;
  window_rows = std::max<int64_t>(kMostBatchBytes / bytes_per_row, kLeastWindowRows);
  window_rows = std::min(window_rows, context->max_batch_rows);
  may_match = {{0, split.row_count}};
  if (!context->predicate.IsAlwaysTrue()) {
    ARROW_ASSIGN_OR_RAISE(may_match, columns->RowsThatMayMatch(split.row_count));
  }
  is_open = true;
  return Status::OK();
}

void SplitReader::State::CountWork() {
  statistics.files_opened = columns->files_opened();
  const ParquetReadStatistics parquet = columns->parquet_statistics();
  statistics.column_chunks_read = parquet.column_chunks_read;
  statistics.pages_read = parquet.pages_read;
  statistics.pages_skipped = parquet.pages_skipped;
  statistics.values_decoded = parquet.values_decoded;
  statistics.descriptors_made = columns->descriptors_made();
}

// Reads what the filter needs and keeps the rows for which it is true.
Status SplitReader::State::Filter(RowPositions* positions, arrow::ArrayVector* filter_arrays) {
  if (context->predicate.IsAlwaysTrue()) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(*filter_arrays, columns->Read(context->columns.of_filter, *positions, /*as_stored=*/true));
  auto batch =
      arrow::RecordBatch::Make(context->columns.filter_schema, static_cast<int64_t>(positions->size()), *filter_arrays);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::BooleanArray> mask, EvaluatePredicate(context->predicate, *batch));
  const int64_t kept = mask->true_count();
  if (kept == mask->length()) return Status::OK();
  RowPositions left;
  left.reserve(static_cast<size_t>(kept));
  const uint8_t* bits = mask->values()->data();  // an array of its own, so it begins with the first bit
  for (size_t i = 0; i < positions->size(); i += 8) {
    // Few rows are left by most filters.
    for (uint32_t byte = bits[i / 8]; byte != 0; byte &= byte - 1) {
      const size_t at = i + static_cast<size_t>(std::countr_zero(byte));
      if (at < positions->size()) left.push_back((*positions)[at]);
    }
  }
  *positions = std::move(left);
  if (positions->empty()) return Status::OK();
  for (std::shared_ptr<arrow::Array>& array : *filter_arrays) {
    ARROW_ASSIGN_OR_RAISE(arrow::Datum filtered, arrow::compute::Filter(array, arrow::Datum(mask)));
    array = filtered.make_array();
  }
  return Status::OK();
}

// The rows of the next window that are left, or null if none is.
Result<std::shared_ptr<arrow::RecordBatch>> SplitReader::State::ReadWindow(int64_t most_rows) {
  const ReadColumns& wanted = context->columns;
  const auto hopeful =
      std::upper_bound(may_match.begin(), may_match.end(), next_position,
                       [](int64_t position, const RowSpan& span) { return position < span.first + span.count; });
  if (hopeful == may_match.end()) {
    next_position = split.row_count;
    return nullptr;
  }
  next_position = std::max(next_position, hopeful->first);
  RowSpan window{next_position, std::min(window_rows, split.row_count - next_position)};
  if (context->predicate.IsAlwaysTrue()) {
    window.count = std::min(window.count, most_rows);
  } else if (most_rows < window.count) {
    window.count = std::min(window.count, std::max(limited_rows, most_rows));
    limited_rows *= 2;
  }
  next_position = window.first + window.count;

  RowPositions positions = choice.PositionsIn(window);
  if (hopeful->first + hopeful->count < next_position) KeepRowsIn(may_match, &positions);
  if (positions.empty()) return nullptr;
  statistics.rows_scanned += static_cast<int64_t>(positions.size());
  arrow::ArrayVector filter_arrays;
  ARROW_RETURN_NOT_OK(Filter(&positions, &filter_arrays));
  if (positions.empty()) return nullptr;

  ARROW_ASSIGN_OR_RAISE(size_t count, columns->RowsWithin(late_places, positions, kMostPayloadBytes));
  count = std::min(count, static_cast<size_t>(std::min<int64_t>(most_rows, window.count)));
  if (count < positions.size()) {
    // The rows that did not fit are the beginning of the next window.
    next_position = positions[count];
    positions.resize(count);
    for (auto& array : filter_arrays) array = array->Slice(0, static_cast<int64_t>(count));
  }
  ARROW_ASSIGN_OR_RAISE(arrow::ArrayVector late_arrays, columns->Read(late_places, positions, /*as_stored=*/false));

  arrow::ArrayVector arrays;
  for (size_t place : wanted.of_result) {
    auto late = std::find(late_places.begin(), late_places.end(), place);
    if (late != late_places.end()) {
      arrays.push_back(late_arrays[late - late_places.begin()]);
    } else {
      auto early = std::find(wanted.of_filter.begin(), wanted.of_filter.end(), place);
      arrays.push_back(filter_arrays[early - wanted.of_filter.begin()]);
    }
  }
  return arrow::RecordBatch::Make(wanted.result_schema, static_cast<int64_t>(count), std::move(arrays));
}

}  // namespace reelhouse
