#include "reelhouse/predicate/predicate_node.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <arrow/array/array_base.h>
#include <arrow/buffer.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "reelhouse/predicate/calendar_text.h"
#include "reelhouse/predicate/literal_set.h"

namespace reelhouse {

namespace {

int32_t ScaleOfUnit(arrow::TimeUnit::type unit) { return 3 * static_cast<int32_t>(unit); }

int32_t ScaleOfPrecision(int32_t precision) { return (std::clamp(precision, 0, 9) + 2) / 3 * 3; }

/// The scale in which a scan returns cells of this type.
int32_t UsualScale(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kDecimal:
      return type.scale();
    case TypeRoot::kTime:
      return 3;
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return ScaleOfPrecision(type.precision());
    default:
      return 0;
  }
}

template <class T>
int ThreeWay(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

bool IsConstant(const NodePtr& node, bool value) {
  const auto* constant = std::get_if<Constant>(&node->value);
  return constant != nullptr && constant->value == value;
}

/// The terms of `Joined` inside `terms` put in its place, `neutral` dropped; alone `dominant` if one term is it.
template <class Joined>
std::vector<NodePtr> Flattened(std::vector<NodePtr> terms, bool neutral) {
  std::vector<NodePtr> flat;
  flat.reserve(terms.size());
  for (NodePtr& term : terms) {
    if (const auto* joined = std::get_if<Joined>(&term->value)) {
      flat.insert(flat.end(), joined->terms.begin(), joined->terms.end());
    } else if (IsConstant(term, !neutral)) {
      return {MakeConstant(!neutral)};
    } else if (!IsConstant(term, neutral)) {
      flat.push_back(std::move(term));
    }
  }
  if (flat.empty()) flat.push_back(MakeConstant(neutral));
  return flat;
}

/// The column that `node` looks up in a list of values, or null if it is no such node.
const ColumnRef* ListedColumn(const Predicate::Node& node) {
  if (const auto* comparison = std::get_if<Comparison>(&node.value)) {
    return comparison->op == CompareOp::kEqual ? &comparison->column : nullptr;
  }
  if (const auto* membership = std::get_if<Membership>(&node.value)) return &membership->column;
  return nullptr;
}

/// One list for all the terms that compare the same column with values.
std::vector<NodePtr> WithJoinedLists(std::vector<NodePtr> terms) {
  std::unordered_map<std::string_view, std::vector<size_t>> terms_of_column;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (const ColumnRef* column = ListedColumn(*terms[i])) terms_of_column[column->name].push_back(i);
  }
  std::vector<NodePtr> joined = terms;
  for (const auto& [name, indexes] : terms_of_column) {
    if (indexes.size() < 2) continue;
    std::vector<Literal> values;
    bool has_null = false;
    for (size_t index : indexes) {
      if (const auto* comparison = std::get_if<Comparison>(&terms[index]->value)) {
        values.push_back(comparison->literal);
      } else {
        const auto& membership = std::get<Membership>(terms[index]->value);
        const std::vector<Literal>& listed = membership.values->values();
        values.insert(values.end(), listed.begin(), listed.end());
        has_null |= membership.has_null;
      }
      joined[index] = nullptr;
    }
    joined[indexes[0]] = MakeMembership(*ListedColumn(*terms[indexes[0]]), std::move(values), has_null);
  }
  std::erase(joined, nullptr);
  return joined;
}

}  // namespace

ValueKind KindOf(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return ValueKind::kBoolean;
    case TypeRoot::kTinyInt:
    case TypeRoot::kSmallInt:
    case TypeRoot::kInt:
    case TypeRoot::kBigInt:
    case TypeRoot::kDecimal:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return ValueKind::kNumber;
    case TypeRoot::kFloat:
    case TypeRoot::kDouble:
      return ValueKind::kFloat;
    case TypeRoot::kChar:
    case TypeRoot::kVarChar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarBinary:
      return ValueKind::kBytes;
    default:
      return ValueKind::kNone;
  }
}

int CompareLiterals(const Literal& a, const Literal& b) {
  switch (a.index()) {
    case 0:
      return ThreeWay(std::get<bool>(a), std::get<bool>(b));
    case 1:
      return CompareNumbers(std::get<ExactNumber>(a), std::get<ExactNumber>(b));
    case 2:
      return ThreeWay(std::get<double>(a), std::get<double>(b));
    default:
      // char_traits<char> compares as unsigned char: bytewise.
      return ThreeWay(std::get<std::string>(a), std::get<std::string>(b));
  }
}

std::optional<int32_t> NumberScaleOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::DATE32:
      return 0;
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return ScaleOfUnit(static_cast<const arrow::TimeType&>(type).unit());
    case arrow::Type::TIMESTAMP:
      return ScaleOfUnit(static_cast<const arrow::TimestampType&>(type).unit());
    case arrow::Type::DECIMAL128:
      return static_cast<const arrow::Decimal128Type&>(type).scale();
    default:
      return std::nullopt;
  }
}

namespace {

std::optional<Int128> UnitsOf(const arrow::Scalar& scalar) {
  switch (scalar.type->id()) {
    case arrow::Type::INT8:
      return static_cast<const arrow::Int8Scalar&>(scalar).value;
    case arrow::Type::INT16:
      return static_cast<const arrow::Int16Scalar&>(scalar).value;
    case arrow::Type::INT32:
      return static_cast<const arrow::Int32Scalar&>(scalar).value;
    case arrow::Type::INT64:
      return static_cast<const arrow::Int64Scalar&>(scalar).value;
    case arrow::Type::DATE32:
      return static_cast<const arrow::Date32Scalar&>(scalar).value;
    case arrow::Type::TIME32:
      return static_cast<const arrow::Time32Scalar&>(scalar).value;
    case arrow::Type::TIME64:
      return static_cast<const arrow::Time64Scalar&>(scalar).value;
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampScalar&>(scalar).value;
    case arrow::Type::DECIMAL128: {
      const arrow::Decimal128& value = static_cast<const arrow::Decimal128Scalar&>(scalar).value;
      return Int128{value.high_bits()} * (Int128{1} << 64) + value.low_bits();
    }
    default:
      return std::nullopt;
  }
}

std::optional<double> DoubleOf(const arrow::Scalar& scalar) {
  if (scalar.type->id() == arrow::Type::FLOAT) return static_cast<const arrow::FloatScalar&>(scalar).value;
  if (scalar.type->id() == arrow::Type::DOUBLE) return static_cast<const arrow::DoubleScalar&>(scalar).value;
  return std::nullopt;
}

}  // namespace

std::optional<Literal> LiteralOf(const arrow::Scalar& scalar, ValueKind kind) {
  if (!scalar.is_valid) return std::nullopt;
  switch (kind) {
    case ValueKind::kBoolean:
      if (scalar.type->id() != arrow::Type::BOOL) return std::nullopt;
      return static_cast<const arrow::BooleanScalar&>(scalar).value;
    case ValueKind::kNumber: {
      const auto units = UnitsOf(scalar);
      if (!units) return std::nullopt;
      return ExactNumber{*units, *NumberScaleOf(*scalar.type)};
    }
    case ValueKind::kFloat: {
      const auto value = DoubleOf(scalar);
      if (!value || std::isnan(*value)) return std::nullopt;
      return *value + 0.0;
    }
    case ValueKind::kBytes: {
      if (!arrow::is_base_binary_like(scalar.type->id()) && scalar.type->id() != arrow::Type::FIXED_SIZE_BINARY) {
        return std::nullopt;
      }
      const auto& buffer = static_cast<const arrow::BaseBinaryScalar&>(scalar).value;
      return buffer == nullptr ? std::string() : buffer->ToString();
    }
    case ValueKind::kNone:
      return std::nullopt;
  }
  return std::nullopt;
}

CompareOp Mirrored(CompareOp op) {
  switch (op) {
    case CompareOp::kLess:
      return CompareOp::kGreater;
    case CompareOp::kLessEqual:
      return CompareOp::kGreaterEqual;
    case CompareOp::kGreater:
      return CompareOp::kLess;
    case CompareOp::kGreaterEqual:
      return CompareOp::kLessEqual;
    default:
      return op;
  }
}

bool Holds(CompareOp op, int order) {
  switch (op) {
    case CompareOp::kEqual:
      return order == 0;
    case CompareOp::kNotEqual:
      return order != 0;
    case CompareOp::kLess:
      return order < 0;
    case CompareOp::kLessEqual:
      return order <= 0;
    case CompareOp::kGreater:
      return order > 0;
    case CompareOp::kGreaterEqual:
      return order >= 0;
  }
  return false;
}

NodePtr MakeConstant(bool value) {
  static const NodePtr kTrue = MakeNode(Constant{true});
  static const NodePtr kFalse = MakeNode(Constant{false});
  return value ? kTrue : kFalse;
}

NodePtr MakeConjunction(std::vector<NodePtr> terms) {
  terms = Flattened<Conjunction>(std::move(terms), true);
  return terms.size() == 1 ? terms[0] : MakeNode(Conjunction{std::move(terms)});
}

NodePtr MakeDisjunction(std::vector<NodePtr> terms) {
  terms = WithJoinedLists(Flattened<Disjunction>(std::move(terms), false));
  return terms.size() == 1 ? terms[0] : MakeNode(Disjunction{std::move(terms)});
}

NodePtr MakeNegation(NodePtr term) {
  if (const auto* constant = std::get_if<Constant>(&term->value)) return MakeConstant(!constant->value);
  if (const auto* negation = std::get_if<Negation>(&term->value)) return negation->term;
  return MakeNode(Negation{std::move(term)});
}

NodePtr MakeMembership(ColumnRef column, std::vector<Literal> values, bool has_null) {
  auto set = std::make_shared<const LiteralSet>(std::move(values), UsualScale(column.type));
  if (set->values().size() == 1 && !has_null) {
    return MakeNode(Comparison{std::move(column), CompareOp::kEqual, set->values()[0]});
  }
  return MakeNode(Membership{std::move(column), std::move(set), has_null});
}

}  // namespace reelhouse
