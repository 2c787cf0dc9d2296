#include "reelhouse/predicate/literal_binding.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "reelhouse/base/text.h"
#include "reelhouse/predicate/calendar_text.h"
#include "reelhouse/predicate/where_tokens.h"

namespace reelhouse {

namespace {

using RawKind = RawLiteral::Kind;
using Place = BoundLiteral::Place;

BoundLiteral Value(Literal value) { return {Place::kValue, std::move(value)}; }

/// Largest value that cells of an integer or decimal type hold; the least is -max - 1 or -max.
Int128 MaxUnits(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kTinyInt:
      return std::numeric_limits<int8_t>::max();
    case TypeRoot::kSmallInt:
      return std::numeric_limits<int16_t>::max();
    case TypeRoot::kInt:
      return std::numeric_limits<int32_t>::max();
    case TypeRoot::kBigInt:
      return std::numeric_limits<int64_t>::max();
    default:
      return PowerOfTen(std::clamp(type.precision(), 0, 38)) - 1;
  }
}

/// The place of an exact number among the values of an integer or decimal column.
BoundLiteral PlaceAmongNumbers(const DecimalText& number, const DataType& type) {
  const bool is_decimal = type.root() == TypeRoot::kDecimal;
  const int32_t scale = is_decimal ? type.scale() : 0;
  const Int128 max = MaxUnits(type);
  const Int128 min = is_decimal ? -max : -max - 1;
  const GridPosition position = number.PlaceOnGrid(scale);
  if (position.place == GridPosition::Place::kBeyondMax) return {Place::kAboveAll, {}};
  if (position.place == GridPosition::Place::kBeyondMin || position.floor < min) return {Place::kBelowAll, {}};
  const bool is_on = position.place == GridPosition::Place::kOn;
  if (position.floor > max || (!is_on && position.floor == max)) return {Place::kAboveAll, {}};
  return {is_on ? Place::kValue : Place::kJustAbove, ExactNumber{position.floor, scale}};
}

/// NaN and infinities in the spellings of Python, any case.
std::optional<double> SpecialDouble(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (EqualsIgnoreCase(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  if (EqualsIgnoreCase(text, "inf") || EqualsIgnoreCase(text, "infinity")) {
    return is_negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  return std::nullopt;
}

/// The nearest Float of a number, as its neighbours where it is beyond the finite ones.
template <class Float>
BoundLiteral PlaceAmongFloats(std::string_view text, const DecimalText& number) {
  constexpr double kMax = std::numeric_limits<Float>::max();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text.starts_with('+')) text.remove_prefix(1);
  Float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    if (!number.IsLarge()) return Value(0.0);
    return {Place::kJustAbove, number.is_negative() ? -kInfinity : kMax};
  }
  return Value(static_cast<double>(value) + 0.0);
}

std::optional<BoundLiteral> BindFloat(const ColumnRef& column, const RawLiteral& literal) {
  if (literal.kind != RawKind::kString && literal.kind != RawKind::kNumber && literal.kind != RawKind::kWord &&
      literal.kind != RawKind::kDecimal) {
    return std::nullopt;
  }
  const std::string_view text = TrimmedView(literal.text);
  if (const auto special = SpecialDouble(text); special && literal.kind != RawKind::kDecimal) {
    if (std::isnan(*special)) return BoundLiteral{Place::kUnordered, {}};
    return Value(*special);
  }
  const auto number = DecimalText::Parse(text);
  if (!number) return std::nullopt;
  return column.type.root() == TypeRoot::kFloat ? PlaceAmongFloats<float>(text, *number)
                                                : PlaceAmongFloats<double>(text, *number);
}

std::optional<BoundLiteral> BindDecimal(const ColumnRef& column, const RawLiteral& literal) {
  if (literal.kind != RawKind::kString && literal.kind != RawKind::kNumber && literal.kind != RawKind::kDecimal) {
    return std::nullopt;
  }
  const auto number = DecimalText::Parse(TrimmedView(literal.text));
  if (!number) return std::nullopt;
  return PlaceAmongNumbers(*number, column.type);
}

std::optional<BoundLiteral> BindBoolean(const RawLiteral& literal) {
  switch (literal.kind) {
    case RawKind::kTrue:
      return Value(true);
    case RawKind::kFalse:
      return Value(false);
    case RawKind::kString:
    case RawKind::kNumber:
    case RawKind::kWord:
      for (std::string_view word : {"true", "yes", "1"}) {
        if (EqualsIgnoreCase(literal.text, word)) return Value(true);
      }
      for (std::string_view word : {"false", "no", "0"}) {
        if (EqualsIgnoreCase(literal.text, word)) return Value(false);
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<BoundLiteral> BindDate(const RawLiteral& literal) {
  if (literal.kind != RawKind::kString && literal.kind != RawKind::kDate) return std::nullopt;
  const auto days = ParseDate(literal.text);
  if (!days) return std::nullopt;
  return Value(ExactNumber{*days, 0});
}

std::optional<BoundLiteral> BindTime(const RawLiteral& literal) {
  if (literal.kind != RawKind::kString && literal.kind != RawKind::kTime) return std::nullopt;
  const auto nanoseconds = ParseTimeOfDay(literal.text);
  if (!nanoseconds) return std::nullopt;
  return Value(ExactNumber{*nanoseconds, kNanosecondScale});
}

std::optional<BoundLiteral> BindTimestamp(const ColumnRef& column, const RawLiteral& literal) {
  if (literal.kind != RawKind::kString && literal.kind != RawKind::kTimestamp && literal.kind != RawKind::kDate) {
    return std::nullopt;
  }
  const auto moment = ParseTimestamp(literal.text);
  if (!moment) return std::nullopt;
  if (moment->has_zone && column.type.root() == TypeRoot::kTimestamp) return std::nullopt;
  return Value(ExactNumber{moment->nanoseconds, kNanosecondScale});
}

std::optional<BoundLiteral> BindBytes(const ColumnRef& column, const RawLiteral& literal) {
  const bool is_text = column.type.root() == TypeRoot::kChar || column.type.root() == TypeRoot::kVarChar;
  if (literal.kind == RawKind::kString || (literal.kind == RawKind::kNumber && is_text) ||
      (literal.kind == RawKind::kBytes && !is_text)) {
    return Value(literal.text);
  }
  return std::nullopt;
}

std::optional<BoundLiteral> Bind(const ColumnRef& column, const RawLiteral& literal) {
  switch (KindOf(column.type)) {
    case ValueKind::kBoolean:
      return BindBoolean(literal);
    case ValueKind::kFloat:
      return BindFloat(column, literal);
    case ValueKind::kBytes:
      return BindBytes(column, literal);
    case ValueKind::kNumber:
      break;
    case ValueKind::kNone:
      return std::nullopt;
  }
  switch (column.type.root()) {
    case TypeRoot::kDate:
      return BindDate(literal);
    case TypeRoot::kTime:
      return BindTime(literal);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return BindTimestamp(column, literal);
    default:
      return BindDecimal(column, literal);
  }
}

/// What can be written for a column of this type.
std::string Expectation(const ColumnRef& column, const RawLiteral& literal) {
  switch (column.type.root()) {
    case TypeRoot::kBoolean:
      return "write TRUE or FALSE";
    case TypeRoot::kFloat:
    case TypeRoot::kDouble:
      return "write a number such as 1.5, 1e3, NaN or Infinity";
    case TypeRoot::kDecimal:
      return "write a number such as 1.50";
    case TypeRoot::kDate:
      return "write a day as '2024-12-31'";
    case TypeRoot::kTime:
      return "write a time as '12:30:00' or '12:30:00.250', without a zone";
    case TypeRoot::kTimestamp:
      if (const auto moment = ParseTimestamp(literal.text); moment && moment->has_zone) {
        return "it has no time zone: write the wall clock time, '2024-12-31 12:30:00'";
      }
      return "write a time as '2024-12-31 12:30:00' or '2024-12-31T12:30:00.123456789', without a zone";
    case TypeRoot::kTimestampLtz:
      return "write a time as '2024-12-31 12:30:00Z' or '2024-12-31T12:30:00.123456789+08:00'; without a zone it is "
             "UTC";
    case TypeRoot::kChar:
    case TypeRoot::kVarChar:
      return "write a string in quotes: 'text'";
    case TypeRoot::kBinary:
    case TypeRoot::kVarBinary:
      return "write bytes as X'00ff' or 'text'";
    default:
      return "write a number such as 15";
  }
}

}  // namespace

std::string_view TypeWord(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return "BOOLEAN";
    case TypeRoot::kTinyInt:
      return "TINYINT";
    case TypeRoot::kSmallInt:
      return "SMALLINT";
    case TypeRoot::kInt:
      return "INT";
    case TypeRoot::kBigInt:
      return "BIGINT";
    case TypeRoot::kFloat:
      return "FLOAT";
    case TypeRoot::kDouble:
      return "DOUBLE";
    case TypeRoot::kDecimal:
      return "DECIMAL";
    case TypeRoot::kChar:
    case TypeRoot::kVarChar:
      return "STRING";
    case TypeRoot::kBinary:
    case TypeRoot::kVarBinary:
      return "BYTES";
    case TypeRoot::kBlob:
      return "BLOB";
    case TypeRoot::kDate:
      return "DATE";
    case TypeRoot::kTime:
      return "TIME";
    case TypeRoot::kTimestamp:
      return "TIMESTAMP";
    case TypeRoot::kTimestampLtz:
      return "TIMESTAMP_LTZ";
    case TypeRoot::kArray:
      return "ARRAY";
    case TypeRoot::kVector:
      return "VECTOR";
    case TypeRoot::kMultiset:
      return "MULTISET";
    case TypeRoot::kMap:
      return "MAP";
    case TypeRoot::kRow:
      return "ROW";
    case TypeRoot::kVariant:
      return "VARIANT";
  }
  return "?";
}

Result<BoundLiteral> BindLiteral(std::string_view text, const ColumnRef& column, const RawLiteral& literal) {
  if (auto bound = Bind(column, literal)) return *std::move(bound);
  const bool is_typed = literal.kind >= RawKind::kDate;
  const std::string_view word = TypeWord(column.type);
  return WhereError(
      text, literal.offset,
      fmt::format("Invalid {} literal: {}", word, is_typed ? std::string(literal.source) : "'" + literal.text + "'"),
      fmt::format("Field '{}' is {}: {}", column.name, word, Expectation(column, literal)));
}

NodePtr MakeComparison(const ColumnRef& column, CompareOp op, const BoundLiteral& literal) {
  const auto all_or_none = [&](bool holds) {
    // An empty list holds for no cell, and is unknown for NULL as a comparison is.
    NodePtr none = MakeMembership(column, {}, false);
    return holds ? MakeNegation(std::move(none)) : none;
  };
  switch (literal.place) {
    case Place::kValue:
      return MakeNode(Comparison{column, op, literal.value});
    case Place::kJustAbove:
      if (op == CompareOp::kEqual || op == CompareOp::kNotEqual) break;
      return MakeNode(Comparison{
          column, op == CompareOp::kLess || op == CompareOp::kLessEqual ? CompareOp::kLessEqual : CompareOp::kGreater,
          literal.value});
    case Place::kAboveAll:
      return all_or_none(Holds(op, -1));
    case Place::kBelowAll:
      return all_or_none(Holds(op, 1));
    case Place::kUnordered:
      break;
  }
  return all_or_none(op == CompareOp::kNotEqual);
}

}  // namespace reelhouse
