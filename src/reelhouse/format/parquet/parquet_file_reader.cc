#include "reelhouse/format/parquet/parquet_file_reader.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <arrow/api.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include "reelhouse/base/thread_pool.h"
#include "reelhouse/format/parquet/arrow_column_reader.h"
#include "reelhouse/format/parquet/column_cast.h"
#include "reelhouse/format/parquet/flat_column_reader.h"

namespace reelhouse {
namespace {

// A failure without a detail is the Parquet library's word on the content; one with a detail came from the store.
Status AsCorruption(const std::string& path, const Status& status) {
  if (status.ok()) return status;
  if (status.detail() != nullptr || status.IsOutOfMemory() || status.IsCancelled() || status.IsCapacityError())
    return Prefixed(path, status);
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

// Column chunks are read at once, unless one is so large that memory would not stay flat: then in parts.
constexpr int64_t kMostChunkBytes = 32 << 20;
constexpr int64_t kBufferBytes = 2 << 20;

int64_t LargestChunkBytes(const parquet::FileMetaData& metadata) {
  int64_t largest = 0;
  for (int group = 0; group < metadata.num_row_groups(); ++group) {
    const auto row_group = metadata.RowGroup(group);
    for (int column = 0; column < row_group->num_columns(); ++column) {
      largest = std::max(largest, row_group->ColumnChunk(column)->total_compressed_size());
    }
  }
  return largest;
}

void AddLeafColumns(const parquet::arrow::SchemaField& field, std::vector<int>* leaves) {
  if (field.column_index >= 0) leaves->push_back(field.column_index);
  for (const auto& child : field.children) AddLeafColumns(child, leaves);
}

}  // namespace

struct ParquetFileReader::State {
  std::string path;
  std::unique_ptr<parquet::arrow::FileReader> reader;
  std::mutex reader_lock;
  std::vector<int64_t> group_rows;
  int64_t row_count = 0;

  struct Column {
    std::unique_ptr<ParquetColumnReader> reader;
    bool is_left_to_arrow = false;
    ParquetReadStatistics former;  ///< of readers that are gone
  };
  std::vector<Column> columns;  ///< as the fields of the file

  std::optional<size_t> PlaceOf(const std::string& name) const;
  const parquet::arrow::SchemaField& FieldAt(size_t place) const { return reader->manifest().schema_fields[place]; }
  void OpenColumn(size_t place);
  void CloseColumn(size_t place);
  Result<std::shared_ptr<arrow::Array>> ReadStored(size_t place, std::span<const int64_t> rows);
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
    auto builder = std::make_unique<parquet::arrow::FileReaderBuilder>();
    ARROW_RETURN_NOT_OK(builder->Open(file));
    const auto metadata = builder->raw_reader()->metadata();
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
    if (LargestChunkBytes(*metadata) > kMostChunkBytes) {
      parquet::ReaderProperties in_parts;
      in_parts.enable_buffered_stream();
      in_parts.set_buffer_size(kBufferBytes);
      builder = std::make_unique<parquet::arrow::FileReaderBuilder>();
      ARROW_RETURN_NOT_OK(builder->Open(file, in_parts, metadata));
    }
    // Columns are read side by side by whoever reads several.
    parquet::ArrowReaderProperties properties(/*use_threads=*/false);
    properties.set_pre_buffer(false);
    builder->properties(properties);
    ARROW_ASSIGN_OR_RAISE(state->reader, builder->Build());
    state->columns.resize(state->reader->manifest().schema_fields.size());
    return Status::OK();
  }));
  return std::unique_ptr<ParquetFileReader>(new ParquetFileReader(std::move(state)));
}

int64_t ParquetFileReader::row_count() const { return state_->row_count; }

bool ParquetFileReader::HasColumn(const std::string& name) const { return state_->PlaceOf(name).has_value(); }

std::vector<int64_t> ParquetFileReader::RowGroupRows() const { return state_->group_rows; }

std::optional<size_t> ParquetFileReader::State::PlaceOf(const std::string& name) const {
  const auto& fields = reader->manifest().schema_fields;
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.field->name() == name; });
  if (found == fields.end()) return std::nullopt;
  return static_cast<size_t>(found - fields.begin());
}

void ParquetFileReader::State::OpenColumn(size_t place) {
  const parquet::arrow::SchemaField& field = FieldAt(place);
  Column& column = columns[place];
  if (!column.is_left_to_arrow && field.column_index >= 0) {
    column.reader =
        FlatColumnReader::Make(*reader->parquet_reader(), group_rows, field.column_index, field.field->type());
  }
  if (column.reader != nullptr) return;
  std::vector<int> leaves;
  AddLeafColumns(field, &leaves);
  column.reader = std::make_unique<ArrowColumnReader>(*reader, reader_lock, group_rows, std::move(leaves));
}

void ParquetFileReader::State::CloseColumn(size_t place) {
  Column& column = columns[place];
  if (column.reader != nullptr) column.former.Add(column.reader->statistics());
  column.reader.reset();
}

Result<std::shared_ptr<arrow::Array>> ParquetFileReader::State::ReadStored(size_t place,
                                                                           std::span<const int64_t> rows) {
  Column& column = columns[place];
  std::shared_ptr<arrow::Array> values;
  const auto read = [&]() -> Status {
    if (column.reader == nullptr) OpenColumn(place);
    ARROW_ASSIGN_OR_RAISE(values, column.reader->Read(rows));
    return Status::OK();
  };
  Status status = Guarded(path, [&]() -> Status {
    const Status flat = read();
    if (!flat.IsNotImplemented() || column.is_left_to_arrow) return flat;
    // A rare encoding: Arrow knows them all.
    column.is_left_to_arrow = true;
    CloseColumn(place);
    return read();
  });
  if (!status.ok()) {
    CloseColumn(place);  // it may stand anywhere
    return status;
  }
  return values;
}

Result<std::shared_ptr<arrow::Array>> ParquetFileReader::ReadColumn(const std::string& name, const DataField& target,
                                                                    std::span<const int64_t> rows) {
  const std::shared_ptr<arrow::DataType> type = target.type.ToArrow();
  if (rows.empty()) return arrow::MakeEmptyArray(type);
  if (rows.front() < 0 || rows.back() >= state_->row_count) {
    return Status::Invalid(state_->path, ": expected rows within 0 to ", state_->row_count, ", found ", rows.front(),
                           " to ", rows.back());
  }
  const std::optional<size_t> place = state_->PlaceOf(name);
  if (!place) return CorruptFile(state_->path, -1, "Parquet: column '" + name + "' is not in the file");
  ARROW_ASSIGN_OR_RAISE(auto stored, state_->ReadStored(*place, rows));
  auto cast = CastColumn(stored, type, CastRule::kStored);
  if (!cast.ok()) return Prefixed(state_->path + ": column '" + name + "'", cast.status());
  return cast;
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
  std::vector<int64_t> rows(static_cast<size_t>(row_count));
  std::iota(rows.begin(), rows.end(), first_row);
  // A column has one reader, so one that is asked for twice is read by one thread.
  const bool are_distinct = std::set<std::string>(columns.begin(), columns.end()).size() == columns.size();
  arrow::ArrayVector arrays(columns.size());
  ARROW_RETURN_NOT_OK(ParallelFor(
      static_cast<int64_t>(columns.size()),
      [&](int64_t i) -> Status {
        ARROW_ASSIGN_OR_RAISE(arrays[i], ReadColumn(columns[i], targets[i], rows));
        return Status::OK();
      },
      use_threads&& are_distinct ? 0 : 1));
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), row_count, std::move(arrays));
}

Result<std::vector<ParquetColumnBounds>> ParquetFileReader::BoundsOf(const std::string& name, const DataField& target) {
  const std::optional<size_t> place = state_->PlaceOf(name);
  if (!place) return std::vector<ParquetColumnBounds>();
  const parquet::arrow::SchemaField& field = state_->FieldAt(*place);
  const std::shared_ptr<arrow::DataType> type = target.type.ToArrow();
  // A cast of the bounds need not be a bound of the cast values.
  if (field.column_index < 0 || !field.field->type()->Equals(type)) return std::vector<ParquetColumnBounds>();
  std::vector<ParquetColumnBounds> bounds;
  ARROW_RETURN_NOT_OK(Guarded(state_->path, [&]() -> Status {
    ARROW_ASSIGN_OR_RAISE(
        bounds, ReadColumnBounds(*state_->reader->parquet_reader(), state_->group_rows, field.column_index, *type));
    return Status::OK();
  }));
  return bounds;
}

ParquetReadStatistics ParquetFileReader::statistics() const {
  ParquetReadStatistics sum;
  for (const State::Column& column : state_->columns) {
    sum.Add(column.former);
    if (column.reader != nullptr) sum.Add(column.reader->statistics());
  }
  return sum;
}

}  // namespace reelhouse
