#include "cli/row_completion.h"

#include <algorithm>

#include <arrow/api.h>
#include <arrow/util/decimal.h>

#include "reelhouse/base/text.h"
#include "reelhouse/predicate/calendar_text.h"

namespace reelhouse::cli {

namespace {

constexpr int64_t kBatchRows = 64 * 1024;

Result<std::shared_ptr<arrow::Scalar>> TimestampOf(const std::shared_ptr<arrow::DataType>& type,
                                                   std::string_view text) {
  const auto moment = ParseTimestamp(text);
  const auto& timestamp = static_cast<const arrow::TimestampType&>(*type);
  if (!moment) return Status::Invalid("expected a time as in 2024-01-02 03:04:05");
  if (moment->has_zone != !timestamp.timezone().empty()) {
    return Status::Invalid(moment->has_zone ? "expected a time without a zone"
                                            : "expected a time with a zone, as in 2024-01-02 03:04:05Z");
  }
  Int128 units = moment->nanoseconds;
  for (const auto& [unit, step] : {std::pair{arrow::TimeUnit::SECOND, 1'000'000'000},
                                   {arrow::TimeUnit::MILLI, 1'000'000},
                                   {arrow::TimeUnit::MICRO, 1'000}}) {
    if (timestamp.unit() != unit) continue;
    if (units % step != 0) return Status::Invalid("has more digits of a second than the column");
    units /= step;
  }
  if (units != static_cast<int64_t>(units)) return Status::Invalid("does not fit the column");
  return std::make_shared<arrow::TimestampScalar>(static_cast<int64_t>(units), type);
}

Result<std::shared_ptr<arrow::Scalar>> DecimalOf(const std::shared_ptr<arrow::DataType>& type, std::string_view text) {
  const auto& decimal = static_cast<const arrow::Decimal128Type&>(*type);
  arrow::Decimal128 value;
  int32_t precision = 0;
  int32_t scale = 0;
  ARROW_RETURN_NOT_OK(arrow::Decimal128::FromString(text, &value, &precision, &scale));
  ARROW_ASSIGN_OR_RAISE(value, value.Rescale(scale, decimal.scale()));
  if (!value.FitsInPrecision(decimal.precision())) return Status::Invalid("does not fit the column");
  return std::make_shared<arrow::Decimal128Scalar>(value, type);
}

Result<std::shared_ptr<arrow::Scalar>> ValueOf(const std::shared_ptr<arrow::DataType>& type, std::string_view text) {
  if (type->id() == arrow::Type::TIMESTAMP) return TimestampOf(type, text);
  if (type->id() == arrow::Type::DECIMAL128) return DecimalOf(type, text);
  return arrow::Scalar::Parse(type, text);
}

Status UnknownColumn(std::string_view option, const std::string& name, const arrow::Schema& schema) {
  const std::string nearest = NearestName(name, schema.field_names());
  return Status::Invalid(option, ": the table has no column ", QuoteForError(name),
                         nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
}

}  // namespace

/// Rows of another stream with more columns.
class CompletedRows final : public arrow::RecordBatchReader {
 public:
  CompletedRows(RowCompletion completion, std::shared_ptr<arrow::RecordBatchReader> rows,
                RowCompletion::FileNames file_names)
      : completion_(std::move(completion)), rows_(std::move(rows)), file_names_(std::move(file_names)) {
    schema_ = SchemaWith(*rows_->schema());
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    ARROW_RETURN_NOT_OK(rows_->ReadNext(batch));
    if (!*batch) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(arrow::ArrayVector added, completion_.Columns(next_row_, (*batch)->num_rows(), file_names_));
    arrow::ArrayVector columns = (*batch)->columns();
    std::move(added.begin(), added.end(), std::back_inserter(columns));
    next_row_ += (*batch)->num_rows();
    *batch = arrow::RecordBatch::Make(SchemaWith(*(*batch)->schema()), (*batch)->num_rows(), std::move(columns));
    return Status::OK();
  }

 private:
  std::shared_ptr<arrow::Schema> SchemaWith(const arrow::Schema& schema) const {
    arrow::FieldVector fields = schema.fields();
    for (auto& field : completion_.Fields()) fields.push_back(std::move(field));
    return arrow::schema(std::move(fields));
  }

  const RowCompletion completion_;
  const std::shared_ptr<arrow::RecordBatchReader> rows_;
  const RowCompletion::FileNames file_names_;
  std::shared_ptr<arrow::Schema> schema_;
  int64_t next_row_ = 0;
};

/// Rows of nothing but columns of the command line.
class GeneratedRows final : public arrow::RecordBatchReader {
 public:
  GeneratedRows(RowCompletion completion, int64_t row_count, RowCompletion::FileNames file_names)
      : completion_(std::move(completion)),
        row_count_(row_count),
        file_names_(std::move(file_names)),
        schema_(arrow::schema(completion_.Fields())) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    const int64_t count = std::min(kBatchRows, row_count_ - next_row_);
    if (count <= 0) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(arrow::ArrayVector columns, completion_.Columns(next_row_, count, file_names_));
    *batch = arrow::RecordBatch::Make(schema_, count, std::move(columns));
    next_row_ += count;
    return Status::OK();
  }

 private:
  const RowCompletion completion_;
  const int64_t row_count_;
  const RowCompletion::FileNames file_names_;
  const std::shared_ptr<arrow::Schema> schema_;
  int64_t next_row_ = 0;
};

Result<RowCompletion> RowCompletion::Make(const ExtraColumns& extra, const arrow::Schema& table_schema) {
  RowCompletion completion;
  completion.index_column_ = extra.index_column;
  completion.file_column_ = extra.file_column;
  std::vector<std::string> names;
  for (const std::string& text : extra.values) {
    ARROW_ASSIGN_OR_RAISE(auto assignment, ParseAssignment(text, "--value"));
    auto& [name, value] = assignment;
    const auto field = table_schema.GetFieldByName(name);
    if (!field) return UnknownColumn("--value", name, table_schema);
    Result<std::shared_ptr<arrow::Scalar>> scalar = ValueOf(field->type(), value);
    if (!scalar.ok()) {
      return Status::Invalid("--value: column ", QuoteForError(name), " (", field->type()->ToString(), ") from ",
                             QuoteForError(value), ": ", scalar.status().message());
    }
    names.push_back(name);
    completion.constants_.emplace_back(name, *std::move(scalar));
  }
  for (const auto& [option, name] :
       {std::pair{"--index-column", extra.index_column}, {"--file-column", extra.file_column}}) {
    if (name.empty()) continue;
    if (!table_schema.GetFieldByName(name)) return UnknownColumn(option, name, table_schema);
    names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) return Status::Invalid("column ", QuoteForError(*twice), " is given twice");
  return completion;
}

arrow::FieldVector RowCompletion::Fields() const {
  arrow::FieldVector fields;
  for (const auto& [name, value] : constants_) fields.push_back(arrow::field(name, value->type));
  if (!index_column_.empty()) fields.push_back(arrow::field(index_column_, arrow::int64()));
  if (!file_column_.empty()) fields.push_back(arrow::field(file_column_, arrow::utf8()));
  return fields;
}

Result<arrow::ArrayVector> RowCompletion::Columns(int64_t first, int64_t count, const FileNames& file_names) const {
  arrow::ArrayVector columns;
  for (const auto& [name, value] : constants_) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> column, arrow::MakeArrayFromScalar(*value, count));
    columns.push_back(std::move(column));
  }
  if (!index_column_.empty()) {
    arrow::Int64Builder builder;
    for (int64_t i = 0; i < count; ++i) ARROW_RETURN_NOT_OK(builder.Append(first + i));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> column, builder.Finish());
    columns.push_back(std::move(column));
  }
  if (!file_column_.empty()) {
    arrow::StringBuilder builder;
    for (int64_t i = 0; i < count; ++i) ARROW_RETURN_NOT_OK(builder.Append(file_names(first + i)));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> column, builder.Finish());
    columns.push_back(std::move(column));
  }
  return columns;
}

Result<std::shared_ptr<arrow::RecordBatchReader>> RowCompletion::Complete(
    std::shared_ptr<arrow::RecordBatchReader> rows, FileNames file_names) const {
  for (const auto& field : Fields()) {
    if (rows->schema()->GetFieldIndex(field->name()) >= 0) {
      return Status::Invalid("column ", QuoteForError(field->name()),
                             " comes from the command line and from the row file");
    }
  }
  return std::make_shared<CompletedRows>(*this, std::move(rows), std::move(file_names));
}

Result<std::shared_ptr<arrow::RecordBatchReader>> RowCompletion::Generate(int64_t row_count,
                                                                          FileNames file_names) const {
  return std::make_shared<GeneratedRows>(*this, row_count, std::move(file_names));
}

Result<std::pair<std::string, std::string>> ParseAssignment(std::string_view text, std::string_view option) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) {
    return Status::Invalid(option, ": expected KEY=VALUE, found ", QuoteForError(text));
  }
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

}  // namespace reelhouse::cli
