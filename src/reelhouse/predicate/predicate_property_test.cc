// Random filters over random rows: what the fast kernels, the pruning, the row ids and the text say must agree with a
// plain evaluation of the tree, row by row.

#include <cmath>
#include <limits>
#include <random>

#include <arrow/scalar.h>

#include "reelhouse/predicate/filter_test_table.h"
#include "reelhouse/predicate/literal_set.h"
#include "reelhouse/predicate/predicate_node.h"

namespace reelhouse {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Makes filters and rows that have something to do with each other.
class RandomFilters {
 public:
  explicit RandomFilters(uint32_t seed) : random_(seed) {}

  std::string Filter(int depth) {
    switch (depth == 0 ? 0 : Below(6)) {
      case 0:
      case 1:
        return Condition();
      case 2:
        return "NOT (" + Filter(depth - 1) + ")";
      case 3:
        return "(" + Filter(depth - 1) + " OR " + Filter(depth - 1) + ")";
      case 4:
        return "(" + Filter(depth - 1) + ") AND NOT " + Condition();
      default:
        return Filter(depth - 1) + " AND " + Filter(depth - 1);
    }
  }

  std::shared_ptr<arrow::RecordBatch> Rows() {
    const size_t rows = Below(5);  // few, so that bounds are often narrow
    const bool has_nulls = Below(2) == 0;
    const int64_t first_row_id = Below(6);
    Cells<int64_t> row_ids, ts;
    Cells<int32_t> a, id, day;
    Cells<double> x;
    Cells<float> f;
    Cells<std::string> s, d;
    Cells<bool> flag;
    const auto cell = [&](auto value) {
      return has_nulls && Below(3) == 0 ? std::nullopt : std::optional(std::move(value));
    };
    for (size_t i = 0; i < rows; ++i) {
      row_ids.push_back(first_row_id + static_cast<int64_t>(i));
      a.push_back(cell(static_cast<int32_t>(Below(5)) - 2));
      id.push_back(cell(static_cast<int32_t>(Below(5)) - 2));
      day.push_back(cell(static_cast<int32_t>(Below(4))));
      ts.push_back(cell(static_cast<int64_t>(Below(4)) * 500000));
      x.push_back(cell(OneOf<double>({-1, 0, -0.0, 0.5, 1, kInfinity, -kInfinity, kNaN})));
      f.push_back(cell(static_cast<float>(OneOf<double>({-1, 0, 0.1, 1, kInfinity, kNaN}))));
      s.push_back(cell(OneOf<std::string>({"", "a", "ab", "b", "%", "é", "zz"})));
      d.push_back(cell(OneOf<std::string>({"-1.00", "0.00", "0.05", "0.10", "1.00"})));
      flag.push_back(cell(Below(2) == 0));
    }
    const std::vector<std::shared_ptr<arrow::Array>> arrays = {
        Int64s(row_ids), Int32s(a), Int32s(id), Dates(day),  Timestamps(arrow::timestamp(arrow::TimeUnit::MICRO), ts),
        Doubles(x),      Floats(f), Strings(s), Decimals(d), Booleans(flag)};
    arrow::FieldVector fields;
    const std::vector<std::string> names = {"_ROW_ID", "a", "id", "day", "ts", "x", "f", "s", "d", "flag"};
    for (size_t i = 0; i < names.size(); ++i) fields.push_back(arrow::field(names[i], arrays[i]->type()));
    return arrow::RecordBatch::Make(arrow::schema(fields), static_cast<int64_t>(rows), arrays);
  }

  size_t Below(size_t count) { return random_() % count; }

 private:
  template <class T>
  T OneOf(std::vector<T> choices) {
    return choices[Below(choices.size())];
  }
  std::string Text(std::vector<const char*> choices) { return choices[Below(choices.size())]; }

  std::string Column() { return Text({"_ROW_ID", "a", "id", "day", "ts", "x", "f", "s", "d", "flag"}); }

  std::string LiteralFor(const std::string& column) {
    if (column == "_ROW_ID") return Text({"0", "3", "5", "6.5", "-1", "1e30"});
    if (column == "a" || column == "id") return Text({"-2", "-1", "0", "0.5", "1", "2", "'2'", "-1e99", "7"});
    if (column == "day") return Text({"'1970-01-01'", "DATE '1970-01-02'", "'1970-01-04'", "'1969-12-31'"});
    if (column == "ts") return Text({"'1970-01-01'", "'1970-01-01 00:00:00.5'", "TIMESTAMP '1970-01-01 00:00:00.7'"});
    if (column == "x") return Text({"-1", "0", "0.5", "0.7", "NaN", "Infinity", "'-inf'", "1e400"});
    if (column == "f") return Text({"-1", "0", "0.1", "1", "NaN", "Infinity", "1e39", "-1e39"});
    if (column == "s") return Text({"''", "'a'", "'ab'", "'b'", "\"%\"", "'é'", "'it''s'", "5"});
    if (column == "d") return Text({"-1", "0.05", "0.075", "DECIMAL '0.1'", "1e20", "'1.0'"});
    return Text({"TRUE", "FALSE", "0", "'yes'"});
  }

  std::string Condition() {
    const std::string column = Column();
    const std::string op = Text({" = ", " <> ", " != ", " < ", " <= ", " > ", " >= "});
    switch (Below(9)) {
      case 0:
        return column + Text({" IS NULL", " IS NOT NULL"});
      case 1:
        // The words NaN and Infinity are values only behind the column that they are meant for.
        return column == "x" || column == "f" ? "-0.50" + op + column : LiteralFor(column) + op + column;
      case 2:
        return column + Text({" BETWEEN ", " NOT BETWEEN "}) + LiteralFor(column) + " AND " + LiteralFor(column);
      case 3: {
        std::string list = column + Text({" IN (", " NOT IN ("});
        for (size_t count = Below(4); count > 0; --count) list += LiteralFor(column) + ", ";
        return list + Text({")", ")", ")", "NULL)"});
      }
      case 4:
        return Text({"s LIKE ", "s NOT LIKE "}) + Text({"'a%'", "'%b'", "'_'", "'%'", "'\\%'", "'a_'", "'zz%'"});
      case 5:
        return Text({"a", "id", "_ROW_ID"}) + op + Text({"a", "id"});
      case 6:
        return Text({"x", "f"}) + op + Text({"x", "f"});
      case 7:
        return Text({"flag", "NOT flag", "TRUE", "FALSE"});
      default:
        return column + op + LiteralFor(column);
    }
  }

  std::mt19937 random_;
};

using Truth = std::optional<bool>;

Truth Not(Truth truth) { return truth ? Truth(!*truth) : truth; }

/// Order of two cells or a cell and a literal; nothing for NaN.
std::optional<int> Order(const std::optional<Literal>& a, const std::optional<Literal>& b) {
  return a && b ? std::optional(CompareLiterals(*a, *b)) : std::nullopt;
}

/// The definition of three-valued logic, one row at a time.
class PlainEvaluation {
 public:
  PlainEvaluation(const arrow::RecordBatch& batch, int64_t row) : batch_(batch), row_(row) {}

  Truth Of(const Predicate::Node& node) const {
    return std::visit([this](const auto& value) { return OfValue(value); }, node.value);
  }

 private:
  Truth OfValue(const Constant& node) const { return node.value; }
  Truth OfValue(const Conjunction& node) const {
    bool is_unknown = false;
    for (const NodePtr& term : node.terms) {
      const Truth truth = Of(*term);
      if (truth == Truth(false)) return false;
      is_unknown |= !truth.has_value();
    }
    return is_unknown ? std::nullopt : Truth(true);
  }
  Truth OfValue(const Disjunction& node) const {
    bool is_unknown = false;
    for (const NodePtr& term : node.terms) {
      const Truth truth = Of(*term);
      if (truth == Truth(true)) return true;
      is_unknown |= !truth.has_value();
    }
    return is_unknown ? std::nullopt : Truth(false);
  }
  Truth OfValue(const Negation& node) const { return Not(Of(*node.term)); }
  Truth OfValue(const NullTest& node) const { return !CellOf(node.column)->is_valid; }
  Truth OfValue(const Comparison& node) const { return Compared(node.column, node.op, node.literal); }
  Truth OfValue(const ColumnComparison& node) const {
    const auto right = CellOf(node.right);
    if (!right->is_valid) return std::nullopt;
    return Compared(node.left, node.op, LiteralOf(*right, KindOf(node.right.type)));
  }
  Truth OfValue(const Membership& node) const {
    Truth found = node.has_null ? std::nullopt : Truth(false);
    if (!CellOf(node.column)->is_valid) return std::nullopt;
    for (const Literal& value : node.values->values()) {
      if (Compared(node.column, CompareOp::kEqual, value) == Truth(true)) found = true;
    }
    return found;
  }
  Truth OfValue(const PatternTest& node) const {
    const auto cell = CellOf(node.column);
    if (!cell->is_valid) return std::nullopt;
    return node.pattern.Matches(std::get<std::string>(*LiteralOf(*cell, ValueKind::kBytes)));
  }

  Truth Compared(const ColumnRef& column, CompareOp op, const std::optional<Literal>& literal) const {
    const auto cell = CellOf(column);
    if (!cell->is_valid) return std::nullopt;
    const auto order = Order(LiteralOf(*cell, KindOf(column.type)), literal);
    return order ? Holds(op, *order) : op == CompareOp::kNotEqual;
  }

  std::shared_ptr<arrow::Scalar> CellOf(const ColumnRef& column) const {
    return batch_.GetColumnByName(column.name)->GetScalar(row_).ValueOrDie();
  }

  const arrow::RecordBatch& batch_;
  int64_t row_;
};

/// What a writer of statistics would store, sometimes with less known or wider bounds.
ColumnRange RangeOf(const arrow::Array& array, RandomFilters& random) {
  ColumnRange range;
  range.row_count = array.length();
  range.null_count = array.null_count();
  const ValueKind kind = array.type_id() == arrow::Type::BOOL     ? ValueKind::kBoolean
                         : array.type_id() == arrow::Type::STRING ? ValueKind::kBytes
                         : array.type_id() == arrow::Type::FLOAT || array.type_id() == arrow::Type::DOUBLE
                             ? ValueKind::kFloat
                             : ValueKind::kNumber;
  for (int64_t row = 0; row < array.length(); ++row) {
    const auto scalar = array.GetScalar(row).ValueOrDie();
    const auto value = LiteralOf(*scalar, kind);
    if (!value) continue;
    if (range.min == nullptr || CompareLiterals(*value, *LiteralOf(*range.min, kind)) < 0) range.min = scalar;
    if (range.max == nullptr || CompareLiterals(*value, *LiteralOf(*range.max, kind)) > 0) range.max = scalar;
  }
  if (random.Below(8) == 0) range.min = nullptr;
  if (random.Below(8) == 0) range.max = nullptr;
  if (random.Below(8) == 0) range.null_count = std::nullopt;
  return range;
}

TEST(PredicateProperties, HoldForRandomFiltersAndRows) {
  RandomFilters random(20240607);
  int pruned = 0;
  int bounded = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::string where = random.Filter(3);
    SCOPED_TRACE(where);
    const auto parsed = ParsePredicate(where, TestFields());
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    const auto batch = random.Rows();

    std::vector<int64_t> wanted;
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      if (PlainEvaluation(*batch, row).Of(parsed->root()) == Truth(true)) wanted.push_back(row);
    }
    ASSERT_EQ(MatchedRows(*parsed, *batch), wanted);

    const std::string text = parsed->ToText();
    const auto again = ParsePredicate(text, TestFields());
    ASSERT_TRUE(again.ok()) << text << ": " << again.status();
    ASSERT_EQ(again->ToText(), text);
    ASSERT_EQ(MatchedRows(*again, *batch), wanted) << text;

    const bool may_match = MayMatch(*parsed, [&](std::string_view name) -> std::optional<ColumnRange> {
      if (random.Below(10) == 0) return std::nullopt;
      return RangeOf(*batch->GetColumnByName(std::string(name)), random);
    });
    pruned += !may_match && batch->num_rows() > 0;
    ASSERT_TRUE(may_match || wanted.empty()) << "pruned rows that match";

    if (const auto ranges = WantedRowIds(*parsed)) {
      ++bounded;
      const auto& row_ids = static_cast<const arrow::Int64Array&>(*batch->column(0));
      for (int64_t row : wanted) {
        const bool is_inside = std::any_of(ranges->begin(), ranges->end(), [&](const RowIdRange& range) {
          return range.first <= row_ids.Value(row) && row_ids.Value(row) <= range.last;
        });
        ASSERT_TRUE(is_inside) << "row id " << row_ids.Value(row);
      }
    }
  }
  // The properties are empty where nothing is ever pruned.
  EXPECT_GT(pruned, 400);
  EXPECT_GT(bounded, 150);
}

}  // namespace
}  // namespace reelhouse
