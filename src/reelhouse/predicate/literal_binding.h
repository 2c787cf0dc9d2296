#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reelhouse/predicate/predicate_node.h"

namespace reelhouse {

/// A literal as written, before it is known which column it is compared with.
struct RawLiteral {
  enum class Kind : uint8_t {
    kString,  ///< '..' or ".."
    kNumber,
    kTrue,
    kFalse,
    kWord,  ///< NaN, Infinity, yes, no: values of some types only
    kDate,
    kTime,
    kTimestamp,
    kDecimal,
    kBytes,  ///< X'..': the bytes
  };
  Kind kind = Kind::kString;
  std::string text;         ///< without quotes
  std::string_view source;  ///< as written, for errors
  size_t offset = 0;        ///< in the text of the filter, in bytes
};

/// Where a literal lies among the values that cells of a column can have.
struct BoundLiteral {
  enum class Place : uint8_t {
    kValue,      ///< is one of them
    kJustAbove,  ///< above `value`, below the next one
    kAboveAll,
    kBelowAll,
    kUnordered,  ///< NaN: nothing equals it, nothing is below or above it
  };
  Place place = Place::kValue;
  Literal value;
};

/// `literal` as a value for `column`; `text` is the whole filter, for errors. The column's kind is not kNone.
Result<BoundLiteral> BindLiteral(std::string_view text, const ColumnRef& column, const RawLiteral& literal);

/// `column op literal`, exact where the literal is not one of the column's values: `id > 1.5` is `id > 1`, `id = 1.5`
/// holds for no cell.
NodePtr MakeComparison(const ColumnRef& column, CompareOp op, const BoundLiteral& literal);

/// `INT`, `STRING`, `DECIMAL`, ...: the word for a type in errors and typed literals.
std::string_view TypeWord(const DataType& type);

}  // namespace reelhouse
