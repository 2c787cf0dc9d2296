#include "reelhouse/format/parquet/parquet_file_writer.h"

#include <algorithm>

#include <arrow/api.h>
#include <arrow/util/byte_size.h>
#include <arrow/util/compression.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/properties.h>

#include "reelhouse/base/text.h"
#include "reelhouse/format/parquet/column_cast.h"

namespace reelhouse {
namespace {

// Parquet's libraries throw here and there although their signatures give a status.
template <typename Call>
Status Guarded(const std::string& path, Call&& call) {
  try {
    return Prefixed(path, call());
  } catch (const parquet::ParquetStatusException& e) {
    return Prefixed(path, e.status());
  } catch (const std::exception& e) {
    return Status::IOError(path, ": ", e.what());
  }
}

std::shared_ptr<arrow::Field> WithId(const std::shared_ptr<arrow::Field>& field, const DataField& column);

// The Arrow type of `type` whose struct members carry the ids of the schema. `vectors_as_lists`: see the options.
std::shared_ptr<arrow::DataType> StoredType(const DataType& type, bool vectors_as_lists) {
  const auto renewed = [&](const std::shared_ptr<arrow::Field>& field, const DataType& child) {
    return field->WithType(StoredType(child, vectors_as_lists));
  };
  const auto plain = type.ToArrow();
  switch (plain->id()) {
    case arrow::Type::LIST:
      return arrow::list(renewed(plain->field(0), type.children()[0]));
    case arrow::Type::FIXED_SIZE_LIST:
      if (vectors_as_lists) return arrow::list(plain->field(0)->WithName("element"));
      return plain;
    case arrow::Type::MAP: {
      if (type.children().size() < 2) return plain;  // MULTISET: its elements are keys
      const auto& map = static_cast<const arrow::MapType&>(*plain);
      return std::make_shared<arrow::MapType>(renewed(map.key_field(), type.children()[0]),
                                              renewed(map.item_field(), type.children()[1]));
    }
    case arrow::Type::STRUCT: {
      const auto& members = type.fields();
      if (members.size() != static_cast<size_t>(plain->num_fields())) return plain;  // VARIANT
      arrow::FieldVector fields;
      for (int i = 0; i < plain->num_fields(); ++i) {
        fields.push_back(WithId(renewed(plain->field(i), members[i].type), members[i]));
      }
      return arrow::struct_(fields);
    }
    default:
      return plain;
  }
}

std::shared_ptr<arrow::Field> WithId(const std::shared_ptr<arrow::Field>& field, const DataField& column) {
  if (column.id < 0) return field;
  return field->WithMergedMetadata(arrow::key_value_metadata({"PARQUET:field_id"}, {std::to_string(column.id)}));
}

}  // namespace

Result<ParquetWriteOptions> ParquetWriteOptions::From(const Options& options) {
  ParquetWriteOptions typed;
  typed.compression = options.GetText("file.compression", typed.compression);
  const std::string codec = EqualsIgnoreCase(typed.compression, "none") ? "uncompressed" : typed.compression;
  std::string lower = codec;
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const auto known = arrow::util::Codec::GetCompressionType(lower);
  if (!known.ok() || !arrow::util::Codec::IsAvailable(*known)) {
    return Status::Invalid("option 'file.compression': expected zstd, snappy, gzip, lz4, brotli or none, found '",
                           typed.compression, "'");
  }
  typed.compression = lower;
  ARROW_ASSIGN_OR_RAISE(const int64_t level, options.GetInt("file.compression.zstd-level", typed.zstd_level));
  if (level < -131072 || level > 22) {
    return Status::Invalid("option 'file.compression.zstd-level': expected -131072 to 22, found ", level);
  }
  typed.zstd_level = static_cast<int>(level);
  ARROW_ASSIGN_OR_RAISE(typed.vectors_as_lists, options.GetBool("reelhouse.null-vectors", false));
  return typed;
}

struct ParquetFileWriter::State {
  std::string path;
  // Shared because Arrow's writer keeps its stream; it never closes it.
  std::shared_ptr<OutputFile> file;
  std::shared_ptr<arrow::Schema> schema;
  std::unique_ptr<parquet::arrow::FileWriter> writer;
  int64_t row_count = 0;
  int64_t max_row_group_rows = 0;
  int64_t max_row_group_bytes = 0;
  int64_t row_group_rows = 0;   ///< of the row group that is being written
  int64_t row_group_bytes = 0;  ///< the same, about

  Status WriteStored(const arrow::RecordBatch& batch);
};

ParquetFileWriter::ParquetFileWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

ParquetFileWriter::~ParquetFileWriter() {
  // The destructor of Arrow's writer writes a footer, to a file that is about to be removed.
  (void)Guarded(state_->path, [&] {
    state_->writer.reset();
    return Status::OK();
  });
}

Result<std::unique_ptr<ParquetFileWriter>> ParquetFileWriter::Make(std::unique_ptr<OutputFile> file,
                                                                   const std::vector<DataField>& columns,
                                                                   const ParquetWriteOptions& options) {
  auto state = std::make_unique<State>();
  state->path = file->path();
  state->max_row_group_rows = std::max<int64_t>(options.max_row_group_rows, 1);
  state->max_row_group_bytes = std::max<int64_t>(options.max_row_group_bytes, 1);
  state->file = std::move(file);
  arrow::FieldVector fields;
  for (const DataField& column : columns) {
    const auto field = ToArrowField(column)->WithType(StoredType(column.type, options.vectors_as_lists));
    fields.push_back(WithId(field, column));
  }
  state->schema = arrow::schema(std::move(fields));

  parquet::WriterProperties::Builder properties;
  ARROW_ASSIGN_OR_RAISE(const auto codec, arrow::util::Codec::GetCompressionType(options.compression));
  properties.version(parquet::ParquetVersion::PARQUET_2_6)
      ->compression(codec)
      ->max_row_group_length(options.max_row_group_rows)
      ->data_pagesize(options.page_bytes)
      ->enable_write_page_index();
  if (codec == arrow::Compression::ZSTD) properties.compression_level(options.zstd_level);
  parquet::ArrowWriterProperties::Builder arrow_properties;
  arrow_properties.store_schema();
  ARROW_RETURN_NOT_OK(Guarded(state->path, [&]() -> Status {
    ARROW_ASSIGN_OR_RAISE(state->writer,
                          parquet::arrow::FileWriter::Open(*state->schema, arrow::default_memory_pool(), state->file,
                                                           properties.build(), arrow_properties.build()));
    return Status::OK();
  }));
  return std::unique_ptr<ParquetFileWriter>(new ParquetFileWriter(std::move(state)));
}

// Rows in parts, so that wide rows close a row group early.
Status ParquetFileWriter::State::WriteStored(const arrow::RecordBatch& batch) {
  const auto measured = arrow::util::ReferencedBufferSize(batch);
  const int64_t bytes = std::max<int64_t>(measured.ok() ? *measured : arrow::util::TotalBufferSize(batch), 1);
  const int64_t rows = batch.num_rows();
  const int64_t parts =
      std::clamp<int64_t>(bytes / std::max<int64_t>(max_row_group_bytes / 4, 1), 1, std::max<int64_t>(rows, 1));
  for (int64_t part = 0; part < parts; ++part) {
    if (row_group_bytes >= max_row_group_bytes) {
      ARROW_RETURN_NOT_OK(writer->NewBufferedRowGroup());
      row_group_rows = row_group_bytes = 0;
    }
    const int64_t begin = rows * part / parts, end = rows * (part + 1) / parts;
    ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(parts == 1 ? batch : *batch.Slice(begin, end - begin)));
    row_group_rows += end - begin;
    row_group_bytes += bytes / parts;
    if (row_group_rows < max_row_group_rows) continue;
    // Arrow has gone on to the next row group by itself.
    row_group_rows %= max_row_group_rows;
    row_group_bytes = bytes / parts * row_group_rows / std::max<int64_t>(end - begin, 1);
  }
  return Status::OK();
}

Status ParquetFileWriter::Write(const arrow::RecordBatch& batch) {
  if (batch.num_columns() != state_->schema->num_fields()) {
    return Status::Invalid(state_->path, ": expected ", state_->schema->num_fields(), " columns, found ",
                           batch.num_columns());
  }
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (int i = 0; i < batch.num_columns(); ++i) {
    const auto& field = state_->schema->field(i);
    if (!field->nullable() && batch.column(i)->null_count() > 0) {
      return Status::Invalid(state_->path, ": Column '", field->name(),
                             "' is declared non-nullable but contains nulls");
    }
    auto cast = CastColumn(batch.column(i), field->type(), CastRule::kExact);
    if (!cast.ok()) return Prefixed(state_->path + ": column '" + field->name() + "'", cast.status());
    columns.push_back(std::move(cast).ValueUnsafe());
  }
  const auto stored = arrow::RecordBatch::Make(state_->schema, batch.num_rows(), std::move(columns));
  ARROW_RETURN_NOT_OK(Guarded(state_->path, [&] { return state_->WriteStored(*stored); }));
  state_->row_count += batch.num_rows();
  return Status::OK();
}

int64_t ParquetFileWriter::row_count() const { return state_->row_count; }
const std::string& ParquetFileWriter::path() const { return state_->path; }

Result<int64_t> ParquetFileWriter::Finish() {
  ARROW_RETURN_NOT_OK(Guarded(state_->path, [&] { return state_->writer->Close(); }));
  ARROW_ASSIGN_OR_RAISE(const int64_t size_bytes, state_->file->Tell());
  ARROW_RETURN_NOT_OK(state_->file->Finish());
  return size_bytes;
}

Status ParquetFileWriter::Discard() { return state_->file->Discard(); }

}  // namespace reelhouse
