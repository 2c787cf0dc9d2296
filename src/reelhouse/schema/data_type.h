#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// Paimon's type roots (format notes, 1.3).
enum class TypeRoot : uint8_t {
  kBoolean,
  kTinyInt,
  kSmallInt,
  kInt,
  kBigInt,
  kFloat,
  kDouble,
  kDecimal,
  kChar,
  kVarChar,
  kBinary,
  kVarBinary,
  kBlob,
  kDate,
  kTime,
  kTimestamp,
  kTimestampLtz,
  kArray,
  kVector,
  kMultiset,
  kMap,
  kRow,
  kVariant,
};

class DataType;

/// A column of a table or a member of a ROW.
struct DataField;

/// A Paimon type: a value. STRING is VARCHAR(2147483647), BYTES is VARBINARY(2147483647), as in Paimon.
class DataType {
 public:
  static constexpr int32_t kMaxLength = 2147483647;

  DataType() = default;
  /// With the parameters that the bare name has: STRING, BYTES, CHAR(1), BINARY(1), DECIMAL(10, 0), TIME(0),
  /// TIMESTAMP(6). Composite types are made by the functions below.
  explicit DataType(TypeRoot root, bool nullable = true);
  /// CHAR, VARCHAR, BINARY, VARBINARY.
  static DataType OfLength(TypeRoot root, int32_t length, bool nullable = true);
  /// DECIMAL, TIME, TIMESTAMP, TIMESTAMP_LTZ.
  static DataType OfPrecision(TypeRoot root, int32_t precision, int32_t scale = 0, bool nullable = true);
  static DataType Array(DataType element, bool nullable = true);
  static DataType Vector(DataType element, int32_t length, bool nullable = true);
  static DataType Multiset(DataType element, bool nullable = true);
  static DataType Map(DataType key, DataType value, bool nullable = true);
  static DataType Row(std::vector<DataField> fields, bool nullable = true);

  /// From the text of a type, any case, all spellings that other engines write; also what ToText prints for composite
  /// types (the members of a ROW then have no ids yet, see WithFieldIds). JSON: schema/type_json.h.
  static Result<DataType> FromText(std::string_view text);
  /// By the mapping of the contract; nullability from `nullable`. ROW members get ids from `next_id` (depth first, a
  /// member after its own members) if it is not null. Types without a Paimon type: `Unsupported pyarrow type: uint8`.
  static Result<DataType> FromArrow(const arrow::DataType& type, bool nullable, int32_t* next_id);

  /// One line for people: `DECIMAL(10, 2) NOT NULL`, `ARRAY<STRING>`, `ROW<x: DOUBLE, y: DOUBLE>`. For atomic types it
  /// is the text of schema files.
  std::string ToText() const;
  /// What a scan returns for it.
  std::shared_ptr<arrow::DataType> ToArrow() const;

  TypeRoot root() const { return root_; }
  bool nullable() const { return nullable_; }
  DataType WithNullable(bool nullable) const;
  /// The same type with new ids for all members of ROWs, as FromArrow gives them.
  DataType WithFieldIds(int32_t* next_id) const;
  int32_t length() const { return length_; }        ///< CHAR, VARCHAR, BINARY, VARBINARY, VECTOR
  int32_t precision() const { return precision_; }  ///< DECIMAL, TIME, TIMESTAMP*
  int32_t scale() const { return scale_; }          ///< DECIMAL
  /// Element of ARRAY, VECTOR, MULTISET; key and value of MAP.
  const std::vector<DataType>& children() const { return children_; }
  const std::vector<DataField>& fields() const;  ///< members of ROW

  bool IsAtomic() const;
  bool IsScalarBlob() const { return root_ == TypeRoot::kBlob; }
  bool IsArrayOfBlob() const;
  bool IsMapOfBlob() const;
  /// BLOB at a place where Paimon has no storage for it: in a ROW, in a key, two levels deep.
  bool HasUnsupportedBlob() const;
  /// BLOB, ARRAY<BLOB> or MAP<_, BLOB>: lives in `.blob` or `.video` files unless inline by option.
  bool IsBlobLike() const { return IsScalarBlob() || IsArrayOfBlob() || IsMapOfBlob(); }

  bool operator==(const DataType& other) const;

 private:
  TypeRoot root_ = TypeRoot::kInt;
  bool nullable_ = true;
  int32_t length_ = 0;
  int32_t precision_ = 0;
  int32_t scale_ = 0;
  std::vector<DataType> children_;
  std::shared_ptr<const std::vector<DataField>> fields_;
};

struct DataField {
  int32_t id = -1;
  std::string name;
  DataType type;
  std::optional<std::string> description;
  std::optional<std::string> default_value;

  bool operator==(const DataField&) const = default;
};

/// Arrow field for a column: name, type, nullability, description as metadata `description`.
std::shared_ptr<arrow::Field> ToArrowField(const DataField& field);

}  // namespace reelhouse
