#include "reelhouse/schema/data_type.h"

#include <utility>

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>

#include "reelhouse/schema/type_text.h"

namespace reelhouse {
namespace {

// Deeper types than anybody writes; keeps a hostile type from exhausting the stack.
constexpr int kDeepestType = 64;

constexpr int32_t kMaxDecimalPrecision = 38;

int32_t PrecisionOf(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 0;
    case arrow::TimeUnit::MILLI:
      return 3;
    case arrow::TimeUnit::MICRO:
      return 6;
    case arrow::TimeUnit::NANO:
      return 9;
  }
  return 6;
}

arrow::TimeUnit::type UnitOf(int32_t precision) {
  if (precision <= 0) return arrow::TimeUnit::SECOND;
  if (precision <= 3) return arrow::TimeUnit::MILLI;
  if (precision <= 6) return arrow::TimeUnit::MICRO;
  return arrow::TimeUnit::NANO;
}

// What to do about a type that Paimon does not have; empty if there is no plain advice.
std::string WayOut(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::UINT8:
      return "; cast it to int16";
    case arrow::Type::UINT16:
      return "; cast it to int32";
    case arrow::Type::UINT32:
    case arrow::Type::UINT64:
      return "; cast it to int64";
    case arrow::Type::HALF_FLOAT:
      return "; cast it to float32";
    case arrow::Type::NA:
      return "; every value is null, so name the type in a schema";
    case arrow::Type::DATE64:
      return "; cast it to date32 or a timestamp";
    case arrow::Type::DURATION:
      return "; cast it to int64";
    case arrow::Type::DICTIONARY:
      return "; cast it to " + static_cast<const arrow::DictionaryType&>(type).value_type()->ToString();
    case arrow::Type::STRING_VIEW:
      return "; cast it to string";
    case arrow::Type::BINARY_VIEW:
      return "; cast it to binary";
    default:
      return "";
  }
}

bool IsVariantStruct(const arrow::StructType& type) {
  if (type.num_fields() != 2) return false;
  for (const char* name : {"value", "metadata"}) {
    std::shared_ptr<arrow::Field> member = type.GetFieldByName(name);
    if (member == nullptr || member->nullable() || member->type()->id() != arrow::Type::BINARY) return false;
  }
  return true;
}

std::optional<std::string> DescriptionOf(const arrow::Field& field) {
  if (field.metadata() == nullptr) return std::nullopt;
  auto description = field.metadata()->Get("description");
  if (!description.ok()) return std::nullopt;
  return *std::move(description);
}

Result<DataType> FromArrowAt(const arrow::DataType& type, bool nullable, int32_t* next_id, int depth);

Result<DataType> VectorFromArrow(const arrow::FixedSizeListType& type, bool nullable, int32_t* next_id, int depth) {
  if (type.list_size() < 1) return Status::Invalid("Vector length must be greater than or equal to 1.");
  ARROW_ASSIGN_OR_RAISE(DataType element,
                        FromArrowAt(*type.value_type(), type.value_field()->nullable(), next_id, depth + 1));
  if (!IsVectorElement(element)) {
    return Status::Invalid("Invalid element type for vector: ", element.WithNullable(true).ToText());
  }
  return DataType::Vector(std::move(element), type.list_size(), nullable);
}

Result<DataType> RowFromArrow(const arrow::StructType& type, bool nullable, int32_t* next_id, int depth) {
  std::vector<DataField> members;
  members.reserve(type.fields().size());
  for (const std::shared_ptr<arrow::Field>& member : type.fields()) {
    DataField field;
    field.name = member->name();
    ARROW_ASSIGN_OR_RAISE(field.type, FromArrowAt(*member->type(), member->nullable(), next_id, depth + 1));
    if (next_id != nullptr) field.id = (*next_id)++;
    field.description = DescriptionOf(*member);
    members.push_back(std::move(field));
  }
  return DataType::Row(std::move(members), nullable);
}

Result<DataType> FromArrowAt(const arrow::DataType& type, bool nullable, int32_t* next_id, int depth) {
  if (depth > kDeepestType) return Status::Invalid("a type is nested deeper than ", kDeepestType, " levels");
  switch (type.id()) {
    case arrow::Type::BOOL:
      return DataType(TypeRoot::kBoolean, nullable);
    case arrow::Type::INT8:
      return DataType(TypeRoot::kTinyInt, nullable);
    case arrow::Type::INT16:
      return DataType(TypeRoot::kSmallInt, nullable);
    case arrow::Type::INT32:
      return DataType(TypeRoot::kInt, nullable);
    case arrow::Type::INT64:
      return DataType(TypeRoot::kBigInt, nullable);
    case arrow::Type::FLOAT:
      return DataType(TypeRoot::kFloat, nullable);
    case arrow::Type::DOUBLE:
      return DataType(TypeRoot::kDouble, nullable);
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
      return DataType(TypeRoot::kVarChar, nullable);
    case arrow::Type::BINARY:
      return DataType(TypeRoot::kVarBinary, nullable);
    case arrow::Type::FIXED_SIZE_BINARY: {
      int32_t width = static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width();
      if (width < 1)
        return Status::Invalid("Unsupported pyarrow type: ", type.ToString(), "; its width must be 1 or more");
      return DataType::OfLength(TypeRoot::kBinary, width, nullable);
    }
    case arrow::Type::LARGE_BINARY:
      return DataType(TypeRoot::kBlob, nullable);
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      if (decimal.precision() < 1 || decimal.precision() > kMaxDecimalPrecision) {
        return Status::Invalid("precision should be between 1 and 38, found ", decimal.precision(), " in ",
                               type.ToString());
      }
      // Paimon's Java readers refuse such a type, so the table would be ours alone.
      if (decimal.scale() < 0 || decimal.scale() > decimal.precision()) {
        return Status::Invalid("Unsupported data type: DECIMAL(", decimal.precision(), ", ", decimal.scale(),
                               "); the scale must lie between 0 and the precision");
      }
      return DataType::OfPrecision(TypeRoot::kDecimal, decimal.precision(), decimal.scale(), nullable);
    }
    case arrow::Type::DATE32:
      return DataType(TypeRoot::kDate, nullable);
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return DataType(TypeRoot::kTime, nullable);
    case arrow::Type::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
      return DataType::OfPrecision(timestamp.timezone().empty() ? TypeRoot::kTimestamp : TypeRoot::kTimestampLtz,
                                   PrecisionOf(timestamp.unit()), 0, nullable);
    }
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST: {
      const auto& list = static_cast<const arrow::BaseListType&>(type);
      ARROW_ASSIGN_OR_RAISE(DataType element,
                            FromArrowAt(*list.value_type(), list.value_field()->nullable(), next_id, depth + 1));
      return DataType::Array(std::move(element), nullable);
    }
    case arrow::Type::FIXED_SIZE_LIST:
      return VectorFromArrow(static_cast<const arrow::FixedSizeListType&>(type), nullable, next_id, depth);
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      ARROW_ASSIGN_OR_RAISE(DataType key, FromArrowAt(*map.key_type(), false, next_id, depth + 1));
      ARROW_ASSIGN_OR_RAISE(DataType value,
                            FromArrowAt(*map.item_type(), map.item_field()->nullable(), next_id, depth + 1));
      return DataType::Map(std::move(key), std::move(value), nullable);
    }
    case arrow::Type::STRUCT: {
      const auto& row = static_cast<const arrow::StructType&>(type);
      if (IsVariantStruct(row)) return DataType(TypeRoot::kVariant, nullable);
      return RowFromArrow(row, nullable, next_id, depth);
    }
    default:
      return Status::Invalid("Unsupported pyarrow type: ", type.ToString(), WayOut(type));
  }
}

// True if BLOB occurs anywhere in the type.
bool MentionsBlob(const DataType& type) {
  if (type.IsScalarBlob()) return true;
  for (const DataType& child : type.children()) {
    if (MentionsBlob(child)) return true;
  }
  for (const DataField& member : type.fields()) {
    if (MentionsBlob(member.type)) return true;
  }
  return false;
}

}  // namespace

DataType::DataType(TypeRoot root, bool nullable) : root_(root), nullable_(nullable) {
  switch (root) {
    case TypeRoot::kChar:
    case TypeRoot::kBinary:
      length_ = 1;
      break;
    case TypeRoot::kVarChar:
    case TypeRoot::kVarBinary:
      length_ = kMaxLength;
      break;
    case TypeRoot::kDecimal:
      precision_ = 10;
      break;
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      precision_ = 6;
      break;
    // Bare composite types hold INT, so that no accessor finds nothing.
    case TypeRoot::kVector:
      length_ = 1;
      [[fallthrough]];
    case TypeRoot::kArray:
    case TypeRoot::kMultiset:
      children_.resize(1);
      break;
    case TypeRoot::kMap:
      children_.resize(2);
      break;
    default:
      break;
  }
}

DataType DataType::OfLength(TypeRoot root, int32_t length, bool nullable) {
  DataType type(root, nullable);
  type.length_ = length;
  return type;
}

DataType DataType::OfPrecision(TypeRoot root, int32_t precision, int32_t scale, bool nullable) {
  DataType type(root, nullable);
  type.precision_ = precision;
  type.scale_ = scale;
  return type;
}

DataType DataType::Array(DataType element, bool nullable) {
  DataType type(TypeRoot::kArray, nullable);
  type.children_[0] = std::move(element);
  return type;
}

DataType DataType::Vector(DataType element, int32_t length, bool nullable) {
  DataType type(TypeRoot::kVector, nullable);
  type.length_ = length;
  type.children_[0] = std::move(element);
  return type;
}

DataType DataType::Multiset(DataType element, bool nullable) {
  DataType type(TypeRoot::kMultiset, nullable);
  type.children_[0] = std::move(element);
  return type;
}

DataType DataType::Map(DataType key, DataType value, bool nullable) {
  DataType type(TypeRoot::kMap, nullable);
  type.children_[0] = std::move(key);
  type.children_[1] = std::move(value);
  return type;
}

DataType DataType::Row(std::vector<DataField> fields, bool nullable) {
  DataType type(TypeRoot::kRow, nullable);
  type.fields_ = std::make_shared<const std::vector<DataField>>(std::move(fields));
  return type;
}

Result<DataType> DataType::FromText(std::string_view text) { return ParseTypeText(text); }

Result<DataType> DataType::FromArrow(const arrow::DataType& type, bool nullable, int32_t* next_id) {
  return FromArrowAt(type, nullable, next_id, 0);
}

std::string DataType::ToText() const { return PrintTypeText(*this); }

std::shared_ptr<arrow::DataType> DataType::ToArrow() const {
  switch (root_) {
    case TypeRoot::kBoolean:
      return arrow::boolean();
    case TypeRoot::kTinyInt:
      return arrow::int8();
    case TypeRoot::kSmallInt:
      return arrow::int16();
    case TypeRoot::kInt:
      return arrow::int32();
    case TypeRoot::kBigInt:
      return arrow::int64();
    case TypeRoot::kFloat:
      return arrow::float32();
    case TypeRoot::kDouble:
      return arrow::float64();
    case TypeRoot::kDecimal:
      return arrow::decimal128(precision_, scale_);
    case TypeRoot::kChar:
    case TypeRoot::kVarChar:
      return arrow::utf8();
    case TypeRoot::kBinary:
    case TypeRoot::kVarBinary:
      return arrow::binary();
    case TypeRoot::kBlob:
      return arrow::large_binary();
    case TypeRoot::kDate:
      return arrow::date32();
    case TypeRoot::kTime:
      return arrow::time32(arrow::TimeUnit::MILLI);
    case TypeRoot::kTimestamp:
      return arrow::timestamp(UnitOf(precision_));
    case TypeRoot::kTimestampLtz:
      return arrow::timestamp(UnitOf(precision_), "UTC");
    case TypeRoot::kArray:
      return arrow::list(arrow::field("item", children_[0].ToArrow(), children_[0].nullable()));
    case TypeRoot::kVector:
      // Nullable elements and map values whatever the schema says: pypaimon returns these types, and callers compare.
      return arrow::fixed_size_list(arrow::field("item", children_[0].ToArrow()), length_);
    case TypeRoot::kMultiset:
      return arrow::map(children_[0].ToArrow(), arrow::int32());
    case TypeRoot::kMap:
      return arrow::map(children_[0].ToArrow(), children_[1].ToArrow());
    case TypeRoot::kRow: {
      arrow::FieldVector members;
      members.reserve(fields().size());
      for (const DataField& member : fields()) {
        members.push_back(arrow::field(member.name, member.type.ToArrow(), member.type.nullable()));
      }
      return arrow::struct_(std::move(members));
    }
    case TypeRoot::kVariant:
      return arrow::struct_(
          {arrow::field("value", arrow::binary(), false), arrow::field("metadata", arrow::binary(), false)});
  }
  return arrow::null();
}

DataType DataType::WithNullable(bool nullable) const {
  DataType type = *this;
  type.nullable_ = nullable;
  return type;
}

DataType DataType::WithFieldIds(int32_t* next_id) const {
  DataType type = *this;
  for (DataType& child : type.children_) child = child.WithFieldIds(next_id);
  if (root_ == TypeRoot::kRow) {
    std::vector<DataField> members = fields();
    for (DataField& member : members) {
      member.type = member.type.WithFieldIds(next_id);
      member.id = (*next_id)++;
    }
    type.fields_ = std::make_shared<const std::vector<DataField>>(std::move(members));
  }
  return type;
}

const std::vector<DataField>& DataType::fields() const {
  static const std::vector<DataField> kNone;
  return fields_ == nullptr ? kNone : *fields_;
}

bool DataType::IsAtomic() const {
  switch (root_) {
    case TypeRoot::kArray:
    case TypeRoot::kVector:
    case TypeRoot::kMultiset:
    case TypeRoot::kMap:
    case TypeRoot::kRow:
      return false;
    default:
      return true;
  }
}

bool DataType::IsArrayOfBlob() const { return root_ == TypeRoot::kArray && children_.front().IsScalarBlob(); }

bool DataType::IsMapOfBlob() const {
  return root_ == TypeRoot::kMap && children_[1].IsScalarBlob() && !MentionsBlob(children_[0]);
}

bool DataType::HasUnsupportedBlob() const { return MentionsBlob(*this) && !IsBlobLike(); }

bool DataType::operator==(const DataType& other) const {
  return root_ == other.root_ && nullable_ == other.nullable_ && length_ == other.length_ &&
         precision_ == other.precision_ && scale_ == other.scale_ && children_ == other.children_ &&
         fields() == other.fields();
}

std::shared_ptr<arrow::Field> ToArrowField(const DataField& field) {
  std::shared_ptr<const arrow::KeyValueMetadata> metadata;
  if (field.description) metadata = arrow::key_value_metadata({"description"}, {*field.description});
  return arrow::field(field.name, field.type.ToArrow(), field.type.nullable(), metadata);
}

}  // namespace reelhouse
