#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>
#include <nlohmann/json_fwd.hpp>

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
  explicit DataType(TypeRoot root, bool nullable = true) : root_(root), nullable_(nullable) {}

  /// From the JSON of a schema file: a string (`"DECIMAL(10, 2) NOT NULL"`) or an object (ARRAY, MAP, ROW, ...).
  static Result<DataType> FromJson(const nlohmann::json& json);
  /// From the text of an atomic type, any case, all spellings that other engines write.
  static Result<DataType> FromText(std::string_view text);
  /// By the mapping of the contract; nullability from `nullable`. ROW members get ids from `next_id` (depth first) if
  /// it is not null. Types without a Paimon type: `Unsupported pyarrow type: uint8`.
  static Result<DataType> FromArrow(const arrow::DataType& type, bool nullable, int32_t* next_id);

  nlohmann::json ToJson() const;
  /// One line for people: `DECIMAL(10, 2) NOT NULL`, `ARRAY<STRING>`, `ROW<x: DOUBLE, y: DOUBLE>`.
  std::string ToText() const;
  /// What a scan returns for it.
  std::shared_ptr<arrow::DataType> ToArrow() const;

  TypeRoot root() const { return root_; }
  bool nullable() const { return nullable_; }
  DataType WithNullable(bool nullable) const;
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
  /// BLOB, ARRAY<BLOB> or MAP<_, BLOB>: lives in `.blob` or `.video` files unless inline by option.
  bool IsBlobLike() const { return IsScalarBlob() || IsArrayOfBlob() || IsMapOfBlob(); }

  bool operator==(const DataType& other) const;

 private:
  friend struct DataTypeParts;  // data_type.cc builds types through it
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
