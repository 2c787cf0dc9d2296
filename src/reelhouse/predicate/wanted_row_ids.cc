#include <algorithm>
#include <limits>

#include "reelhouse/predicate/literal_set.h"
#include "reelhouse/predicate/predicate_node.h"

namespace reelhouse {

namespace {

constexpr int64_t kMaxRowId = std::numeric_limits<int64_t>::max();
constexpr std::string_view kRowIdName = "_ROW_ID";

/// A sorted list of disjoint ranges with gaps between them, of ids that are 0 or more.
using Ranges = std::vector<RowIdRange>;

Ranges All() { return {{0, kMaxRowId}}; }

Ranges Complement(const Ranges& ranges) {
  Ranges gaps;
  int64_t next = 0;
  for (const RowIdRange& range : ranges) {
    if (range.first > next) gaps.push_back({next, range.first - 1});
    if (range.last == kMaxRowId) return gaps;
    next = range.last + 1;
  }
  gaps.push_back({next, kMaxRowId});
  return gaps;
}

/// Sorts and joins ranges that overlap or touch.
Ranges Union(Ranges ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Ranges joined;
  for (const RowIdRange& range : ranges) {
    if (!joined.empty() && (joined.back().last == kMaxRowId || range.first <= joined.back().last + 1)) {
      joined.back().last = std::max(joined.back().last, range.last);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

Ranges Between(int64_t first, int64_t last) {
  first = std::max<int64_t>(first, 0);
  return first <= last ? Ranges{{first, last}} : Ranges{};
}

/// Row ids whose rows may make a filter true, and those whose rows may make it false.
struct PossibleRows {
  Ranges may_be_true = All();
  Ranges may_be_false = All();
};

PossibleRows Of(const Predicate::Node& node);

/// Unites one side of all `terms` and intersects the other.
std::pair<Ranges, Ranges> Joined(const std::vector<NodePtr>& terms, Ranges PossibleRows::*united,
                                 Ranges PossibleRows::*intersected) {
  Ranges in_one, out_of_one;
  for (const NodePtr& term : terms) {
    const PossibleRows rows = Of(*term);
    in_one.insert(in_one.end(), (rows.*united).begin(), (rows.*united).end());
    const Ranges out = Complement(rows.*intersected);
    out_of_one.insert(out_of_one.end(), out.begin(), out.end());
  }
  return {Union(std::move(in_one)), Complement(Union(std::move(out_of_one)))};
}

Ranges Where(CompareOp op, int64_t id) {
  switch (op) {
    case CompareOp::kEqual:
      return Between(id, id);
    case CompareOp::kNotEqual:
      return Complement(Between(id, id));
    case CompareOp::kLess:
      return id <= 0 ? Ranges{} : Between(0, id - 1);
    case CompareOp::kLessEqual:
      return Between(0, id);
    case CompareOp::kGreater:
      return id == kMaxRowId ? Ranges{} : Between(id + 1, kMaxRowId);
    case CompareOp::kGreaterEqual:
      return Between(id, kMaxRowId);
  }
  return All();
}

int64_t IdOf(const Literal& literal) { return static_cast<int64_t>(std::get<ExactNumber>(literal).units); }

PossibleRows Exactly(Ranges rows) {
  Ranges others = Complement(rows);
  return {std::move(rows), std::move(others)};
}

PossibleRows OfValue(const Constant& node) { return Exactly(node.value ? All() : Ranges{}); }

PossibleRows OfValue(const Conjunction& node) {
  auto [may_be_false, may_be_true] = Joined(node.terms, &PossibleRows::may_be_false, &PossibleRows::may_be_true);
  return {std::move(may_be_true), std::move(may_be_false)};
}

PossibleRows OfValue(const Disjunction& node) {
  auto [may_be_true, may_be_false] = Joined(node.terms, &PossibleRows::may_be_true, &PossibleRows::may_be_false);
  return {std::move(may_be_true), std::move(may_be_false)};
}

PossibleRows OfValue(const Negation& node) {
  PossibleRows rows = Of(*node.term);
  return {std::move(rows.may_be_false), std::move(rows.may_be_true)};
}

PossibleRows OfValue(const Comparison& node) {
  if (node.column.name != kRowIdName) return {};
  return Exactly(Where(node.op, IdOf(node.literal)));
}

PossibleRows OfValue(const Membership& node) {
  if (node.column.name != kRowIdName) return {};
  Ranges listed;
  for (const Literal& value : node.values->values()) {
    if (IdOf(value) >= 0) listed.push_back({IdOf(value), IdOf(value)});
  }
  PossibleRows rows = Exactly(Union(std::move(listed)));
  // Beside a NULL nothing is outside the list for sure.
  if (node.has_null) rows.may_be_false = {};
  return rows;
}

PossibleRows OfValue(const NullTest& node) {
  if (node.column.name != kRowIdName) return {};
  return {{}, All()};
}

template <class Leaf>
PossibleRows OfValue(const Leaf&) {
  return {};
}

PossibleRows Of(const Predicate::Node& node) {
  return std::visit([](const auto& value) { return OfValue(value); }, node.value);
}

}  // namespace

std::optional<std::vector<RowIdRange>> WantedRowIds(const Predicate& predicate) {
  Ranges wanted = Of(predicate.root()).may_be_true;
  if (wanted == All()) return std::nullopt;
  return wanted;
}

}  // namespace reelhouse
