#include "reelhouse/manifest/statistics.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "reelhouse/manifest/binary_row.h"

namespace reelhouse {

/// Minimum, maximum and null count of one column.
class StatisticsCollector::Column {
 public:
  virtual ~Column() = default;

  void Count(const arrow::Array& values) { null_count_ += values.null_count(); }
  int64_t null_count() const { return null_count_; }

  /// Refuses arrays of other types.
  virtual Status Add(const arrow::Array& values) { return Status::OK(); }
  virtual std::shared_ptr<arrow::Scalar> Min() const { return nullptr; }
  virtual std::shared_ptr<arrow::Scalar> Max() const { return nullptr; }

 private:
  int64_t null_count_ = 0;
};

namespace {

/// Keeps the extremes of values that a function makes out of arrays.
template <typename Value>
class Extremes {
 public:
  template <typename Candidate>
  void Take(const Candidate& value) {
    if (!any_) {
      min_ = max_ = Value(value);
      any_ = true;
      return;
    }
    if (value < min_) {
      min_ = Value(value);
    } else if (max_ < value) {
      max_ = Value(value);
    }
  }
  bool any() const { return any_; }
  const Value& min() const { return min_; }
  const Value& max() const { return max_; }

 private:
  bool any_ = false;
  Value min_{};
  Value max_{};
};

Status Mismatch(const DataType& type, const arrow::Array& values) {
  return Status::TypeError("expected values of ", type.ToText(), ", found ", values.type()->ToString());
}

template <typename ArrayType, typename ScalarType>
class NumberColumn final : public StatisticsCollector::Column {
 public:
  using Value = typename ArrayType::value_type;

  explicit NumberColumn(DataType type) : type_(std::move(type)), arrow_type_(type_.ToArrow()) {}

  Status Add(const arrow::Array& values) override {
    if (!values.type()->Equals(*arrow_type_)) return Mismatch(type_, values);
    const auto& typed = static_cast<const ArrayType&>(values);
    const bool has_nulls = typed.null_count() > 0;
    for (int64_t i = 0; i < typed.length(); ++i) {
      if (has_nulls && typed.IsNull(i)) continue;
      const Value value = typed.Value(i);
      if constexpr (std::is_floating_point_v<Value>) {
        if (std::isnan(value)) continue;
        // Readers that tell the zeros apart (-0.0 < 0.0) must find both inside.
        if (value == 0) {
          std::signbit(value) ? negative_zero_ = true : positive_zero_ = true;
        }
      }
      extremes_.Take(value);
    }
    return Status::OK();
  }

  std::shared_ptr<arrow::Scalar> Min() const override {
    if (!extremes_.any()) return nullptr;
    Value value = extremes_.min();
    if constexpr (std::is_floating_point_v<Value>) {
      if (value == 0) value = negative_zero_ ? Value(-0.0) : Value(0.0);
    }
    return std::make_shared<ScalarType>(value, arrow_type_);
  }

  std::shared_ptr<arrow::Scalar> Max() const override {
    if (!extremes_.any()) return nullptr;
    Value value = extremes_.max();
    if constexpr (std::is_floating_point_v<Value>) {
      if (value == 0) value = positive_zero_ ? Value(0.0) : Value(-0.0);
    }
    return std::make_shared<ScalarType>(value, arrow_type_);
  }

 private:
  DataType type_;
  std::shared_ptr<arrow::DataType> arrow_type_;
  Extremes<Value> extremes_;
  bool negative_zero_ = false;
  bool positive_zero_ = false;
};

class BooleanColumn final : public StatisticsCollector::Column {
 public:
  explicit BooleanColumn(DataType type) : type_(std::move(type)) {}

  Status Add(const arrow::Array& values) override {
    if (values.type_id() != arrow::Type::BOOL) return Mismatch(type_, values);
    const auto& typed = static_cast<const arrow::BooleanArray&>(values);
    for (int64_t i = 0; i < typed.length(); ++i) {
      if (!typed.IsNull(i)) extremes_.Take(typed.Value(i));
    }
    return Status::OK();
  }
  std::shared_ptr<arrow::Scalar> Min() const override { return Scalar(extremes_.min()); }
  std::shared_ptr<arrow::Scalar> Max() const override { return Scalar(extremes_.max()); }

 private:
  std::shared_ptr<arrow::Scalar> Scalar(bool value) const {
    return extremes_.any() ? std::make_shared<arrow::BooleanScalar>(value) : nullptr;
  }

  DataType type_;
  Extremes<bool> extremes_;
};

class DecimalColumn final : public StatisticsCollector::Column {
 public:
  explicit DecimalColumn(DataType type) : type_(std::move(type)), arrow_type_(type_.ToArrow()) {}

  Status Add(const arrow::Array& values) override {
    if (!values.type()->Equals(*arrow_type_)) return Mismatch(type_, values);
    const auto& typed = static_cast<const arrow::Decimal128Array&>(values);
    for (int64_t i = 0; i < typed.length(); ++i) {
      if (!typed.IsNull(i)) extremes_.Take(arrow::Decimal128(typed.GetValue(i)));
    }
    return Status::OK();
  }
  std::shared_ptr<arrow::Scalar> Min() const override { return Scalar(extremes_.min()); }
  std::shared_ptr<arrow::Scalar> Max() const override { return Scalar(extremes_.max()); }

 private:
  std::shared_ptr<arrow::Scalar> Scalar(const arrow::Decimal128& value) const {
    return extremes_.any() ? std::make_shared<arrow::Decimal128Scalar>(value, arrow_type_) : nullptr;
  }

  DataType type_;
  std::shared_ptr<arrow::DataType> arrow_type_;
  Extremes<arrow::Decimal128> extremes_;
};

/// Texts and bytes; char_traits compares them unsigned, which for UTF-8 is the order of code points.
class BytesColumn final : public StatisticsCollector::Column {
 public:
  explicit BytesColumn(DataType type) : type_(std::move(type)) {}

  Status Add(const arrow::Array& values) override {
    switch (values.type_id()) {
      case arrow::Type::STRING:
      case arrow::Type::BINARY:
        return AddTyped(static_cast<const arrow::BinaryArray&>(values));
      case arrow::Type::LARGE_STRING:
      case arrow::Type::LARGE_BINARY:
        return AddTyped(static_cast<const arrow::LargeBinaryArray&>(values));
      case arrow::Type::FIXED_SIZE_BINARY:
        return AddTyped(static_cast<const arrow::FixedSizeBinaryArray&>(values));
      default:
        return Mismatch(type_, values);
    }
  }
  std::shared_ptr<arrow::Scalar> Min() const override { return Scalar(extremes_.min()); }
  std::shared_ptr<arrow::Scalar> Max() const override { return Scalar(extremes_.max()); }

 private:
  template <typename ArrayType>
  Status AddTyped(const ArrayType& values) {
    for (int64_t i = 0; i < values.length(); ++i) {
      if (!values.IsNull(i)) extremes_.Take(values.GetView(i));
    }
    return Status::OK();
  }

  std::shared_ptr<arrow::Scalar> Scalar(const std::string& value) const {
    return extremes_.any() ? std::make_shared<arrow::BinaryScalar>(value) : nullptr;
  }

  DataType type_;
  Extremes<std::string> extremes_;
};

std::unique_ptr<StatisticsCollector::Column> MakeColumn(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return std::make_unique<BooleanColumn>(type);
    case TypeRoot::kTinyInt:
      return std::make_unique<NumberColumn<arrow::Int8Array, arrow::Int8Scalar>>(type);
    case TypeRoot::kSmallInt:
      return std::make_unique<NumberColumn<arrow::Int16Array, arrow::Int16Scalar>>(type);
    case TypeRoot::kInt:
      return std::make_unique<NumberColumn<arrow::Int32Array, arrow::Int32Scalar>>(type);
    case TypeRoot::kBigInt:
      return std::make_unique<NumberColumn<arrow::Int64Array, arrow::Int64Scalar>>(type);
    case TypeRoot::kFloat:
      return std::make_unique<NumberColumn<arrow::FloatArray, arrow::FloatScalar>>(type);
    case TypeRoot::kDouble:
      return std::make_unique<NumberColumn<arrow::DoubleArray, arrow::DoubleScalar>>(type);
    case TypeRoot::kDate:
      return std::make_unique<NumberColumn<arrow::Date32Array, arrow::Date32Scalar>>(type);
    case TypeRoot::kTime:
      return std::make_unique<NumberColumn<arrow::Time32Array, arrow::Time32Scalar>>(type);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return std::make_unique<NumberColumn<arrow::TimestampArray, arrow::TimestampScalar>>(type);
    case TypeRoot::kDecimal:
      return std::make_unique<DecimalColumn>(type);
    case TypeRoot::kChar:
    case TypeRoot::kVarChar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarBinary:
      return std::make_unique<BytesColumn>(type);
    case TypeRoot::kBlob:
    case TypeRoot::kArray:
    case TypeRoot::kVector:
    case TypeRoot::kMultiset:
    case TypeRoot::kMap:
    case TypeRoot::kRow:
    case TypeRoot::kVariant:
      break;
  }
  return std::make_unique<StatisticsCollector::Column>();
}

template <typename T>
int Compare(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

template <typename ScalarType>
int CompareAs(const arrow::Scalar& a, const arrow::Scalar& b) {
  const auto left = static_cast<const ScalarType&>(a).value;
  const auto right = static_cast<const ScalarType&>(b).value;
  if constexpr (std::is_floating_point_v<std::remove_const_t<decltype(left)>>) {
    if (std::isnan(left) || std::isnan(right)) return Compare<int>(std::isnan(left), std::isnan(right));
  }
  return Compare(left, right);
}

}  // namespace

StatisticsCollector::StatisticsCollector(std::vector<DataField> columns) : fields_(std::move(columns)) {
  columns_.reserve(fields_.size());
  for (const DataField& field : fields_) columns_.push_back(MakeColumn(field.type));
}

StatisticsCollector::~StatisticsCollector() = default;
StatisticsCollector::StatisticsCollector(StatisticsCollector&&) noexcept = default;
StatisticsCollector& StatisticsCollector::operator=(StatisticsCollector&&) noexcept = default;

Status StatisticsCollector::Add(const arrow::RecordBatch& batch) {
  if (batch.num_columns() != static_cast<int>(columns_.size())) {
    return Status::Invalid("statistics: expected ", columns_.size(), " columns, found ", batch.num_columns());
  }
  for (size_t i = 0; i < columns_.size(); ++i) {
    const std::shared_ptr<arrow::Array> values = batch.column(static_cast<int>(i));
    columns_[i]->Count(*values);
    ARROW_RETURN_NOT_OK(Prefixed("statistics of " + fields_[i].name, columns_[i]->Add(*values)));
  }
  return Status::OK();
}

Result<ColumnStatistics> StatisticsCollector::Finish() const {
  std::vector<DataType> types;
  std::vector<std::shared_ptr<arrow::Scalar>> min;
  std::vector<std::shared_ptr<arrow::Scalar>> max;
  std::vector<std::optional<int64_t>> null_counts;
  for (size_t i = 0; i < columns_.size(); ++i) {
    types.push_back(fields_[i].type);
    min.push_back(columns_[i]->Min());
    max.push_back(columns_[i]->Max());
    null_counts.emplace_back(columns_[i]->null_count());
  }
  ColumnStatistics statistics;
  ARROW_ASSIGN_OR_RAISE(statistics.min_values, EncodeBinaryRow(types, min));
  ARROW_ASSIGN_OR_RAISE(statistics.max_values, EncodeBinaryRow(types, max));
  statistics.null_counts = std::move(null_counts);
  return statistics;
}

ColumnStatistics NoStatistics() {
  ColumnStatistics statistics;
  statistics.min_values = EmptyBinaryRow();
  statistics.max_values = EmptyBinaryRow();
  statistics.null_counts.emplace();
  return statistics;
}

std::optional<int32_t> StatisticsPosition(const DataFile& file, const TableSchema& file_schema,
                                          std::string_view column) {
  if (file.kind() != DataFileKind::kNormal) return std::nullopt;
  if (file_schema.FindField(column) == nullptr) return std::nullopt;
  const auto place_in = [column](const auto& columns, const auto& name_of) -> std::optional<int32_t> {
    const auto found =
        std::find_if(columns.begin(), columns.end(), [&](const auto& each) -> bool { return name_of(each) == column; });
    if (found == columns.end()) return std::nullopt;
    return static_cast<int32_t>(found - columns.begin());
  };
  const auto itself = [](const std::string& name) -> const std::string& { return name; };
  if (file.value_stats_cols) return place_in(*file.value_stats_cols, itself);
  // Not through ColumnsOfFile: columns that the schema does not know take a place in the rows as well.
  if (file.write_cols) return place_in(*file.write_cols, itself);
  return place_in(ColumnsOfFile(file, file_schema),
                  [](const DataField& field) -> const std::string& { return field.name; });
}

Result<std::optional<StatisticsOfColumn>> StatisticsOf(const DataFile& file, const TableSchema& file_schema,
                                                       std::string_view column) {
  const std::optional<int32_t> position = StatisticsPosition(file, file_schema, column);
  if (!position) return std::nullopt;
  const DataField* field = file_schema.FindField(column);

  const ColumnStatistics& statistics = file.value_stats;
  const auto decode = [&](const std::string& row) -> Result<std::shared_ptr<arrow::Scalar>> {
    ARROW_ASSIGN_OR_RAISE(int32_t arity, BinaryRowArity(row));
    if (*position >= arity) return nullptr;
    // Values of such types are no bounds, even where another engine writes them.
    if (!field->type.IsAtomic() || field->type.IsScalarBlob()) return arrow::MakeNullScalar(field->type.ToArrow());
    return DecodeBinaryRowField(row, *position, field->type);
  };
  StatisticsOfColumn result;
  const auto with_name = [&](const Status& status) {
    return Prefixed("statistics of " + file.file_name + ", column " + field->name, status);
  };
  auto min = decode(statistics.min_values);
  if (!min.ok()) return with_name(min.status());
  auto max = decode(statistics.max_values);
  if (!max.ok()) return with_name(max.status());
  if (*min == nullptr || *max == nullptr) return std::nullopt;
  result.min = std::move(*min);
  result.max = std::move(*max);
  if (statistics.null_counts && *position < static_cast<int64_t>(statistics.null_counts->size())) {
    const std::optional<int64_t>& count = (*statistics.null_counts)[static_cast<size_t>(*position)];
    if (count && *count >= 0 && *count <= file.row_count) result.null_count = count;
  }
  return result;
}

int CompareScalars(const arrow::Scalar& a, const arrow::Scalar& b) {
  switch (a.type->id()) {
    case arrow::Type::BOOL:
      return CompareAs<arrow::BooleanScalar>(a, b);
    case arrow::Type::INT8:
      return CompareAs<arrow::Int8Scalar>(a, b);
    case arrow::Type::INT16:
      return CompareAs<arrow::Int16Scalar>(a, b);
    case arrow::Type::INT32:
      return CompareAs<arrow::Int32Scalar>(a, b);
    case arrow::Type::INT64:
      return CompareAs<arrow::Int64Scalar>(a, b);
    case arrow::Type::FLOAT:
      return CompareAs<arrow::FloatScalar>(a, b);
    case arrow::Type::DOUBLE:
      return CompareAs<arrow::DoubleScalar>(a, b);
    case arrow::Type::DATE32:
      return CompareAs<arrow::Date32Scalar>(a, b);
    case arrow::Type::TIME32:
      return CompareAs<arrow::Time32Scalar>(a, b);
    case arrow::Type::TIMESTAMP:
      return CompareAs<arrow::TimestampScalar>(a, b);
    case arrow::Type::DECIMAL128:
      return CompareAs<arrow::Decimal128Scalar>(a, b);
    default:
      break;
  }
  if (arrow::is_base_binary_like(a.type->id()) || a.type->id() == arrow::Type::FIXED_SIZE_BINARY) {
    return static_cast<const arrow::BaseBinaryScalar&>(a).view().compare(
        static_cast<const arrow::BaseBinaryScalar&>(b).view());
  }
  return 0;
}

}  // namespace reelhouse
