#include "reelhouse/read/table_reader.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "reelhouse/base/thread_pool.h"
#include "reelhouse/io/location.h"
#include "reelhouse/read/split_reader.h"
#include "reelhouse/scan/split_pruning.h"

namespace reelhouse {
namespace {

// What is read side by side, at most: each split gives one batch before its turn comes.
constexpr size_t kMostSplitsAtOnce = 64;
constexpr int64_t kMostRowsOfSplit = 131072;
constexpr int64_t kMostBytesAtOnce = 256 << 20;

// A split that was begun, and the batch that it gave before its turn.
struct BegunSplit {
  std::unique_ptr<SplitReader> reader;
  std::shared_ptr<arrow::RecordBatch> batch;
  Status status;
  ReadStatistics counted;
  bool is_at_end = false;

  void Read(int64_t most_rows, bool use_threads) {
    Result<std::shared_ptr<arrow::RecordBatch>> next = reader->Next(most_rows, use_threads);
    status = next.status();
    if (next.ok()) batch = *std::move(next);
    is_at_end = batch == nullptr;
  }
};

int64_t LiveRows(const Split& split) {
  return split.row_count - (split.deletion_vector ? split.deletion_vector->range.cardinality.value_or(0) : 0);
}

}  // namespace

struct TableReader::State {
  std::shared_ptr<const SplitReadContext> context;
  CancellationCheck cancelled;
  std::vector<Split> splits;
  bool reads_payloads = false;
  Status failure;
  std::shared_ptr<arrow::Schema> schema = arrow::schema({});

  size_t next_split = 0;
  size_t most_splits = 1;  ///< of the next wave while a limit may end the read soon
  int64_t rows_left = std::numeric_limits<int64_t>::max();
  std::deque<BegunSplit> begun;
  ReadStatistics statistics;

  Status Prepare(ReadContext read_context, Plan plan, ReadRequest request);
  size_t SplitsOfNextWave() const;
  int64_t BytesOf(const Split& split) const;
  Status BeginSplits();
  Result<std::shared_ptr<arrow::RecordBatch>> Advance();
  void Count(BegunSplit* split);
  void Release();
};

TableReader::TableReader(ReadContext context, Plan plan, ReadRequest request) : state_(std::make_unique<State>()) {
  state_->failure = state_->Prepare(std::move(context), std::move(plan), std::move(request));
}

TableReader::~TableReader() = default;
TableReader::TableReader(TableReader&&) noexcept = default;

const std::shared_ptr<arrow::Schema>& TableReader::schema() const { return state_->schema; }
const ReadStatistics& TableReader::statistics() const { return state_->statistics; }

Status TableReader::State::Prepare(ReadContext read_context, Plan plan, ReadRequest request) {
  if (plan.schema == nullptr) return Status::Invalid("a read needs a plan with a schema");
  if (request.max_batch_rows < 1) {
    return Status::Invalid("max_batch_rows: expected 1 or more, found ", request.max_batch_rows);
  }
  if (request.limit && *request.limit < 0) {
    return Status::Invalid("limit: expected 0 or more, found ", *request.limit);
  }
  ARROW_ASSIGN_OR_RAISE(ReadColumns columns,
                        ReadColumns::Of(*plan.schema, request.columns, request.predicate, request.blob_as_descriptor));
  schema = columns.result_schema;
  for (const ReadColumn& column : columns.columns) {
    reads_payloads = reads_payloads || column.content == ReadColumn::Content::kPayload;
  }
  std::optional<std::vector<RowIdRange>> row_ids = std::move(request.row_ids);
  if (row_ids) row_ids = Normalized(*std::move(row_ids));
  if (!request.predicate.IsAlwaysTrue()) row_ids = Intersection(row_ids, WantedRowIds(request.predicate));

  const std::string table_path = SpelledLocation(read_context.table_path);
  std::vector<std::string> roots{table_path};
  roots.insert(roots.end(), read_context.roots.begin(), read_context.roots.end());
  context = std::make_shared<const SplitReadContext>(SplitReadContext{
      std::move(read_context.files), std::move(read_context.schemas), plan.schema, TablePaths(table_path, plan.schema),
      std::move(roots), std::move(columns), std::move(request.predicate), std::move(row_ids), request.max_batch_rows});
  cancelled = std::move(request.cancelled);
  splits = std::move(plan.splits);
  if (request.limit) rows_left = *request.limit;
  return Status::OK();
}

void TableReader::State::Count(BegunSplit* split) {
  const ReadStatistics& now = split->reader->statistics();
  for (int64_t ReadStatistics::*number :
       {&ReadStatistics::files_opened, &ReadStatistics::rows_scanned, &ReadStatistics::column_chunks_read,
        &ReadStatistics::pages_read, &ReadStatistics::pages_skipped, &ReadStatistics::values_decoded,
        &ReadStatistics::descriptors_made}) {
    statistics.*number += now.*number - split->counted.*number;
  }
  split->counted = now;
}

void TableReader::State::Release() {
  begun.clear();
  next_split = splits.size();
}

int64_t TableReader::State::BytesOf(const Split& split) const {
  int64_t bytes = 0;
  for (const ManifestEntry& entry : split.normal_files) bytes += entry.file.file_size;
  if (!reads_payloads) return bytes;
  for (const ManifestEntry& entry : split.sidecars) bytes += entry.file.file_size;
  return bytes;
}

// Small splits are read side by side; a larger one is alone and keeps the cores busy by itself.
size_t TableReader::State::SplitsOfNextWave() const {
  const bool is_filtered = !context->predicate.IsAlwaysTrue() || context->row_ids;
  const bool is_limited = rows_left != std::numeric_limits<int64_t>::max();
  const int64_t most_rows = kMostRowsOfSplit * ThreadsOfProcess();
  size_t count = 0;
  int64_t rows = 0, live_rows = 0, bytes = 0;
  while (next_split + count < splits.size() && count < kMostSplitsAtOnce) {
    const Split& split = splits[next_split + count];
    rows += split.row_count;
    bytes += BytesOf(split);
    if (split.row_count > kMostRowsOfSplit || rows > most_rows || bytes > kMostBytesAtOnce) break;
    if (is_limited && (is_filtered ? count >= most_splits : live_rows >= rows_left)) break;
    live_rows += LiveRows(split);
    ++count;
  }
  return std::max<size_t>(count, 1);
}

Status TableReader::State::BeginSplits() {
  const size_t count = SplitsOfNextWave();
  std::vector<BegunSplit> wave(count);
  // A failure stays with its split: rows before it, or a limit that they fill, come first.
  ARROW_RETURN_NOT_OK(ParallelFor(
      static_cast<int64_t>(count),
      [&](int64_t i) -> Status {
        wave[i].reader = std::make_unique<SplitReader>(context, std::move(splits[next_split + i]));
        wave[i].Read(rows_left, /*use_threads=*/count == 1);
        return Status::OK();
      },
      0, cancelled));
  next_split += count;
  most_splits = std::min(most_splits * 2, kMostSplitsAtOnce);
  for (BegunSplit& split : wave) begun.push_back(std::move(split));
  return Status::OK();
}

// The next batch, whatever the limit; null at the end.
Result<std::shared_ptr<arrow::RecordBatch>> TableReader::State::Advance() {
  while (true) {
    if (begun.empty()) {
      if (next_split == splits.size()) return nullptr;
      ARROW_RETURN_NOT_OK(BeginSplits());
    }
    BegunSplit& split = begun.front();
    if (split.batch == nullptr && !split.is_at_end) {
      if (cancelled) ARROW_RETURN_NOT_OK(cancelled());
      split.Read(rows_left, /*use_threads=*/true);
    }
    Count(&split);
    if (split.batch != nullptr) return std::exchange(split.batch, nullptr);
    ARROW_RETURN_NOT_OK(split.status);
    begun.pop_front();
  }
}

Result<std::shared_ptr<arrow::RecordBatch>> TableReader::Next() {
  State& state = *state_;
  ARROW_RETURN_NOT_OK(state.failure);
  if (state.rows_left == 0) {
    state.Release();
    return nullptr;
  }
  Result<std::shared_ptr<arrow::RecordBatch>> batch = state.Advance();
  if (!batch.ok()) {
    state.failure = batch.status();
    state.Release();
    return batch;
  }
  if (*batch == nullptr) return batch;
  if ((*batch)->num_rows() > state.rows_left) batch = (*batch)->Slice(0, state.rows_left);
  state.statistics.rows_returned += (*batch)->num_rows();
  if (state.rows_left != std::numeric_limits<int64_t>::max()) state.rows_left -= (*batch)->num_rows();
  if (state.rows_left == 0) state.Release();
  return batch;
}

}  // namespace reelhouse
