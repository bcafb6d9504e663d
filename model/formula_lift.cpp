// Reductions that do not depend on all variables around them are computed once, not for every value of those.
//
//   E[i, j] / sum(l, E[i, l])    becomes    t[i] = sum(l, E[i, l])    and    E[i, j] / t[i]
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/formula.hpp"

namespace evo::model::formula {
namespace {

bool is_reduction(const Node& node) {
  return node.op == Op::sum || node.op == Op::product || node.op == Op::smallest || node.op == Op::largest;
}

bool mentions(const Node& node, const std::string& variable) {
  if (node.op == Op::name && node.name == variable) return true;
  const auto inside = [&](const Node& child) { return mentions(child, variable); };
  return std::ranges::any_of(node.children, inside) ||
         std::ranges::any_of(node.ranges,
                             [&](const Range& range) { return std::ranges::any_of(range.bounds, inside); });
}

class Lifter {
 public:
  std::vector<Statement> run(std::vector<Statement> statements) {
    for (Statement& statement : statements) {
      place_ = &statement.place;
      std::vector<Range> around;
      for (const Range& index : statement.indices) {
        if (!index.variable.empty()) around.push_back(index);
      }
      lift(statement.value, around);
      done_.push_back(std::move(statement));
    }
    return std::move(done_);
  }

 private:
  void lift(Node& node, const std::vector<Range>& around) {
    // What a condition keeps from being looked at may not have an answer.
    if (node.op == Op::where || node.op == Op::logical_and || node.op == Op::logical_or) return;
    if (!is_reduction(node)) {
      for (Node& child : node.children) lift(child, around);
      return;
    }
    std::vector<Range> inside = around;
    inside.insert(inside.end(), node.ranges.begin(), node.ranges.end());
    for (Node& child : node.children) lift(child, inside);
    std::vector<Range> used;
    for (const Range& range : around) {
      if (mentions(node, range.variable)) used.push_back(range);
    }
    const auto bounded = [](const Range& range) { return !range.bounds.empty(); };
    if (used.size() == around.size() || std::ranges::any_of(used, bounded)) return;
    // No name that a person can write.
    Statement own{fmt::format("({} {})", node.name, ++count_), used, Node{}, *place_};
    Node element;
    element.op = Op::element;
    element.name = own.target;
    element.position = node.position;
    for (const Range& range : used) {
      Node index;
      index.op = Op::name;
      index.name = range.variable;
      index.position = node.position;
      element.children.push_back(std::move(index));
    }
    own.value = std::exchange(node, std::move(element));
    done_.push_back(std::move(own));
  }

  std::vector<Statement> done_;
  const OracleStatement* place_ = nullptr;
  int count_ = 0;
};

}  // namespace

namespace detail {

std::vector<Statement> lifted(std::vector<Statement> statements) {
  return Lifter().run(std::move(statements));
}

}  // namespace detail

}  // namespace evo::model::formula
