#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/predicate/exact_number.h"
#include "reelhouse/predicate/like_pattern.h"
#include "reelhouse/predicate/predicate.h"

namespace reelhouse {

class LiteralSet;

/// How the cells of a column are compared.
enum class ValueKind : uint8_t {
  kNone,     ///< not at all: ARRAY, MAP, ROW, VECTOR, MULTISET, VARIANT, BLOB
  kBoolean,  ///< bool
  kNumber,   ///< ExactNumber: integers, DECIMAL, DATE (days), TIME and TIMESTAMP* (nanoseconds)
  kFloat,    ///< double: FLOAT (rounded to float) and DOUBLE, by IEEE 754
  kBytes,    ///< std::string, bytewise: CHAR, VARCHAR, BINARY, VARBINARY
};

ValueKind KindOf(const DataType& type);

/// A value of a filter, in the form that the kind of its column has. A double is neither NaN nor -0.
using Literal = std::variant<bool, ExactNumber, double, std::string>;

/// Negative, zero or positive as `a` is below, equal to or above `b`; both of one kind.
int CompareLiterals(const Literal& a, const Literal& b);

/// `scalar` as a value of `kind`; nothing if it is null, NaN or of another kind.
std::optional<Literal> LiteralOf(const arrow::Scalar& scalar, ValueKind kind);

/// Digits behind the point that values of an Arrow type have: 0 for integers and days, 3 for milliseconds, ...; nothing
/// if they are no exact numbers.
std::optional<int32_t> NumberScaleOf(const arrow::DataType& type);

enum class CompareOp : uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

/// `b op' a` for `a op b`.
CompareOp Mirrored(CompareOp op);
/// Whether `op` holds where the left side is `order` (negative, zero, positive) against the right one.
bool Holds(CompareOp op, int order);

/// A column in a filter.
struct ColumnRef {
  std::string name;
  DataType type;
};

/// TRUE or FALSE.
struct Constant {
  bool value = true;
};

/// All of `terms`: at least two, none of them a Conjunction.
struct Conjunction {
  std::vector<std::shared_ptr<const Predicate::Node>> terms;
};

/// One of `terms`: at least two, none of them a Disjunction.
struct Disjunction {
  std::vector<std::shared_ptr<const Predicate::Node>> terms;
};

struct Negation {
  std::shared_ptr<const Predicate::Node> term;
};

/// `column op literal`.
struct Comparison {
  ColumnRef column;
  CompareOp op = CompareOp::kEqual;
  Literal literal;
};

/// `left op right`, columns of one kind.
struct ColumnComparison {
  ColumnRef left;
  CompareOp op = CompareOp::kEqual;
  ColumnRef right;
};

/// `column IS NULL`.
struct NullTest {
  ColumnRef column;
};

/// `column IN (values)`. Without values it is false for every cell that is not NULL, and unknown for NULL.
struct Membership {
  ColumnRef column;
  std::shared_ptr<const LiteralSet> values;
  bool has_null = false;  ///< NULL is in the list too: what is not in `values` is then unknown
};

/// `column LIKE pattern`.
struct PatternTest {
  ColumnRef column;
  LikePattern pattern;
};

/// A node of the tree of a filter. Immutable, shared between filters.
struct Predicate::Node {
  std::variant<Constant, Conjunction, Disjunction, Negation, Comparison, ColumnComparison, NullTest, Membership,
               PatternTest>
      value;
};

using NodePtr = std::shared_ptr<const Predicate::Node>;

/// Builders that keep the promises above and fold constants; the filter stays the same in three-valued logic.
NodePtr MakeConstant(bool value);
NodePtr MakeConjunction(std::vector<NodePtr> terms);
/// Joins `a = 1 OR a IN (2, 3)` into one list, so that long chains stay fast.
NodePtr MakeDisjunction(std::vector<NodePtr> terms);
NodePtr MakeNegation(NodePtr term);
/// `column IN (values, NULL)`; one value alone is a comparison.
NodePtr MakeMembership(ColumnRef column, std::vector<Literal> values, bool has_null);
template <class T>
NodePtr MakeNode(T value) {
  return std::make_shared<const Predicate::Node>(Predicate::Node{std::move(value)});
}

}  // namespace reelhouse
