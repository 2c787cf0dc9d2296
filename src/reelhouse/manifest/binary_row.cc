#include "reelhouse/manifest/binary_row.h"

#include <algorithm>
#include <cstring>
#include <string>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "reelhouse/base/endian.h"

namespace reelhouse {
namespace {

// Fields of a row, and so the most that an arity may ask for.
constexpr int64_t kSlotBytes = 8;
constexpr int64_t kArityBytes = 4;
constexpr int64_t kHeaderBits = 8;
constexpr int kCompactDecimalPrecision = 18;
constexpr int64_t kWideDecimalBytes = 16;
constexpr size_t kInlineBytes = 7;
constexpr int32_t kCompactTimestampPrecision = 3;
constexpr int64_t kNanosPerMilli = 1'000'000;

int64_t FlagsBytes(int64_t arity) { return (arity + kHeaderBits + 63) / 64 * 8; }

int64_t FloorDiv(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

/// Milliseconds, and the nanoseconds behind them that are never negative.
struct MilliTime {
  int64_t millis = 0;
  int32_t nanos = 0;
};

Result<MilliTime> ToMilliTime(int64_t value, arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND: {
      MilliTime time;
      if (__builtin_mul_overflow(value, int64_t{1000}, &time.millis)) {
        return Status::Invalid("timestamp of ", value, " seconds does not fit milliseconds");
      }
      return time;
    }
    case arrow::TimeUnit::MILLI:
      return MilliTime{value, 0};
    case arrow::TimeUnit::MICRO: {
      const int64_t millis = FloorDiv(value, 1000);
      return MilliTime{millis, static_cast<int32_t>((value - millis * 1000) * 1000)};
    }
    case arrow::TimeUnit::NANO: {
      const int64_t millis = FloorDiv(value, kNanosPerMilli);
      return MilliTime{millis, static_cast<int32_t>(value - millis * kNanosPerMilli)};
    }
  }
  return Status::Invalid("unknown unit of a timestamp");
}

Result<int64_t> FromMilliTime(MilliTime time, arrow::TimeUnit::type unit) {
  int64_t value = 0;
  bool overflows = false;
  switch (unit) {
    case arrow::TimeUnit::SECOND: {
      value = FloorDiv(time.millis, 1000);
      // What is read must be writable again; the very first second is not whole.
      int64_t ignored;
      overflows = __builtin_mul_overflow(value, int64_t{1000}, &ignored);
      break;
    }
    case arrow::TimeUnit::MILLI:
      value = time.millis;
      break;
    case arrow::TimeUnit::MICRO:
      overflows = __builtin_mul_overflow(time.millis, int64_t{1000}, &value) ||
                  __builtin_add_overflow(value, int64_t{time.nanos / 1000}, &value);
      break;
    case arrow::TimeUnit::NANO:
      overflows = __builtin_mul_overflow(time.millis, kNanosPerMilli, &value) ||
                  __builtin_add_overflow(value, int64_t{time.nanos}, &value);
      break;
  }
  if (overflows) return Status::Invalid("timestamp of ", time.millis, " ms does not fit the unit of its type");
  return value;
}

/// Builds a row field by field.
class RowBuilder {
 public:
  explicit RowBuilder(size_t arity)
      : base_(FlagsBytes(static_cast<int64_t>(arity))), body_(base_ + kSlotBytes * arity, '\0') {}

  void SetNull(size_t field) {
    const size_t bit = field + kHeaderBits;
    body_[bit / 8] = static_cast<char>(body_[bit / 8] | 1 << (bit % 8));
  }

  char* Slot(size_t field) { return body_.data() + base_ + kSlotBytes * field; }

  void SetLong(size_t field, int64_t value) { StoreLe64(Slot(field), static_cast<uint64_t>(value)); }

  Status SetBytes(size_t field, std::string_view bytes) {
    if (bytes.size() <= kInlineBytes) {
      std::memcpy(Slot(field), bytes.data(), bytes.size());
      Slot(field)[kInlineBytes] = static_cast<char>(0x80 | bytes.size());
      return Status::OK();
    }
    return SetVariable(field, bytes, bytes.size(), bytes.size());
  }

  /// The slot points at `bytes` in the variable part, where they take `reserved` bytes rounded up to slots.
  Status SetVariable(size_t field, std::string_view bytes, uint64_t low_half, size_t reserved) {
    const uint64_t offset = body_.size();
    if (offset > INT32_MAX || low_half > INT32_MAX) return Status::Invalid("a row of more than 2 GiB");
    body_.append(bytes);
    body_.append((reserved + kSlotBytes - 1) / kSlotBytes * kSlotBytes - bytes.size(), '\0');
    StoreLe64(Slot(field), offset << 32 | low_half);
    return Status::OK();
  }

  std::string Finish(size_t arity) const {
    std::string row;
    row.reserve(kArityBytes + body_.size());
    AppendBe32(row, static_cast<uint32_t>(arity));
    return row += body_;
  }

 private:
  size_t base_;
  std::string body_;
};

Status Mismatch(const DataType& type, const arrow::Scalar& value) {
  return Status::TypeError("expected a value of ", type.ToText(), ", found ", value.type->ToString());
}

template <typename ScalarType>
Result<const ScalarType*> As(const DataType& type, const arrow::Scalar& value) {
  const auto* typed = dynamic_cast<const ScalarType*>(&value);
  if (typed == nullptr) return Mismatch(type, value);
  return typed;
}

template <typename ScalarType, typename Stored>
Status PutNumber(RowBuilder& row, size_t field, const DataType& type, const arrow::Scalar& value) {
  ARROW_ASSIGN_OR_RAISE(const ScalarType* typed, As<ScalarType>(type, value));
  static_assert(sizeof(typed->value) == sizeof(Stored));
  std::memcpy(row.Slot(field), &typed->value, sizeof(Stored));
  return Status::OK();
}

Status PutDecimal(RowBuilder& row, size_t field, const DataType& type, const arrow::Scalar& value) {
  ARROW_ASSIGN_OR_RAISE(const auto* typed, As<arrow::Decimal128Scalar>(type, value));
  const auto& decimal_type = static_cast<const arrow::Decimal128Type&>(*value.type);
  if (decimal_type.scale() != type.scale()) return Mismatch(type, value);
  const arrow::Decimal128& unscaled = typed->value;
  if (type.precision() <= kCompactDecimalPrecision) {
    const int64_t low = static_cast<int64_t>(unscaled.low_bits());
    if (unscaled != arrow::Decimal128(low)) {
      return Status::Invalid("decimal ", unscaled.ToString(type.scale()), " does not fit ", type.ToText());
    }
    row.SetLong(field, low);
    return Status::OK();
  }
  // Big-endian two's complement without bytes that only repeat the sign.
  char bytes[kWideDecimalBytes];
  StoreBe64(bytes, static_cast<uint64_t>(unscaled.high_bits()));
  StoreBe64(bytes + 8, unscaled.low_bits());
  const char sign = unscaled.high_bits() < 0 ? '\xff' : '\0';
  size_t skipped = 0;
  while (skipped + 1 < sizeof(bytes) && bytes[skipped] == sign && ((bytes[skipped + 1] ^ sign) & 0x80) == 0) ++skipped;
  const std::string_view least(bytes + skipped, sizeof(bytes) - skipped);
  return row.SetVariable(field, least, least.size(), kWideDecimalBytes);
}

Status PutTimestamp(RowBuilder& row, size_t field, const DataType& type, const arrow::Scalar& value) {
  ARROW_ASSIGN_OR_RAISE(const auto* typed, As<arrow::TimestampScalar>(type, value));
  const auto& timestamp_type = static_cast<const arrow::TimestampType&>(*value.type);
  ARROW_ASSIGN_OR_RAISE(MilliTime time, ToMilliTime(typed->value, timestamp_type.unit()));
  if (type.precision() <= kCompactTimestampPrecision) {
    row.SetLong(field, time.millis);
    return Status::OK();
  }
  char millis[8];
  StoreLe64(millis, static_cast<uint64_t>(time.millis));
  return row.SetVariable(field, {millis, sizeof(millis)}, static_cast<uint64_t>(time.nanos), sizeof(millis));
}

Status PutTime(RowBuilder& row, size_t field, const DataType& type, const arrow::Scalar& value) {
  int64_t millis = 0;
  if (value.type->id() == arrow::Type::TIME32) {
    const auto unit = static_cast<const arrow::Time32Type&>(*value.type).unit();
    millis = static_cast<const arrow::Time32Scalar&>(value).value;
    if (unit == arrow::TimeUnit::SECOND) millis *= 1000;
  } else if (value.type->id() == arrow::Type::TIME64) {
    const auto unit = static_cast<const arrow::Time64Type&>(*value.type).unit();
    millis = FloorDiv(static_cast<const arrow::Time64Scalar&>(value).value,
                      unit == arrow::TimeUnit::MICRO ? 1000 : kNanosPerMilli);
  } else {
    return Mismatch(type, value);
  }
  StoreLe32(row.Slot(field), static_cast<uint32_t>(millis));
  return Status::OK();
}

Status PutField(RowBuilder& row, size_t field, const DataType& type, const arrow::Scalar& value) {
  switch (type.root()) {
    case TypeRoot::kBoolean: {
      ARROW_ASSIGN_OR_RAISE(const auto* typed, As<arrow::BooleanScalar>(type, value));
      *row.Slot(field) = typed->value ? 1 : 0;
      return Status::OK();
    }
    case TypeRoot::kTinyInt:
      return PutNumber<arrow::Int8Scalar, int8_t>(row, field, type, value);
    case TypeRoot::kSmallInt:
      return PutNumber<arrow::Int16Scalar, int16_t>(row, field, type, value);
    case TypeRoot::kInt:
      return PutNumber<arrow::Int32Scalar, int32_t>(row, field, type, value);
    case TypeRoot::kBigInt:
      return PutNumber<arrow::Int64Scalar, int64_t>(row, field, type, value);
    case TypeRoot::kFloat:
      return PutNumber<arrow::FloatScalar, float>(row, field, type, value);
    case TypeRoot::kDouble:
      return PutNumber<arrow::DoubleScalar, double>(row, field, type, value);
    case TypeRoot::kDate:
      return PutNumber<arrow::Date32Scalar, int32_t>(row, field, type, value);
    case TypeRoot::kTime:
      return PutTime(row, field, type, value);
    case TypeRoot::kDecimal:
      return PutDecimal(row, field, type, value);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return PutTimestamp(row, field, type, value);
    case TypeRoot::kChar:
    case TypeRoot::kVarChar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarBinary:
    case TypeRoot::kBlob: {
      ARROW_ASSIGN_OR_RAISE(const auto* typed, As<arrow::BaseBinaryScalar>(type, value));
      return row.SetBytes(field, typed->view());
    }
    default:
      return Status::NotImplemented("values of ", type.ToText(), " in a BinaryRow");
  }
}

/// A row whose arity and fixed part have been checked.
class RowView {
 public:
  static Result<RowView> Make(std::string_view row) {
    ARROW_ASSIGN_OR_RAISE(int32_t arity, BinaryRowArity(row));
    return RowView(row.substr(kArityBytes), arity);
  }

  int32_t arity() const { return arity_; }

  bool IsNull(int64_t field) const {
    const int64_t bit = field + kHeaderBits;
    return (static_cast<uint8_t>(body_[bit / 8]) >> (bit % 8) & 1) != 0;
  }

  const char* Slot(int64_t field) const { return body_.data() + FlagsBytes(arity_) + kSlotBytes * field; }

  /// The bytes at the offset in the slot.
  Result<std::string_view> Variable(int64_t field, uint64_t length) const {
    const uint64_t offset = LoadLe64(Slot(field)) >> 32;
    const uint64_t first = static_cast<uint64_t>(FlagsBytes(arity_) + kSlotBytes * arity_);
    if (offset < first || offset > body_.size() || length > body_.size() - offset) {
      return Status::Invalid("points at ", length, " bytes from ", offset, " in a row of ", body_.size(), " bytes");
    }
    return body_.substr(offset, length);
  }

  Result<std::string_view> Bytes(int64_t field) const {
    const char* slot = Slot(field);
    const uint8_t mark = static_cast<uint8_t>(slot[kInlineBytes]);
    if ((mark & 0x80) != 0) {
      const size_t length = mark & 0x7F;
      if (length > kInlineBytes) return Status::Invalid("claims ", length, " bytes in a slot of 7");
      return std::string_view(slot, length);
    }
    return Variable(field, LoadLe32(slot));
  }

 private:
  RowView(std::string_view body, int32_t arity) : body_(body), arity_(arity) {}

  std::string_view body_;
  int32_t arity_;
};

template <typename ScalarType, typename Stored>
std::shared_ptr<arrow::Scalar> GetNumber(const char* slot) {
  Stored value;
  std::memcpy(&value, slot, sizeof(value));
  return std::make_shared<ScalarType>(value);
}

Result<std::shared_ptr<arrow::Scalar>> GetDecimal(const RowView& row, int64_t field, const DataType& type) {
  arrow::Decimal128 unscaled;
  if (type.precision() <= kCompactDecimalPrecision) {
    unscaled = arrow::Decimal128(static_cast<int64_t>(LoadLe64(row.Slot(field))));
  } else {
    const uint32_t length = LoadLe32(row.Slot(field));
    if (length == 0 || length > kWideDecimalBytes) return Status::Invalid("a decimal of ", length, " bytes");
    ARROW_ASSIGN_OR_RAISE(std::string_view bytes, row.Variable(field, length));
    ARROW_ASSIGN_OR_RAISE(unscaled, arrow::Decimal128::FromBigEndian(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                                     static_cast<int32_t>(length)));
  }
  if (!unscaled.FitsInPrecision(type.precision())) {
    return Status::Invalid("decimal ", unscaled.ToString(type.scale()), " has more digits than ", type.ToText());
  }
  return std::make_shared<arrow::Decimal128Scalar>(unscaled, type.ToArrow());
}

Result<std::shared_ptr<arrow::Scalar>> GetTimestamp(const RowView& row, int64_t field, const DataType& type) {
  MilliTime time;
  if (type.precision() <= kCompactTimestampPrecision) {
    time.millis = static_cast<int64_t>(LoadLe64(row.Slot(field)));
  } else {
    ARROW_ASSIGN_OR_RAISE(std::string_view millis, row.Variable(field, sizeof(int64_t)));
    const uint32_t nanos = LoadLe32(row.Slot(field));
    if (nanos >= kNanosPerMilli) return Status::Invalid(nanos, " nanoseconds within a millisecond");
    time = {static_cast<int64_t>(LoadLe64(millis.data())), static_cast<int32_t>(nanos)};
  }
  std::shared_ptr<arrow::DataType> arrow_type = type.ToArrow();
  const auto unit = static_cast<const arrow::TimestampType&>(*arrow_type).unit();
  ARROW_ASSIGN_OR_RAISE(int64_t value, FromMilliTime(time, unit));
  return std::make_shared<arrow::TimestampScalar>(value, std::move(arrow_type));
}

Result<std::shared_ptr<arrow::Scalar>> GetField(const RowView& row, int64_t field, const DataType& type) {
  if (row.IsNull(field)) return arrow::MakeNullScalar(type.ToArrow());
  const char* slot = row.Slot(field);
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return std::make_shared<arrow::BooleanScalar>(*slot != 0);
    case TypeRoot::kTinyInt:
      return GetNumber<arrow::Int8Scalar, int8_t>(slot);
    case TypeRoot::kSmallInt:
      return GetNumber<arrow::Int16Scalar, int16_t>(slot);
    case TypeRoot::kInt:
      return GetNumber<arrow::Int32Scalar, int32_t>(slot);
    case TypeRoot::kBigInt:
      return GetNumber<arrow::Int64Scalar, int64_t>(slot);
    case TypeRoot::kFloat:
      return GetNumber<arrow::FloatScalar, float>(slot);
    case TypeRoot::kDouble:
      return GetNumber<arrow::DoubleScalar, double>(slot);
    case TypeRoot::kDate:
      return GetNumber<arrow::Date32Scalar, int32_t>(slot);
    case TypeRoot::kTime: {
      const int32_t millis = static_cast<int32_t>(LoadLe32(slot));
      if (millis < 0 || millis >= 86'400'000) return Status::Invalid(millis, " milliseconds of a day");
      return std::make_shared<arrow::Time32Scalar>(millis, type.ToArrow());
    }
    case TypeRoot::kDecimal:
      return GetDecimal(row, field, type);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return GetTimestamp(row, field, type);
    case TypeRoot::kChar:
    case TypeRoot::kVarChar: {
      ARROW_ASSIGN_OR_RAISE(std::string_view bytes, row.Bytes(field));
      return std::make_shared<arrow::StringScalar>(std::string(bytes));
    }
    case TypeRoot::kBinary:
    case TypeRoot::kVarBinary: {
      ARROW_ASSIGN_OR_RAISE(std::string_view bytes, row.Bytes(field));
      return std::make_shared<arrow::BinaryScalar>(std::string(bytes));
    }
    case TypeRoot::kBlob: {
      ARROW_ASSIGN_OR_RAISE(std::string_view bytes, row.Bytes(field));
      return std::make_shared<arrow::LargeBinaryScalar>(std::string(bytes));
    }
    default:
      return Status::NotImplemented("values of ", type.ToText(), " in a BinaryRow");
  }
}

std::string FieldPrefix(int64_t field) { return "BinaryRow: field " + std::to_string(field); }

}  // namespace

Result<int32_t> BinaryRowArity(std::string_view row) {
  if (row.size() < kArityBytes) return Status::Invalid("BinaryRow: expected 4 bytes of arity, found ", row.size());
  const int64_t arity = static_cast<int32_t>(LoadBe32(row.data()));
  const int64_t body = static_cast<int64_t>(row.size()) - kArityBytes;
  if (arity < 0 || FlagsBytes(arity) + kSlotBytes * arity > body) {
    return Status::Invalid("BinaryRow: an arity of ", arity, " in a row of ", row.size(), " bytes");
  }
  return static_cast<int32_t>(arity);
}

const std::string& EmptyBinaryRow() {
  static const std::string kEmpty(kArityBytes + 8, '\0');
  return kEmpty;
}

Result<std::string> EncodeBinaryRow(std::span<const DataType> types,
                                    std::span<const std::shared_ptr<arrow::Scalar>> values) {
  if (types.size() != values.size()) {
    return Status::Invalid("BinaryRow: expected ", types.size(), " values, found ", values.size());
  }
  RowBuilder row(types.size());
  for (size_t field = 0; field < types.size(); ++field) {
    if (values[field] == nullptr || !values[field]->is_valid) {
      row.SetNull(field);
      continue;
    }
    const Status status = PutField(row, field, types[field], *values[field]);
    if (!status.ok()) return Prefixed(FieldPrefix(static_cast<int64_t>(field)), status);
  }
  return row.Finish(types.size());
}

Result<std::vector<std::shared_ptr<arrow::Scalar>>> DecodeBinaryRow(std::string_view row,
                                                                    std::span<const DataType> types) {
  ARROW_ASSIGN_OR_RAISE(RowView view, RowView::Make(row));
  if (view.arity() != static_cast<int64_t>(types.size())) {
    return Status::Invalid("BinaryRow: expected ", types.size(), " fields, found ", view.arity());
  }
  std::vector<std::shared_ptr<arrow::Scalar>> values;
  values.reserve(types.size());
  for (size_t field = 0; field < types.size(); ++field) {
    auto value = GetField(view, static_cast<int64_t>(field), types[field]);
    if (!value.ok()) return Prefixed(FieldPrefix(static_cast<int64_t>(field)), value.status());
    values.push_back(std::move(*value));
  }
  return values;
}

Result<std::shared_ptr<arrow::Scalar>> DecodeBinaryRowField(std::string_view row, int32_t field, const DataType& type) {
  ARROW_ASSIGN_OR_RAISE(RowView view, RowView::Make(row));
  if (field < 0 || field >= view.arity()) {
    return Status::Invalid("BinaryRow: expected a field ", field, ", found ", view.arity(), " fields");
  }
  auto value = GetField(view, field, type);
  if (!value.ok()) return Prefixed(FieldPrefix(field), value.status());
  return value;
}

std::optional<int64_t> IntegerOfBinaryRow(std::string_view row, int32_t field, TypeRoot type) {
  const Result<RowView> view = RowView::Make(row);
  if (!view.ok() || field < 0 || field >= view->arity() || view->IsNull(field)) return std::nullopt;
  const uint64_t slot = LoadLe64(view->Slot(field));
  switch (type) {
    case TypeRoot::kTinyInt:
      return static_cast<int8_t>(slot);
    case TypeRoot::kSmallInt:
      return static_cast<int16_t>(slot);
    case TypeRoot::kInt:
    case TypeRoot::kDate:
      return static_cast<int32_t>(slot);
    case TypeRoot::kBigInt:
      return static_cast<int64_t>(slot);
    default:
      return std::nullopt;
  }
}

std::optional<std::string_view> BytesOfBinaryRow(std::string_view row, int32_t field) {
  const Result<RowView> view = RowView::Make(row);
  if (!view.ok() || field < 0 || field >= view->arity() || view->IsNull(field)) return std::nullopt;
  const Result<std::string_view> bytes = view->Bytes(field);
  return bytes.ok() ? std::make_optional(*bytes) : std::nullopt;
}

}  // namespace reelhouse
