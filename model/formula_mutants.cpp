// Formulas with one mistake in each.
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "model/formula.hpp"

namespace evo::model::formula {
namespace {

bool reads_array(const Node& node) {
  if (node.op == Op::element) return true;
  for (const Node& child : node.children) {
    if (reads_array(child)) return true;
  }
  return false;
}

/// The nodes of a tree in one order, those of indices and bounds left out.
void walk(Node& node, const std::function<void(Node&)>& visit) {
  visit(node);
  if (node.op == Op::element) return;
  for (Node& child : node.children) walk(child, visit);
}

class Maker {
 public:
  explicit Maker(const std::vector<Statement>& statements) : statements_(statements) {}

  /// A copy in which `change` has been made to node `number` of statement `s`.
  void add(std::size_t s, std::size_t number, const std::string& text,
           const std::function<void(Node&)>& change) {
    Mutant mutant{fmt::format("'{}': {}", statements_[s].place.text, text), statements_};
    std::size_t at = 0;
    walk(mutant.statements[s].value, [&](Node& node) {
      if (at++ == number) target_ = &node;
    });
    change(*target_);
    found_.push_back(std::move(mutant));
  }
  void add(Mutant mutant) { found_.push_back(std::move(mutant)); }
  std::vector<Mutant> take() { return std::move(found_); }

 private:
  const std::vector<Statement>& statements_;
  std::vector<Mutant> found_;
  Node* target_ = nullptr;
};

void add_reduction(Maker& maker, std::size_t s, std::size_t number, const Node& node) {
  for (std::size_t r = 0; r < node.ranges.size(); ++r) {
    const std::string& variable = node.ranges[r].variable;
    maker.add(s, number, fmt::format("the last term of {} over {} is dropped", node.name, variable),
              [r](Node& changed) { changed.ranges[r].skip_last = 1; });
    maker.add(s, number, fmt::format("the first term of {} over {} is dropped", node.name, variable),
              [r](Node& changed) { changed.ranges[r].skip_first = 1; });
  }
}

void add_node(Maker& maker, std::size_t s, std::size_t number, const Node& node) {
  const bool both =
      node.children.size() == 2 && reads_array(node.children[0]) && reads_array(node.children[1]);
  const auto becomes = [&](Op op, const std::string& text) {
    maker.add(s, number, text, [op](Node& changed) { changed.op = op; });
  };
  switch (node.op) {
    case Op::sum:
    case Op::product:
    case Op::smallest:
    case Op::largest:
      add_reduction(maker, s, number, node);
      if (node.op == Op::smallest) becomes(Op::largest, "min is max");
      if (node.op == Op::largest) becomes(Op::smallest, "max is min");
      break;
    case Op::element:
      for (std::size_t d = 0; d < node.children.size(); ++d) {
        maker.add(s, number, fmt::format("index {} of {} is off by one", d, node.name),
                  [d](Node& changed) { changed.shifted = static_cast<int>(d); });
      }
      break;
    case Op::add:
      if (both) becomes(Op::subtract, "+ is -");
      break;
    case Op::subtract:
      if (both) becomes(Op::add, "- is +");
      break;
    case Op::multiply:
      if (both) becomes(Op::add, "* is +");
      break;
    case Op::divide:
      if (both) becomes(Op::multiply, "/ is *");
      break;
    case Op::minimum:
      becomes(Op::maximum, "min is max");
      break;
    case Op::maximum:
      becomes(Op::minimum, "max is min");
      break;
    case Op::where:
      maker.add(s, number, "the branches of where are swapped",
                [](Node& changed) { std::swap(changed.children[1], changed.children[2]); });
      break;
    case Op::call:
      maker.add(s, number, fmt::format("{} is left out", node.name), [](Node& changed) {
        Node inner = std::move(changed.children.front());
        changed = std::move(inner);
      });
      break;
    case Op::number:
      maker.add(s, number, fmt::format("the constant {} is another", node.number),
                [](Node& changed) { changed.number = 2 * changed.number + 1; });
      break;
    default:
      break;
  }
}

void rename(Node& node, const std::string& from, const std::string& to) {
  if (node.op == Op::element) {
    if (node.name == from) {
      node.name = to;
    } else if (node.name == to) {
      node.name = from;
    }
  }
  for (Node& child : node.children) rename(child, from, to);
  for (Range& range : node.ranges) {
    for (Node& bound : range.bounds) rename(bound, from, to);
  }
}

}  // namespace

std::vector<Mutant> mutants_of(const std::vector<Statement>& statements, const Scope& scope) {
  Maker maker(statements);
  for (std::size_t s = 0; s < statements.size(); ++s) {
    Statement copy = statements[s];
    std::size_t number = 0;
    walk(copy.value, [&](Node& node) { add_node(maker, s, number++, node); });
  }
  for (std::size_t a = 0; a < scope.arrays.size(); ++a) {
    for (std::size_t b = a + 1; b < scope.arrays.size(); ++b) {
      const Scope::Array &one = scope.arrays[a], &other = scope.arrays[b];
      if (!one.given || !other.given || one.extents != other.extents) continue;
      Mutant mutant{fmt::format("{} and {} are swapped", one.name, other.name), statements};
      for (Statement& statement : mutant.statements) rename(statement.value, one.name, other.name);
      maker.add(std::move(mutant));
    }
  }
  return maker.take();
}

}  // namespace evo::model::formula
