#include "model/resolved_expression.hpp"

#include <algorithm>

#include "model/expression_node.hpp"

namespace evo::model {

using detail::ExpressionNode;
using detail::Operation;

namespace {
constexpr std::size_t nobody = SIZE_MAX;

std::optional<Operand> of(std::optional<std::int64_t> number) {
  if (!number) return std::nullopt;
  return Operand{*number, false};
}
}  // namespace

Operand Symbols::operand(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return {*number, false};
  const auto next = static_cast<std::int64_t>(numbers_.size());
  return {numbers_.emplace(std::get<std::string>(value), next).first->second, true};
}

class ResolvedExpression::Resolver {
 public:
  Resolver(const std::vector<std::string>& variables, const Environment& constants, Symbols& symbols)
      : variables_(variables), constants_(constants), symbols_(symbols) {}

  /// Appends `node` after its children; its position.
  std::size_t append(const ExpressionNode& node, std::vector<Node>& nodes) const {
    Node resolved{node.operation, {}, nobody, {}};
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      resolved.children.at(i) = append(*node.children[i], nodes);
    }
    if (node.operation == Operation::constant) resolved.constant = symbols_.operand(node.value);
    if (node.operation == Operation::name) look_up(std::get<std::string>(node.value), resolved);
    nodes.push_back(resolved);
    return nodes.size() - 1;
  }

 private:
  void look_up(const std::string& name, Node& node) const {
    const auto variable = std::find(variables_.begin(), variables_.end(), name);
    if (variable != variables_.end()) {
      node.variable = static_cast<std::size_t>(variable - variables_.begin());
    } else if (const auto constant = constants_.find(name); constant != constants_.end()) {
      node.operation = Operation::constant;
      node.constant = symbols_.operand(constant->second);
    }
  }

  const std::vector<std::string>& variables_;
  const Environment& constants_;
  Symbols& symbols_;
};

ResolvedExpression::ResolvedExpression(const Expression& expression,
                                       const std::vector<std::string>& variables,
                                       const Environment& constants, Symbols& symbols) {
  const ExpressionNode zero{Operation::constant, std::int64_t{0}, {}};
  const ExpressionNode* root = expression.root();
  Resolver(variables, constants, symbols).append(root != nullptr ? *root : zero, nodes_);
}

std::optional<Operand> ResolvedExpression::value(std::span<const Operand> values) const {
  return at(nodes_.back(), values);
}

std::optional<std::int64_t> ResolvedExpression::integer(std::size_t node,
                                                        std::span<const Operand> values) const {
  const std::optional<Operand> value = at(nodes_[node], values);
  if (!value || value->symbol) return std::nullopt;
  return value->number;
}

std::optional<Operand> ResolvedExpression::at(const Node& node, std::span<const Operand> values) const {
  switch (node.operation) {
    case Operation::constant:
      return node.constant;
    case Operation::name:
      if (node.variable == nobody) return std::nullopt;
      return values[node.variable];
    case Operation::equal:
    case Operation::not_equal: {
      const auto a = at(nodes_[node.children[0]], values);
      const auto b = at(nodes_[node.children[1]], values);
      if (!a || !b || a->symbol != b->symbol) return std::nullopt;
      return Operand{(*a == *b) == (node.operation == Operation::equal)};
    }
    case Operation::conditional: {
      const auto condition = integer(node.children[0], values);
      if (!condition) return std::nullopt;
      return at(nodes_[node.children[*condition != 0 ? 1 : 2]], values);
    }
    default:
      break;
  }
  const auto a = integer(node.children[0], values);
  if (!a) return std::nullopt;
  switch (node.operation) {
    case Operation::logical_not:
      return Operand{*a == 0};
    case Operation::negate:
      return of(detail::arithmetic(Operation::subtract, 0, *a));
    case Operation::logical_and:
    case Operation::logical_or:
      // What the first operand decides alone, the second cannot spoil.
      if ((node.operation == Operation::logical_and) != (*a != 0)) return Operand{*a != 0};
      break;
    default:
      break;
  }
  const auto b = integer(node.children[1], values);
  if (!b) return std::nullopt;
  if (node.operation == Operation::logical_and || node.operation == Operation::logical_or)
    return Operand{*b != 0};
  return of(detail::arithmetic(node.operation, *a, *b));
}

}  // namespace evo::model
