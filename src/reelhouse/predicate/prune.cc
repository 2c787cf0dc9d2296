#include <algorithm>

#include <arrow/scalar.h>

#include "reelhouse/predicate/literal_set.h"
#include "reelhouse/predicate/predicate_node.h"

namespace reelhouse {

namespace {

/// Which truths some row of the set may give; both may be set too often, never too seldom. Unknown needs no bit: it
/// stays unknown under NOT, and never makes a filter true.
struct PossibleTruths {
  bool may_be_true = true;
  bool may_be_false = true;
};

using RangeOf = std::function<std::optional<ColumnRange>(std::string_view column)>;

/// What is known of the cells of a column.
struct CellBounds {
  bool may_have_value = true;
  bool may_have_null = true;
  std::optional<Literal> min;  // of the cells that are neither NULL nor NaN; nothing = unknown
  std::optional<Literal> max;
  bool may_have_nan = false;

  /// True if all cells that are not NULL are one value.
  bool IsOneValue() const { return min && max && !may_have_nan && CompareLiterals(*min, *max) == 0; }
};

CellBounds BoundsOf(const ColumnRef& column, const RangeOf& range_of) {
  CellBounds bounds;
  const ValueKind kind = KindOf(column.type);
  // Statistics of floating columns may leave NaN out, and say nothing of whether there is one.
  bounds.may_have_nan = kind == ValueKind::kFloat;
  const std::optional<ColumnRange> range = range_of(column.name);
  if (!range) return bounds;
  if (range->null_count) {
    bounds.may_have_null = *range->null_count > 0;
    bounds.may_have_value = range->row_count <= 0 || *range->null_count < range->row_count;
  }
  if (range->min != nullptr) bounds.min = LiteralOf(*range->min, kind);
  if (range->max != nullptr) bounds.max = LiteralOf(*range->max, kind);
  // Bounds that contradict each other say nothing.
  if (bounds.min && bounds.max && CompareLiterals(*bounds.min, *bounds.max) > 0) bounds.min = bounds.max = std::nullopt;
  return bounds;
}

/// Whether `op` may hold between some value of `a` and some value of `b`; no NaN among them.
bool MayHold(CompareOp op, const CellBounds& a, const CellBounds& b) {
  const auto may_be_below = [](const std::optional<Literal>& min, const std::optional<Literal>& max, bool or_equal) {
    return !min || !max || CompareLiterals(*min, *max) < (or_equal ? 1 : 0);
  };
  switch (op) {
    case CompareOp::kEqual:
      return may_be_below(a.min, b.max, true) && may_be_below(b.min, a.max, true);
    case CompareOp::kNotEqual:
      return !(a.min && a.max && b.min && b.max && CompareLiterals(*a.min, *b.max) == 0 &&
               CompareLiterals(*a.max, *b.min) == 0);
    case CompareOp::kLess:
      return may_be_below(a.min, b.max, false);
    case CompareOp::kLessEqual:
      return may_be_below(a.min, b.max, true);
    case CompareOp::kGreater:
      return may_be_below(b.min, a.max, false);
    case CompareOp::kGreaterEqual:
      return may_be_below(b.min, a.max, true);
  }
  return true;
}

CompareOp Opposite(CompareOp op) {
  switch (op) {
    case CompareOp::kEqual:
      return CompareOp::kNotEqual;
    case CompareOp::kNotEqual:
      return CompareOp::kEqual;
    case CompareOp::kLess:
      return CompareOp::kGreaterEqual;
    case CompareOp::kLessEqual:
      return CompareOp::kGreater;
    case CompareOp::kGreater:
      return CompareOp::kLessEqual;
    case CompareOp::kGreaterEqual:
      return CompareOp::kLess;
  }
  return op;
}

PossibleTruths CompareBounds(CompareOp op, const CellBounds& a, const CellBounds& b) {
  if (!a.may_have_value || !b.may_have_value) return {false, false};
  PossibleTruths truths = {MayHold(op, a, b), MayHold(Opposite(op), a, b)};
  if (a.may_have_nan || b.may_have_nan) (op == CompareOp::kNotEqual ? truths.may_be_true : truths.may_be_false) = true;
  return truths;
}

/// Reasons about one filter over one set of rows.
class Pruning {
 public:
  explicit Pruning(const RangeOf& range_of) : range_of_(range_of) {}

  PossibleTruths Of(const Predicate::Node& node) const {
    return std::visit([this](const auto& value) { return OfValue(value); }, node.value);
  }

 private:
  PossibleTruths OfValue(const Constant& node) const { return {node.value, !node.value}; }

  PossibleTruths OfValue(const Conjunction& node) const {
    PossibleTruths all = {true, false};
    for (const NodePtr& term : node.terms) {
      const PossibleTruths truths = Of(*term);
      all.may_be_true &= truths.may_be_true;
      all.may_be_false |= truths.may_be_false;
    }
    return all;
  }

  PossibleTruths OfValue(const Disjunction& node) const {
    PossibleTruths all = {false, true};
    for (const NodePtr& term : node.terms) {
      const PossibleTruths truths = Of(*term);
      all.may_be_true |= truths.may_be_true;
      all.may_be_false &= truths.may_be_false;
    }
    return all;
  }

  PossibleTruths OfValue(const Negation& node) const {
    const PossibleTruths truths = Of(*node.term);
    return {truths.may_be_false, truths.may_be_true};
  }

  PossibleTruths OfValue(const NullTest& node) const {
    const CellBounds bounds = BoundsOf(node.column, range_of_);
    return {bounds.may_have_null, bounds.may_have_value};
  }

  PossibleTruths OfValue(const Comparison& node) const {
    CellBounds literal;
    literal.min = literal.max = node.literal;
    return CompareBounds(node.op, BoundsOf(node.column, range_of_), literal);
  }

  PossibleTruths OfValue(const ColumnComparison& node) const {
    return CompareBounds(node.op, BoundsOf(node.left, range_of_), BoundsOf(node.right, range_of_));
  }

  PossibleTruths OfValue(const Membership& node) const {
    const CellBounds bounds = BoundsOf(node.column, range_of_);
    if (!bounds.may_have_value) return {false, false};
    const std::vector<Literal>& values = node.values->values();
    auto first = values.begin();
    if (bounds.min) {
      first = std::lower_bound(values.begin(), values.end(), *bounds.min,
                               [](const Literal& a, const Literal& b) { return CompareLiterals(a, b) < 0; });
    }
    const bool may_be_true = first != values.end() && (!bounds.max || CompareLiterals(*first, *bounds.max) <= 0);
    const bool are_all_listed = may_be_true && bounds.IsOneValue();
    return {may_be_true, !node.has_null && !are_all_listed};
  }

  PossibleTruths OfValue(const PatternTest& node) const {
    const CellBounds bounds = BoundsOf(node.column, range_of_);
    if (!bounds.may_have_value) return {false, false};
    const std::string& prefix = node.pattern.prefix();
    const auto order = [&](const Literal& bound) {
      return std::get<std::string>(bound).compare(0, prefix.size(), prefix);
    };
    PossibleTruths truths;
    // A text that begins with the prefix lies between the prefix and the prefix followed by the highest bytes.
    if (bounds.min && order(*bounds.min) > 0) truths.may_be_true = false;
    if (bounds.max && order(*bounds.max) < 0) truths.may_be_true = false;
    const bool have_all_prefix = bounds.min && bounds.max && order(*bounds.min) == 0 && order(*bounds.max) == 0;
    if (have_all_prefix && node.pattern.IsPrefixOnly()) truths.may_be_false = false;
    return truths;
  }

  const RangeOf& range_of_;
};

}  // namespace

bool MayMatch(const Predicate& predicate,
              const std::function<std::optional<ColumnRange>(std::string_view column)>& range_of) {
  return Pruning(range_of).Of(predicate.root()).may_be_true;
}

}  // namespace reelhouse
