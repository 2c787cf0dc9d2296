#include "reelhouse/format/parquet/parquet_file_reader.h"

#include <algorithm>
#include <optional>

#include <arrow/api.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "reelhouse/format/parquet/column_cast.h"

namespace reelhouse {
namespace {

constexpr int64_t kBatchRows = 64 * 1024;

// A failure without a detail is the Parquet library's word on the content; one with a detail came from the store.
Status AsCorruption(const std::string& path, const Status& status) {
  if (status.ok()) return status;
  if (status.detail() != nullptr || status.IsOutOfMemory() || status.IsCancelled()) return Prefixed(path, status);
  return CorruptFile(path, -1, "Parquet: " + status.message());
}

// Parquet's libraries throw here and there although their signatures give a status.
template <typename Call>
Status Guarded(const std::string& path, Call&& call) {
  try {
    return AsCorruption(path, call());
  } catch (const parquet::ParquetStatusException& e) {
    return AsCorruption(path, e.status());
  } catch (const std::bad_alloc&) {
    return Status::OutOfMemory(path, ": not enough memory for what the Parquet file says that it holds");
  } catch (const std::exception& e) {
    return AsCorruption(path, Status::IOError(e.what()));
  }
}

void AddLeafColumns(const parquet::arrow::SchemaField& field, std::vector<int>* leaves) {
  if (field.column_index >= 0) leaves->push_back(field.column_index);
  for (const auto& child : field.children) AddLeafColumns(child, leaves);
}

}  // namespace

struct ParquetFileReader::State {
  std::string path;
  std::unique_ptr<parquet::arrow::FileReader> reader;
  std::vector<int64_t> group_rows;
  int64_t row_count = 0;

  // Reads go on where the last one of the same columns stopped: a file that is read batch by batch is decoded once.
  struct Cursor {
    std::vector<std::string> columns;
    std::unique_ptr<arrow::RecordBatchReader> batches;
    std::shared_ptr<arrow::RecordBatch> batch;  // what is left of the last one
    int64_t next_row = 0;
    bool use_threads = true;
  };
  std::optional<Cursor> cursor;

  Status OpenCursor(const std::vector<std::string>& columns, int64_t first_row, bool use_threads);
  Result<std::shared_ptr<arrow::RecordBatch>> Next(int64_t most_rows);
  Status Skip(int64_t rows);
};

ParquetFileReader::ParquetFileReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ParquetFileReader::~ParquetFileReader() = default;

Result<std::unique_ptr<ParquetFileReader>> ParquetFileReader::Open(FileStore& files, const std::string& path,
                                                                   int64_t /*file_size*/) {
  // The size in a manifest may be wrong for Parquet (format notes, 3.2): the footer is found from the real end.
  auto state = std::make_unique<State>();
  state->path = path;
  ARROW_ASSIGN_OR_RAISE(auto file, files.OpenInput(path));
  ARROW_RETURN_NOT_OK(Guarded(path, [&]() -> Status {
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(file));
    const auto metadata = builder.raw_reader()->metadata();
    // The Parquet schema alone says what is stored. Arrow's own notes would restore types that have to be cast away
    // again, make NULL vectors unreadable, and are one more parser for foreign bytes.
    if (metadata->key_value_metadata() != nullptr) {
      auto notes = std::const_pointer_cast<arrow::KeyValueMetadata>(metadata->key_value_metadata());
      if (notes->Contains("ARROW:schema")) ARROW_RETURN_NOT_OK(notes->Delete("ARROW:schema"));
    }
    for (int i = 0; i < metadata->num_row_groups(); ++i) {
      const int64_t rows = metadata->RowGroup(i)->num_rows();
      if (rows < 0 || rows > metadata->num_rows() - state->row_count) {
        return Status::Invalid("row group ", i, ": expected 0 to ", metadata->num_rows() - state->row_count,
                               " rows, found ", rows);
      }
      state->group_rows.push_back(rows);
      state->row_count += rows;
    }
    if (state->row_count != metadata->num_rows()) {
      return Status::Invalid("expected ", metadata->num_rows(), " rows in row groups, found ", state->row_count);
    }
    parquet::ArrowReaderProperties properties(/*use_threads=*/true);
    properties.set_batch_size(kBatchRows);
    properties.set_pre_buffer(false);
    builder.properties(properties);
    ARROW_ASSIGN_OR_RAISE(state->reader, builder.Build());
    return Status::OK();
  }));
  return std::unique_ptr<ParquetFileReader>(new ParquetFileReader(std::move(state)));
}

int64_t ParquetFileReader::row_count() const { return state_->row_count; }

bool ParquetFileReader::HasColumn(const std::string& name) const {
  const auto& fields = state_->reader->manifest().schema_fields;
  return std::any_of(fields.begin(), fields.end(), [&](const auto& field) { return field.field->name() == name; });
}

std::vector<int64_t> ParquetFileReader::RowGroupRows() const { return state_->group_rows; }

Status ParquetFileReader::State::OpenCursor(const std::vector<std::string>& columns, int64_t first_row,
                                            bool use_threads) {
  cursor.reset();
  std::vector<int> groups;
  int64_t skipped = 0;
  size_t group = 0;
  while (group < group_rows.size() && skipped + group_rows[group] <= first_row) skipped += group_rows[group++];
  for (; group < group_rows.size(); ++group) groups.push_back(static_cast<int>(group));
  std::vector<int> leaves;
  for (const std::string& name : columns) {
    const auto& fields = reader->manifest().schema_fields;
    const auto found =
        std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.field->name() == name; });
    if (found == fields.end()) return Status::Invalid("column '", name, "' is not in the file");
    AddLeafColumns(*found, &leaves);
  }
  Cursor opened;
  opened.columns = columns;
  opened.next_row = skipped;
  opened.use_threads = use_threads;
  reader->set_use_threads(use_threads);
  ARROW_ASSIGN_OR_RAISE(opened.batches, reader->GetRecordBatchReader(groups, leaves));
  cursor = std::move(opened);
  return Skip(first_row - skipped);
}

Result<std::shared_ptr<arrow::RecordBatch>> ParquetFileReader::State::Next(int64_t most_rows) {
  while (cursor->batch == nullptr || cursor->batch->num_rows() == 0) {
    ARROW_RETURN_NOT_OK(cursor->batches->ReadNext(&cursor->batch));
    if (cursor->batch == nullptr) {
      return Status::Invalid("expected rows up to ", row_count, ", but they end at row ", cursor->next_row);
    }
  }
  auto batch = cursor->batch->Slice(0, most_rows);
  cursor->batch = cursor->batch->Slice(batch->num_rows());
  cursor->next_row += batch->num_rows();
  return batch;
}

Status ParquetFileReader::State::Skip(int64_t rows) {
  while (rows > 0) {
    ARROW_ASSIGN_OR_RAISE(const auto batch, Next(rows));
    rows -= batch->num_rows();
  }
  return Status::OK();
}

Result<std::shared_ptr<arrow::RecordBatch>> ParquetFileReader::ReadRows(const std::vector<std::string>& columns,
                                                                        const std::vector<DataField>& targets,
                                                                        int64_t first_row, int64_t row_count,
                                                                        bool use_threads) {
  if (first_row < 0 || row_count < 0 || first_row > state_->row_count || row_count > state_->row_count - first_row) {
    return Status::Invalid(state_->path, ": expected rows within 0 to ", state_->row_count, ", found ", row_count,
                           " rows from row ", first_row);
  }
  if (columns.size() != targets.size()) {
    return Status::Invalid(state_->path, ": expected a target for each of ", columns.size(), " columns, found ",
                           targets.size());
  }
  arrow::FieldVector fields;
  for (const DataField& target : targets) fields.push_back(ToArrowField(target));
  const auto schema = arrow::schema(std::move(fields));
  if (columns.empty()) return arrow::RecordBatch::Make(schema, row_count, arrow::ArrayVector{});
  if (row_count == 0) return arrow::RecordBatch::MakeEmpty(schema);

  // Arrow reads columns in file order, each once.
  std::vector<std::string> wanted = columns;
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  const Status read = Guarded(state_->path, [&]() -> Status {
    auto& cursor = state_->cursor;
    const bool goes_on =
        cursor && cursor->columns == wanted && cursor->use_threads == use_threads && cursor->next_row <= first_row;
    int64_t group_start = 0;
    for (const int64_t rows : state_->group_rows) {
      if (group_start + rows > first_row) break;
      group_start += rows;
    }
    // A new cursor jumps over row groups, an open one decodes them.
    if (goes_on && cursor->next_row >= group_start) {
      ARROW_RETURN_NOT_OK(state_->Skip(first_row - cursor->next_row));
    } else {
      ARROW_RETURN_NOT_OK(state_->OpenCursor(wanted, first_row, use_threads));
    }
    for (int64_t left = row_count; left > 0; left -= batches.back()->num_rows()) {
      ARROW_ASSIGN_OR_RAISE(auto batch, state_->Next(left));
      batches.push_back(std::move(batch));
    }
    return Status::OK();
  });
  if (!read.ok()) {
    state_->cursor.reset();  // it may stand anywhere
    return read;
  }

  arrow::ArrayVector arrays;
  for (size_t i = 0; i < columns.size(); ++i) {
    arrow::ArrayVector pieces;
    for (const auto& batch : batches) {
      const auto column = batch->GetColumnByName(columns[i]);
      if (column == nullptr) return CorruptFile(state_->path, -1, "Parquet: no column '" + columns[i] + "'");
      auto cast = CastColumn(column, schema->field(static_cast<int>(i))->type(), CastRule::kStored);
      if (!cast.ok()) return Prefixed(state_->path + ": column '" + columns[i] + "'", cast.status());
      pieces.push_back(std::move(cast).ValueUnsafe());
    }
    if (pieces.size() == 1) {
      arrays.push_back(std::move(pieces[0]));
      continue;
    }
    auto joined = arrow::Concatenate(pieces);
    if (!joined.ok()) return Prefixed(state_->path + ": column '" + columns[i] + "'", joined.status());
    arrays.push_back(std::move(joined).ValueUnsafe());
  }
  return arrow::RecordBatch::Make(schema, row_count, std::move(arrays));
}

}  // namespace reelhouse
