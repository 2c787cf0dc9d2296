#include "cli/row_files.h"

#include <filesystem>
#include <numeric>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <arrow/csv/api.h>
#include <arrow/io/api.h>
#include <arrow/ipc/api.h>
#include <arrow/json/api.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>
#include <nlohmann/json.hpp>

#include "cli/input_files.h"
#include "reelhouse/base/text.h"
#include "reelhouse/io/location.h"

namespace reelhouse::cli {

namespace {

using ReaderPtr = std::shared_ptr<arrow::RecordBatchReader>;

// A row must fit one block of the JSON reader.
constexpr int32_t kTextBlockBytes = 16 << 20;
constexpr int64_t kBatchRows = 64 * 1024;

enum class RowFileFormat { kParquet, kCsv, kTsv, kJson, kArrow, kUnknown };

RowFileFormat FormatOfName(const std::string& path) {
  const std::string suffix = SuffixOf(path);
  if (suffix == "parquet" || suffix == "pq") return RowFileFormat::kParquet;
  if (suffix == "csv" || suffix == "txt") return RowFileFormat::kCsv;
  if (suffix == "tsv" || suffix == "tab") return RowFileFormat::kTsv;
  if (suffix == "json" || suffix == "jsonl" || suffix == "ndjson") return RowFileFormat::kJson;
  if (suffix == "arrow" || suffix == "arrows" || suffix == "feather" || suffix == "ipc") return RowFileFormat::kArrow;
  return RowFileFormat::kUnknown;
}

bool StartsWith(const arrow::Buffer& buffer, std::string_view magic) {
  return std::string_view(buffer).starts_with(magic);
}

/// A failure without a kind, named by its file. What a reader says of content that it cannot parse is a refusal.
Status Named(const std::string& path, const Status& status) {
  if (status.ok() || DetailOf(status) || status.message().starts_with(path + ": ")) return status;
  return Prefixed(path, status);
}

/// A reader that names its file in errors, holds what it reads from, and lets no exception of a library through.
class NamedReader final : public arrow::RecordBatchReader {
 public:
  NamedReader(std::string path, ReaderPtr rows, std::shared_ptr<void> held)
      : path_(std::move(path)), held_(std::move(held)), rows_(std::move(rows)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return rows_->schema(); }

  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    try {
      return Named(path_, rows_->ReadNext(batch));
    } catch (const std::exception& error) {  // Parquet's decoders
      return CorruptFile(path_, -1, error.what());
    }
  }

 private:
  const std::string path_;
  const std::shared_ptr<void> held_;
  const ReaderPtr rows_;
};

Result<ReaderPtr> OpenParquet(const std::string& path, const std::shared_ptr<arrow::io::RandomAccessFile>& file) {
  try {
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(Named(path, builder.Open(file)));
    parquet::ArrowReaderProperties properties(/*use_threads=*/true);
    properties.set_batch_size(kBatchRows);
    builder.properties(properties);
    std::unique_ptr<parquet::arrow::FileReader> built;
    ARROW_ASSIGN_OR_RAISE(built, builder.Build());
    std::shared_ptr<parquet::arrow::FileReader> reader = std::move(built);
    std::vector<int> groups(reader->num_row_groups());
    std::iota(groups.begin(), groups.end(), 0);
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<arrow::RecordBatchReader> rows, reader->GetRecordBatchReader(groups));
    return std::make_shared<NamedReader>(path, ReaderPtr(std::move(rows)), reader);
  } catch (const std::exception& error) {
    return CorruptFile(path, -1, error.what());
  }
}

bool IsNested(const arrow::DataType& type) { return type.num_fields() > 0; }

/// The type that a text format is read with. Seconds and milliseconds are read as microseconds, since programs write
/// more digits than there are; the table takes the value if nothing is lost.
std::shared_ptr<arrow::DataType> TypeInText(const std::shared_ptr<arrow::DataType>& type) {
  if (type->id() != arrow::Type::TIMESTAMP) return type;
  const auto& timestamp = static_cast<const arrow::TimestampType&>(*type);
  if (timestamp.unit() == arrow::TimeUnit::NANO) return type;
  return arrow::timestamp(arrow::TimeUnit::MICRO, timestamp.timezone());
}

Result<ReaderPtr> OpenCsv(const std::shared_ptr<arrow::io::InputStream>& file, char delimiter,
                          const arrow::Schema* table_schema) {
  arrow::csv::ReadOptions read = arrow::csv::ReadOptions::Defaults();
  read.block_size = kTextBlockBytes;
  arrow::csv::ParseOptions parse = arrow::csv::ParseOptions::Defaults();
  parse.delimiter = delimiter;
  parse.newlines_in_values = true;
  arrow::csv::ConvertOptions convert = arrow::csv::ConvertOptions::Defaults();
  convert.null_values = {""};
  convert.strings_can_be_null = true;
  convert.quoted_strings_can_be_null = false;
  if (table_schema) {
    for (const auto& field : table_schema->fields()) {
      if (!IsNested(*field->type())) convert.column_types[field->name()] = TypeInText(field->type());
    }
  }
  ARROW_ASSIGN_OR_RAISE(ReaderPtr rows,
                        arrow::csv::StreamingReader::Make(arrow::io::default_io_context(), file, read, parse, convert));
  return rows;
}

/// Types as the JSON reader knows them: vectors are lists there, and bytes, dates and times texts.
std::shared_ptr<arrow::DataType> TypeInJson(const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::FIXED_SIZE_LIST:
      return arrow::list(type->field(0)->type());
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::FIXED_SIZE_BINARY:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::DATE32:
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return arrow::utf8();
    default:
      return TypeInText(type);
  }
}

std::shared_ptr<arrow::Schema> SchemaForJson(const arrow::Schema& schema) {
  arrow::FieldVector fields;
  for (const auto& field : schema.fields()) {
    fields.push_back(arrow::field(field->name(), TypeInJson(field->type())));
  }
  return arrow::schema(std::move(fields));
}

Result<ReaderPtr> OpenJsonLines(const std::shared_ptr<arrow::io::InputStream>& file,
                                const arrow::Schema* table_schema) {
  arrow::json::ReadOptions read = arrow::json::ReadOptions::Defaults();
  read.block_size = kTextBlockBytes;
  arrow::json::ParseOptions parse = arrow::json::ParseOptions::Defaults();
  if (table_schema) parse.explicit_schema = SchemaForJson(*table_schema);
  ARROW_ASSIGN_OR_RAISE(ReaderPtr rows, arrow::json::StreamingReader::Make(file, read, parse));
  return rows;
}

/// The objects of a JSON array as JSON Lines. All of it in memory: such files are small.
Result<std::shared_ptr<arrow::Buffer>> LinesOfJsonArray(arrow::io::RandomAccessFile& file) {
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file.GetSize());
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> text, file.ReadAt(0, size));
  const auto json = nlohmann::json::parse(std::string_view(*text), nullptr, /*allow_exceptions=*/false);
  if (!json.is_array()) return Status::Invalid("expected a JSON array of objects, or one object a line");
  std::string lines;
  for (const auto& row : json) {
    if (!row.is_object()) return Status::Invalid("expected a JSON array of objects, found an item that is none");
    lines += row.dump() + "\n";
  }
  return arrow::Buffer::FromString(std::move(lines));
}

Result<bool> IsJsonArray(arrow::io::RandomAccessFile& file) {
  constexpr int64_t kLookBytes = 4096;
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> head, file.ReadAt(0, kLookBytes));
  return TrimmedView(std::string_view(*head)).starts_with('[');
}

Result<ReaderPtr> OpenJson(const std::shared_ptr<arrow::io::RandomAccessFile>& file,
                           const arrow::Schema* table_schema) {
  ARROW_ASSIGN_OR_RAISE(const bool is_array, IsJsonArray(*file));
  ARROW_RETURN_NOT_OK(file->Seek(0));
  if (!is_array) return OpenJsonLines(file, table_schema);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> lines, LinesOfJsonArray(*file));
  return OpenJsonLines(std::make_shared<arrow::io::BufferReader>(std::move(lines)), table_schema);
}

/// The batches of an Arrow file, which is random access, as a stream.
class ArrowFileRows final : public arrow::RecordBatchReader {
 public:
  explicit ArrowFileRows(std::shared_ptr<arrow::ipc::RecordBatchFileReader> file) : file_(std::move(file)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return file_->schema(); }

  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    if (next_ >= file_->num_record_batches()) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(*batch, file_->ReadRecordBatch(next_++));
    return (*batch)->ValidateFull();  // the bytes are foreign
  }

 private:
  const std::shared_ptr<arrow::ipc::RecordBatchFileReader> file_;
  int next_ = 0;
};

/// A stream whose batches are checked before anybody relies on their offsets.
class CheckedRows final : public arrow::RecordBatchReader {
 public:
  explicit CheckedRows(ReaderPtr rows) : rows_(std::move(rows)) {}
  std::shared_ptr<arrow::Schema> schema() const override { return rows_->schema(); }
  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    ARROW_RETURN_NOT_OK(rows_->ReadNext(batch));
    return *batch ? (*batch)->ValidateFull() : Status::OK();
  }

 private:
  const ReaderPtr rows_;
};

Result<ReaderPtr> OpenArrow(const std::shared_ptr<arrow::io::RandomAccessFile>& file) {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> head, file->ReadAt(0, 8));
  ARROW_RETURN_NOT_OK(file->Seek(0));
  if (StartsWith(*head, "ARROW1")) {
    ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchFileReader::Open(file));
    return std::make_shared<ArrowFileRows>(std::move(reader));
  }
  ARROW_ASSIGN_OR_RAISE(ReaderPtr reader,
                        arrow::ipc::RecordBatchStreamReader::Open(std::shared_ptr<arrow::io::InputStream>(file)));
  return std::make_shared<CheckedRows>(std::move(reader));
}

Result<ReaderPtr> OpenAs(RowFileFormat format, const std::string& path,
                         const std::shared_ptr<arrow::io::RandomAccessFile>& file, const arrow::Schema* table_schema) {
  switch (format) {
    case RowFileFormat::kParquet:
      return OpenParquet(path, file);
    case RowFileFormat::kCsv:
      return OpenCsv(file, ',', table_schema);
    case RowFileFormat::kTsv:
      return OpenCsv(file, '\t', table_schema);
    case RowFileFormat::kJson:
      return OpenJson(file, table_schema);
    case RowFileFormat::kArrow:
      return OpenArrow(file);
    case RowFileFormat::kUnknown:
      break;
  }
  return Status::Invalid("expected a .parquet, .csv, .tsv, .json, .jsonl or .arrow file");
}

/// Rows of one file after another; each is opened when the one before it is at its end.
class ChainedRows final : public arrow::RecordBatchReader {
 public:
  ChainedRows(std::vector<std::string> paths, std::shared_ptr<arrow::Schema> table_schema, ReaderPtr first)
      : paths_(std::move(paths)),
        table_schema_(std::move(table_schema)),
        schema_(first->schema()),
        current_(std::move(first)) {}

  /// That of the first file. Those of the others may differ: rows find their columns by name.
  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    while (true) {
      ARROW_RETURN_NOT_OK(current_->ReadNext(batch));
      if (*batch || next_ == paths_.size()) return Status::OK();
      ARROW_ASSIGN_OR_RAISE(current_, OpenRowFile(paths_[next_++], table_schema_));
    }
  }

 private:
  const std::vector<std::string> paths_;
  const std::shared_ptr<arrow::Schema> table_schema_;
  const std::shared_ptr<arrow::Schema> schema_;
  size_t next_ = 1;
  ReaderPtr current_;
};

}  // namespace

Result<ReaderPtr> OpenRowFile(const std::string& path, const std::shared_ptr<arrow::Schema>& table_schema) {
  ARROW_ASSIGN_OR_RAISE(const std::string local, LocalPath(path));
  if (!std::filesystem::exists(local)) {
    return MakeError(ErrorKind::kFileNotFound, path + ": there is no such file", {.path = path});
  }
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::io::RandomAccessFile> file, arrow::io::ReadableFile::Open(local));
  RowFileFormat format = FormatOfName(path);
  if (format == RowFileFormat::kUnknown) {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> head, file->ReadAt(0, 8));
    if (StartsWith(*head, "PAR1")) format = RowFileFormat::kParquet;
    if (StartsWith(*head, "ARROW1")) format = RowFileFormat::kArrow;
  }
  ARROW_RETURN_NOT_OK(file->Seek(0));
  Result<ReaderPtr> rows = OpenAs(format, path, file, table_schema.get());
  if (!rows.ok()) return Named(path, rows.status());
  return std::make_shared<NamedReader>(path, *std::move(rows), file);
}

Result<ReaderPtr> OpenRowFiles(const std::vector<std::string>& paths,
                               const std::shared_ptr<arrow::Schema>& table_schema) {
  if (paths.empty()) return Status::Invalid("no row file given");
  ARROW_ASSIGN_OR_RAISE(ReaderPtr first, OpenRowFile(paths.front(), table_schema));
  if (paths.size() == 1) return first;
  return std::make_shared<ChainedRows>(paths, table_schema, std::move(first));
}

Result<std::shared_ptr<arrow::Schema>> SchemaOfRowFile(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(ReaderPtr rows, OpenRowFile(path, nullptr));
  return rows->schema();
}

}  // namespace reelhouse::cli
