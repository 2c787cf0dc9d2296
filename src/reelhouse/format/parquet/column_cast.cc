#include "reelhouse/format/parquet/column_cast.h"

#include <limits>

#include <arrow/api.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/cast.h>
#include <arrow/util/decimal.h>
#include <fmt/format.h>

namespace reelhouse {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using TypePtr = std::shared_ptr<arrow::DataType>;

bool IsListLike(arrow::Type::type id) {
  return id == arrow::Type::LIST || id == arrow::Type::LARGE_LIST || id == arrow::Type::FIXED_SIZE_LIST ||
         id == arrow::Type::MAP;
}

// The validity of `array` as a bitmap that starts at bit 0; null if nothing is null.
Result<std::shared_ptr<arrow::Buffer>> ValidityOf(const arrow::Array& array) {
  if (array.null_count() == 0) return std::shared_ptr<arrow::Buffer>();
  arrow::TypedBufferBuilder<bool> bits;
  ARROW_RETURN_NOT_OK(bits.Reserve(array.length()));
  for (int64_t i = 0; i < array.length(); ++i) bits.UnsafeAppend(array.IsValid(i));
  return bits.Finish();
}

Result<ArrayPtr> TakeRows(const ArrayPtr& values, const ArrayPtr& indices) {
  ARROW_ASSIGN_OR_RAISE(arrow::Datum taken, arrow::compute::Take(values, indices));
  return taken.make_array();
}

// Rows of lists, whatever kind of list they came as: elements and where each row's elements end.
struct Lists {
  ArrayPtr elements;
  std::vector<int64_t> offsets;  // one more than rows, from 0
};

template <typename ListArrayType>
Result<Lists> SplitLists(const ListArrayType& array) {
  Lists lists;
  lists.offsets.reserve(static_cast<size_t>(array.length()) + 1);
  lists.offsets.push_back(0);
  const int64_t begin = array.length() == 0 ? 0 : array.value_offset(0);
  bool has_gaps = false;
  for (int64_t i = 0; i < array.length(); ++i) {
    const int64_t length = array.value_length(i);
    const bool is_null = array.IsNull(i);
    // Elements below a NULL row are legal in Arrow but have no place in Parquet.
    has_gaps = has_gaps || (is_null && length > 0);
    lists.offsets.push_back(lists.offsets.back() + (is_null ? 0 : length));
  }
  if (!has_gaps) {
    lists.elements = array.values()->Slice(begin, lists.offsets.back());
    return lists;
  }
  arrow::Int64Builder indices;
  ARROW_RETURN_NOT_OK(indices.Reserve(lists.offsets.back()));
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) continue;
    for (int64_t k = 0; k < array.value_length(i); ++k) indices.UnsafeAppend(array.value_offset(i) + k);
  }
  ARROW_ASSIGN_OR_RAISE(auto index_array, indices.Finish());
  ARROW_ASSIGN_OR_RAISE(lists.elements, TakeRows(array.values(), index_array));
  return lists;
}

Result<Lists> SplitAnyLists(const arrow::Array& array) {
  switch (array.type_id()) {
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      return SplitLists(static_cast<const arrow::ListArray&>(array));
    case arrow::Type::LARGE_LIST:
      return SplitLists(static_cast<const arrow::LargeListArray&>(array));
    default:
      return SplitLists(static_cast<const arrow::FixedSizeListArray&>(array));
  }
}

Result<std::shared_ptr<arrow::Buffer>> NarrowOffsets(const std::vector<int64_t>& offsets) {
  if (offsets.back() > std::numeric_limits<int32_t>::max()) {
    return Status::Invalid("lists of one batch hold ", offsets.back(), " elements, more than 2^31 - 1");
  }
  arrow::TypedBufferBuilder<int32_t> narrow;
  ARROW_RETURN_NOT_OK(narrow.Reserve(static_cast<int64_t>(offsets.size())));
  for (const int64_t offset : offsets) narrow.UnsafeAppend(static_cast<int32_t>(offset));
  return narrow.Finish();
}

Result<ArrayPtr> CastToList(const arrow::Array& array, const TypePtr& type, CastRule rule) {
  ARROW_ASSIGN_OR_RAISE(const Lists lists, SplitAnyLists(array));
  const auto& list_type = static_cast<const arrow::ListType&>(*type);
  ARROW_ASSIGN_OR_RAISE(auto elements, CastColumn(lists.elements, list_type.value_type(), rule));
  if (!list_type.value_field()->nullable() && elements->null_count() > 0) {
    return Status::Invalid("an element of a list is NULL, but its type is NOT NULL");
  }
  ARROW_ASSIGN_OR_RAISE(auto offsets, NarrowOffsets(lists.offsets));
  ARROW_ASSIGN_OR_RAISE(auto validity, ValidityOf(array));
  return std::make_shared<arrow::ListArray>(type, array.length(), offsets, elements, validity, array.null_count());
}

Result<ArrayPtr> CastToMap(const arrow::Array& array, const TypePtr& type, CastRule rule) {
  ARROW_ASSIGN_OR_RAISE(const Lists lists, SplitAnyLists(array));
  const auto& map_type = static_cast<const arrow::MapType&>(*type);
  if (lists.elements->type_id() != arrow::Type::STRUCT || lists.elements->type()->num_fields() != 2) {
    return Status::TypeError("cannot convert ", array.type()->ToString(), " to ", type->ToString());
  }
  const auto& entries = static_cast<const arrow::StructArray&>(*lists.elements);
  ARROW_ASSIGN_OR_RAISE(auto keys, CastColumn(entries.field(0), map_type.key_type(), rule));
  ARROW_ASSIGN_OR_RAISE(auto items, CastColumn(entries.field(1), map_type.item_type(), rule));
  if (keys->null_count() > 0) return Status::Invalid("a key of a map is NULL");
  if (!map_type.item_field()->nullable() && items->null_count() > 0) {
    return Status::Invalid("a value of a map is NULL, but its type is NOT NULL");
  }
  ARROW_ASSIGN_OR_RAISE(auto offsets, NarrowOffsets(lists.offsets));
  ARROW_ASSIGN_OR_RAISE(auto validity, ValidityOf(array));
  auto pairs = std::make_shared<arrow::StructArray>(map_type.value_type(), entries.length(),
                                                    std::vector<ArrayPtr>{std::move(keys), std::move(items)});
  return std::make_shared<arrow::MapArray>(arrow::ArrayData::Make(
      type, array.length(), {std::move(validity), std::move(offsets)}, {pairs->data()}, array.null_count()));
}

Result<ArrayPtr> CastToFixedSizeList(const arrow::Array& array, const TypePtr& type, CastRule rule) {
  ARROW_ASSIGN_OR_RAISE(const Lists lists, SplitAnyLists(array));
  const auto& list_type = static_cast<const arrow::FixedSizeListType&>(*type);
  const int64_t width = list_type.list_size();
  for (int64_t i = 0; i < array.length(); ++i) {
    const int64_t length = lists.offsets[i + 1] - lists.offsets[i];
    if (array.IsValid(i) && length != width) {
      return Status::Invalid("row ", i, ": expected a vector of ", width, " elements, found ", length);
    }
  }
  ARROW_ASSIGN_OR_RAISE(auto elements, CastColumn(lists.elements, list_type.value_type(), rule));
  if (!list_type.value_field()->nullable() && elements->null_count() > 0) {
    return Status::Invalid("an element of a vector is NULL, but its type is NOT NULL");
  }
  if (array.null_count() > 0) {
    // A fixed size list needs room below its NULL rows.
    arrow::Int64Builder indices;
    ARROW_RETURN_NOT_OK(indices.Reserve(array.length() * width));
    for (int64_t i = 0; i < array.length(); ++i) {
      for (int64_t k = 0; k < width; ++k) {
        if (array.IsValid(i)) {
          indices.UnsafeAppend(lists.offsets[i] + k);
        } else {
          indices.UnsafeAppendNull();
        }
      }
    }
    ARROW_ASSIGN_OR_RAISE(auto index_array, indices.Finish());
    ARROW_ASSIGN_OR_RAISE(elements, TakeRows(elements, index_array));
  }
  ARROW_ASSIGN_OR_RAISE(auto validity, ValidityOf(array));
  return std::make_shared<arrow::FixedSizeListArray>(type, array.length(), elements, validity, array.null_count());
}

Result<ArrayPtr> CastToStruct(const arrow::StructArray& array, const TypePtr& type, CastRule rule) {
  const auto& from = static_cast<const arrow::StructType&>(*array.type());
  if (rule == CastRule::kExact) {
    for (const auto& member : from.fields()) {
      if (static_cast<const arrow::StructType&>(*type).GetFieldIndex(member->name()) < 0) {
        return Status::Invalid("unknown member '", member->name(), "' of ", type->ToString());
      }
    }
  }
  std::vector<ArrayPtr> members;
  for (const auto& member : type->fields()) {
    const int index = from.GetFieldIndex(member->name());
    ArrayPtr values;
    if (index >= 0) {
      auto cast = CastColumn(array.field(index), member->type(), rule);
      if (!cast.ok()) return Prefixed("member '" + member->name() + "'", cast.status());
      values = std::move(cast).ValueUnsafe();
    } else {
      ARROW_ASSIGN_OR_RAISE(values, arrow::MakeArrayOfNull(member->type(), array.length()));
    }
    if (!member->nullable() && values->null_count() > 0) {
      for (int64_t i = 0; i < array.length(); ++i) {
        if (array.IsValid(i) && values->IsNull(i)) {
          return Status::Invalid("member '", member->name(), "' is declared non-nullable but contains nulls");
        }
      }
    }
    members.push_back(std::move(values));
  }
  ARROW_ASSIGN_OR_RAISE(auto validity, ValidityOf(array));
  return std::make_shared<arrow::StructArray>(type, array.length(), members, validity, array.null_count());
}

template <typename Builder, typename ArrayType>
Result<ArrayPtr> Rebuild(const arrow::Array& array) {
  const auto& views = static_cast<const ArrayType&>(array);
  Builder builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(views.length()));
  for (int64_t i = 0; i < views.length(); ++i) {
    if (views.IsNull(i)) {
      builder.UnsafeAppendNull();
    } else {
      ARROW_RETURN_NOT_OK(builder.Append(views.GetView(i)));
    }
  }
  return builder.Finish();
}

Result<ArrayPtr> CastLeaf(const ArrayPtr& array, const TypePtr& type, CastRule rule) {
  auto options =
      rule == CastRule::kExact ? arrow::compute::CastOptions::Safe(type) : arrow::compute::CastOptions::Unsafe(type);
  ARROW_ASSIGN_OR_RAISE(arrow::Datum cast, arrow::compute::Cast(arrow::Datum(array), options));
  return cast.make_array();
}

// Arrow refuses any INT to a DECIMAL with room for fewer digits than the widest INT, even if the values fit.
Result<ArrayPtr> CastIntegerToDecimal(const ArrayPtr& array, const TypePtr& type, CastRule rule) {
  ARROW_ASSIGN_OR_RAISE(auto wide, CastLeaf(array, arrow::decimal128(20, 0), CastRule::kExact));
  return CastLeaf(wide, type, rule);
}

// Other engines round half up where digits are dropped; Arrow cuts them off.
Result<ArrayPtr> RoundDecimals(const arrow::Decimal128Array& array, const TypePtr& type) {
  const auto& from = static_cast<const arrow::Decimal128Type&>(*array.type());
  const auto& to = static_cast<const arrow::Decimal128Type&>(*type);
  arrow::Decimal128Builder builder(type);
  ARROW_RETURN_NOT_OK(builder.Reserve(array.length()));
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) {
      builder.UnsafeAppendNull();
      continue;
    }
    const arrow::Decimal128 value =
        arrow::Decimal128(array.GetValue(i)).ReduceScaleBy(from.scale() - to.scale(), /*round=*/true);
    // What does not fit the new precision has no value any more, as in SQL.
    if (value.FitsInPrecision(to.precision())) {
      builder.UnsafeAppend(value);
    } else {
      builder.UnsafeAppendNull();
    }
  }
  return builder.Finish();
}

Result<ArrayPtr> CastAtomic(const ArrayPtr& array, const TypePtr& type, CastRule rule) {
  const auto from = array->type_id();
  if (arrow::is_integer(from) && type->id() == arrow::Type::DECIMAL128) {
    return CastIntegerToDecimal(array, type, rule);
  }
  if (rule == CastRule::kStored && from == arrow::Type::DECIMAL128 && type->id() == arrow::Type::DECIMAL128) {
    const auto& old_type = static_cast<const arrow::Decimal128Type&>(*array->type());
    if (old_type.scale() > static_cast<const arrow::Decimal128Type&>(*type).scale()) {
      return RoundDecimals(static_cast<const arrow::Decimal128Array&>(*array), type);
    }
  }
  return CastLeaf(array, type, rule);
}

}  // namespace

Result<ArrayPtr> CastColumn(const ArrayPtr& values, const TypePtr& type, CastRule rule) {
  const arrow::DataType& from = *values->type();
  switch (from.id()) {
    case arrow::Type::NA:
      return arrow::MakeArrayOfNull(type, values->length());
    case arrow::Type::EXTENSION:
      return CastColumn(static_cast<const arrow::ExtensionArray&>(*values).storage(), type, rule);
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = static_cast<const arrow::DictionaryArray&>(*values);
      // The dictionary is cast once, then looked up: views have no lookup of their own.
      ARROW_ASSIGN_OR_RAISE(auto entries, CastColumn(dictionary.dictionary(), type, rule));
      return TakeRows(entries, dictionary.indices());
    }
    case arrow::Type::STRING_VIEW: {
      ARROW_ASSIGN_OR_RAISE(auto plain, (Rebuild<arrow::LargeStringBuilder, arrow::StringViewArray>(*values)));
      return CastColumn(plain, type, rule);
    }
    case arrow::Type::BINARY_VIEW: {
      ARROW_ASSIGN_OR_RAISE(auto plain, (Rebuild<arrow::LargeBinaryBuilder, arrow::BinaryViewArray>(*values)));
      return CastColumn(plain, type, rule);
    }
    default:
      break;
  }
  const bool is_list = IsListLike(from.id());
  switch (type->id()) {
    case arrow::Type::LIST:
      if (is_list) return CastToList(*values, type, rule);
      break;
    case arrow::Type::MAP:
      if (is_list) return CastToMap(*values, type, rule);
      break;
    case arrow::Type::FIXED_SIZE_LIST:
      if (is_list) return CastToFixedSizeList(*values, type, rule);
      break;
    case arrow::Type::STRUCT:
      if (from.id() == arrow::Type::STRUCT) {
        return CastToStruct(static_cast<const arrow::StructArray&>(*values), type, rule);
      }
      break;
    default:
      if (from.Equals(*type)) return values;
      if (!arrow::is_nested(from.id())) return CastAtomic(values, type, rule);
      break;
  }
  return Status::TypeError("cannot convert ", from.ToString(), " to ", type->ToString());
}

}  // namespace reelhouse
