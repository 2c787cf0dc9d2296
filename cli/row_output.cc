#include "cli/row_output.h"

#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <arrow/ipc/api.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include "cli/cell_text.h"
#include "cli/input_files.h"
#include "cli/output_table.h"
#include "reelhouse/base/text.h"

namespace reelhouse::cli {

namespace {

constexpr size_t kRowsThatSetWidths = 1000;
constexpr int64_t kRowsOfGroup = 131072;

struct NamedFormat {
  std::string_view name;
  RowFormat format;
};

constexpr NamedFormat kFormats[] = {{"table", RowFormat::kTable},     {"csv", RowFormat::kCsv},
                                    {"json", RowFormat::kJson},       {"jsonl", RowFormat::kJsonl},
                                    {"parquet", RowFormat::kParquet}, {"arrow", RowFormat::kArrow}};

Status WriteText(ResultStream& out, std::string_view text) {
  return out.Write(text.data(), static_cast<int64_t>(text.size()));
}

class TableOutput final : public RowOutput {
 public:
  TableOutput(const arrow::Schema& schema, std::shared_ptr<ResultStream> out)
      : table_(ColumnsOf(schema)), out_(std::move(out)) {}

  Status Write(const arrow::RecordBatch& batch) override {
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      std::vector<std::string> cells;
      for (const auto& column : batch.columns()) cells.push_back(CellForPeople(*column, row));
      table_.AddRow(std::move(cells));
      if (table_.waiting_rows() == kRowsThatSetWidths) ARROW_RETURN_NOT_OK(WriteText(*out_, table_.TakeText()));
    }
    return Status::OK();
  }

  Status Finish() override { return WriteText(*out_, table_.TakeText()); }

 private:
  static std::vector<OutputTable::Column> ColumnsOf(const arrow::Schema& schema) {
    std::vector<OutputTable::Column> columns;
    for (const auto& field : schema.fields()) {
      const arrow::Type::type id = field->type()->id();
      columns.push_back({field->name(), arrow::is_numeric(id) || arrow::is_decimal(id)});
    }
    return columns;
  }

  OutputTable table_;
  std::shared_ptr<ResultStream> out_;
};

/// RFC 4180 with \n ends of lines; NULL is nothing, the empty text is `""`.
class CsvOutput final : public RowOutput {
 public:
  CsvOutput(const arrow::Schema& schema, std::shared_ptr<ResultStream> out) : out_(std::move(out)) {
    for (int i = 0; i < schema.num_fields(); ++i) AppendCell(schema.field(i)->name(), i);
    line_ += '\n';
  }

  Status Write(const arrow::RecordBatch& batch) override {
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      for (int i = 0; i < batch.num_columns(); ++i) {
        const arrow::Array& column = *batch.column(i);
        if (column.IsNull(row)) {
          if (i > 0) line_ += ',';
          continue;
        }
        AppendCell(CellText(column, row), i);
      }
      line_ += '\n';
      ARROW_RETURN_NOT_OK(WriteLine());
    }
    return Status::OK();
  }

  Status Finish() override { return WriteLine(); }

 private:
  void AppendCell(std::string_view text, int column) {
    if (column > 0) line_ += ',';
    if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) {
      line_ += text;
      return;
    }
    line_ += '"';
    for (const char c : text) {
      if (c == '"') line_ += '"';
      line_ += c;
    }
    line_ += '"';
  }

  Status WriteLine() {
    const std::string line = std::exchange(line_, {});
    return WriteText(*out_, line);
  }

  std::string line_;
  std::shared_ptr<ResultStream> out_;
};

/// One array of objects, or one object a line.
class JsonOutput final : public RowOutput {
 public:
  JsonOutput(const arrow::Schema& schema, std::shared_ptr<ResultStream> out, bool is_lines)
      : out_(std::move(out)), is_lines_(is_lines) {
    for (const auto& field : schema.fields()) {
      std::string key;
      AppendJsonString(field->name(), &key);
      keys_.push_back(key + ": ");
    }
  }

  Status Write(const arrow::RecordBatch& batch) override {
    std::string line;
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      line = is_lines_ ? "{" : is_first_ ? "[\n  {" : ",\n  {";
      is_first_ = false;
      for (int i = 0; i < batch.num_columns(); ++i) {
        if (i > 0) line += ", ";
        line += keys_[i];
        AppendJson(*batch.column(i), row, &line);
      }
      line += is_lines_ ? "}\n" : "}";
      ARROW_RETURN_NOT_OK(WriteText(*out_, line));
    }
    return Status::OK();
  }

  Status Finish() override {
    if (is_lines_) return Status::OK();
    return WriteText(*out_, is_first_ ? "[]\n" : "\n]\n");
  }

 private:
  std::vector<std::string> keys_;
  std::shared_ptr<ResultStream> out_;
  const bool is_lines_;
  bool is_first_ = true;
};

class ParquetOutput final : public RowOutput {
 public:
  static Result<std::unique_ptr<RowOutput>> Make(const arrow::Schema& schema, std::shared_ptr<ResultStream> out) {
    auto properties = parquet::WriterProperties::Builder()
                          .compression(parquet::Compression::ZSTD)
                          ->max_row_group_length(kRowsOfGroup)
                          ->build();
    auto arrow_properties = parquet::ArrowWriterProperties::Builder().store_schema()->build();
    std::unique_ptr<parquet::arrow::FileWriter> writer;
    ARROW_ASSIGN_OR_RAISE(writer, parquet::arrow::FileWriter::Open(schema, arrow::default_memory_pool(), out,
                                                                   std::move(properties), std::move(arrow_properties)));
    return std::unique_ptr<RowOutput>(new ParquetOutput(std::move(writer)));
  }

  Status Write(const arrow::RecordBatch& batch) override { return writer_->WriteRecordBatch(batch); }
  Status Finish() override { return writer_->Close(); }

 private:
  explicit ParquetOutput(std::unique_ptr<parquet::arrow::FileWriter> writer) : writer_(std::move(writer)) {}

  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

class ArrowOutput final : public RowOutput {
 public:
  static Result<std::unique_ptr<RowOutput>> Make(const std::shared_ptr<arrow::Schema>& schema,
                                                 std::shared_ptr<ResultStream> out) {
    const bool is_file = out->is_file();
    std::shared_ptr<arrow::io::OutputStream> sink = std::move(out);
    std::shared_ptr<arrow::ipc::RecordBatchWriter> writer;
    if (is_file) {
      ARROW_ASSIGN_OR_RAISE(writer, arrow::ipc::MakeFileWriter(sink, schema));
    } else {
      ARROW_ASSIGN_OR_RAISE(writer, arrow::ipc::MakeStreamWriter(sink, schema));
    }
    return std::unique_ptr<RowOutput>(new ArrowOutput(std::move(writer)));
  }

  Status Write(const arrow::RecordBatch& batch) override { return writer_->WriteRecordBatch(batch); }
  Status Finish() override { return writer_->Close(); }

 private:
  explicit ArrowOutput(std::shared_ptr<arrow::ipc::RecordBatchWriter> writer) : writer_(std::move(writer)) {}

  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

}  // namespace

Result<RowFormat> ParseRowFormat(std::string_view name) {
  for (const NamedFormat& known : kFormats) {
    if (EqualsIgnoreCase(name, known.name)) return known.format;
  }
  return Status::Invalid("--format: expected table, csv, json, jsonl, parquet or arrow, found ", QuoteForError(name));
}

std::optional<RowFormat> RowFormatOfFile(std::string_view path) {
  const std::string suffix = SuffixOf(path);
  if (suffix == "csv") return RowFormat::kCsv;
  if (suffix == "json") return RowFormat::kJson;
  if (suffix == "jsonl" || suffix == "ndjson") return RowFormat::kJsonl;
  if (suffix == "parquet" || suffix == "pq") return RowFormat::kParquet;
  if (suffix == "arrow" || suffix == "feather" || suffix == "ipc") return RowFormat::kArrow;
  if (suffix == "txt") return RowFormat::kTable;
  return std::nullopt;
}

Result<std::unique_ptr<RowOutput>> MakeRowOutput(RowFormat format, const std::shared_ptr<arrow::Schema>& schema,
                                                 std::shared_ptr<ResultStream> out) {
  switch (format) {
    case RowFormat::kTable:
      return std::make_unique<TableOutput>(*schema, std::move(out));
    case RowFormat::kCsv:
      return std::make_unique<CsvOutput>(*schema, std::move(out));
    case RowFormat::kJson:
      return std::make_unique<JsonOutput>(*schema, std::move(out), /*is_lines=*/false);
    case RowFormat::kJsonl:
      return std::make_unique<JsonOutput>(*schema, std::move(out), /*is_lines=*/true);
    case RowFormat::kParquet:
      return ParquetOutput::Make(*schema, std::move(out));
    case RowFormat::kArrow:
      return ArrowOutput::Make(schema, std::move(out));
  }
  return Status::Invalid("no such format");
}

}  // namespace reelhouse::cli
