#include "reelhouse/predicate/predicate.h"

#include <unordered_set>

#include "reelhouse/predicate/predicate_node.h"

namespace reelhouse {

namespace {

/// Gathers the names of the columns of a tree in order of first use.
class ColumnNames {
 public:
  void Add(const Predicate::Node& node) {
    std::visit([this](const auto& value) { AddFrom(value); }, node.value);
  }
  std::vector<std::string> names() && { return std::move(names_); }

 private:
  void AddFrom(const Constant&) {}
  void AddFrom(const Conjunction& node) { AddAll(node.terms); }
  void AddFrom(const Disjunction& node) { AddAll(node.terms); }
  void AddFrom(const Negation& node) { Add(*node.term); }
  void AddFrom(const ColumnComparison& node) {
    AddName(node.left.name);
    AddName(node.right.name);
  }
  template <class Leaf>
  void AddFrom(const Leaf& leaf) {
    AddName(leaf.column.name);
  }

  void AddAll(const std::vector<NodePtr>& terms) {
    for (const NodePtr& term : terms) Add(*term);
  }
  void AddName(const std::string& name) {
    if (seen_.insert(name).second) names_.push_back(name);
  }

  std::vector<std::string> names_;
  std::unordered_set<std::string_view> seen_;  // look into the tree
};

}  // namespace

Predicate::Predicate() : root_(MakeConstant(true)) {}

Predicate::Predicate(std::shared_ptr<const Node> root) : root_(std::move(root)) {}

bool Predicate::IsAlwaysTrue() const {
  const auto* constant = std::get_if<Constant>(&root_->value);
  return constant != nullptr && constant->value;
}

Predicate Predicate::And(const Predicate& other) const { return Predicate(MakeConjunction({root_, other.root_})); }

std::vector<std::string> Predicate::Columns() const {
  ColumnNames names;
  names.Add(*root_);
  return std::move(names).names();
}

}  // namespace reelhouse
