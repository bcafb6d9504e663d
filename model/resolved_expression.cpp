#include "model/resolved_expression.hpp"

#include <algorithm>

#include "model/expression_node.hpp"

namespace evo::model {

using detail::ExpressionNode;
using detail::Operation;

Operand Symbols::operand(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return {*number, false};
  const auto next = static_cast<std::int64_t>(numbers_.size());
  return {numbers_.emplace(std::get<std::string>(value), next).first->second, true};
}

/// What stands on the stack. An operation on an error is an error, but what is not reached is not there.
struct ResolvedExpression::Slot {
  enum Kind : unsigned char { number, symbol, error };
  std::int64_t value;  // neither has a default: a stack of them is not cleared for each question
  Kind kind;
};

/// Appends the steps of a tree.
class ResolvedExpression::Compiler {
 public:
  using Kind = Step::Kind;

  Compiler(const std::vector<std::string>& variables, const Environment& constants, Symbols& symbols,
           ResolvedExpression& made)
      : variables_(variables), constants_(constants), symbols_(symbols), made_(made), steps_(made.steps_) {}

  /// `below`: operands that stand on the stack already.
  void append(const ExpressionNode& node, std::size_t below) {
    const std::size_t start = steps_.size();
    made_.depth_ = std::max(made_.depth_, below + 1);
    switch (node.operation) {
      case Operation::constant:
        steps_.push_back({Kind::constant, node.operation, 0, symbols_.operand(node.value)});
        return;
      case Operation::name:
        return name(std::get<std::string>(node.value));
      case Operation::conditional: {
        append(*node.children[0], below);
        const std::size_t otherwise = jump(Kind::branch, node.operation);
        append(*node.children[1], below);
        const std::size_t end = jump(Kind::jump, node.operation);
        land(otherwise);
        append(*node.children[2], below);
        land(end);
        break;
      }
      case Operation::logical_and:
      case Operation::logical_or: {
        append(*node.children[0], below);
        const std::size_t end = jump(Kind::short_cut, node.operation);
        append(*node.children[1], below);
        steps_.push_back({Kind::truth, node.operation, 0, {}});
        land(end);
        break;
      }
      default:
        for (std::size_t i = 0; i < node.children.size(); ++i) append(*node.children[i], below + i);
        steps_.push_back({node.children.size() == 1 ? Kind::unary : Kind::binary, node.operation, 0, {}});
    }
    fold(start);
  }

 private:
  void name(const std::string& name) {
    const auto variable = std::find(variables_.begin(), variables_.end(), name);
    if (variable != variables_.end()) {
      const auto place = static_cast<std::uint32_t>(variable - variables_.begin());
      steps_.push_back({Kind::variable, Operation::name, place, {}});
    } else if (const auto constant = constants_.find(name); constant != constants_.end()) {
      steps_.push_back({Kind::constant, Operation::constant, 0, symbols_.operand(constant->second)});
    } else {
      steps_.push_back({Kind::unknown, Operation::name, 0, {}});
    }
  }

  /// A jump whose end is not known yet; its position.
  std::size_t jump(Kind kind, Operation operation) {
    steps_.push_back({kind, operation, 0, {}});
    return steps_.size() - 1;
  }
  /// The jump goes on behind the steps so far.
  void land(std::size_t jump) { steps_[jump].place = static_cast<std::uint32_t>(steps_.size() - jump - 1); }

  /// What does not depend on a variable is found once. An error stays, since it counts only where it is
  /// reached.
  void fold(std::size_t start) {
    const std::span<const Step> part = std::span(steps_).subspan(start);
    if (std::ranges::any_of(part, [](const Step& step) { return step.kind == Kind::variable; })) return;
    const Slot found = made_.run(part, {});
    if (found.kind == Slot::error) return;
    steps_.resize(start);
    steps_.push_back(
        {Kind::constant, Operation::constant, 0, Operand{found.value, found.kind == Slot::symbol}});
  }

  const std::vector<std::string>& variables_;
  const Environment& constants_;
  Symbols& symbols_;
  ResolvedExpression& made_;
  std::vector<Step>& steps_;
};

ResolvedExpression::ResolvedExpression(const Expression& expression,
                                       const std::vector<std::string>& variables,
                                       const Environment& constants, Symbols& symbols) {
  const ExpressionNode zero{Operation::constant, std::int64_t{0}, {}};
  const ExpressionNode* root = expression.root();
  Compiler(variables, constants, symbols, *this).append(root != nullptr ? *root : zero, 0);
}

std::optional<Operand> ResolvedExpression::value(std::span<const Operand> values) const {
  const Slot found = run(steps_, values);
  if (found.kind == Slot::error) return std::nullopt;
  return Operand{found.value, found.kind == Slot::symbol};
}

namespace {

/// An operation of one or two operands, of which arithmetic() knows the most.
template <class Slot>
Slot applied(Operation operation, const Slot& a, const Slot& b) {
  constexpr Slot error{0, Slot::error};
  if (operation == Operation::equal || operation == Operation::not_equal) {
    if (a.kind != b.kind || a.kind == Slot::error) return error;
    return {(a.value == b.value) == (operation == Operation::equal), Slot::number};
  }
  if (a.kind != Slot::number || b.kind != Slot::number) return error;
  const auto result = detail::arithmetic(operation, a.value, b.value);
  return result ? Slot{*result, Slot::number} : error;
}

}  // namespace

ResolvedExpression::Slot ResolvedExpression::run(std::span<const Step> steps,
                                                 std::span<const Operand> values) const {
  std::array<Slot, 32> few;
  std::vector<Slot> many(depth_ > few.size() ? depth_ : 0);
  Slot* next = many.empty() ? few.data() : many.data();  // the top stands before it
  const auto push = [&](const Operand& operand) {
    *next++ = {operand.number, operand.symbol ? Slot::symbol : Slot::number};
  };
  constexpr Slot error{0, Slot::error};
  const Step* const end = steps.data() + steps.size();
  for (const Step* step = steps.data(); step != end; ++step) {
    switch (step->kind) {
      case Step::Kind::constant:
        push(step->constant);
        break;
      case Step::Kind::variable:
        push(values[step->place]);
        break;
      case Step::Kind::unknown:
        *next++ = error;
        break;
      case Step::Kind::unary:  // -x is 0 - x, and "not x" is 0 == x
        next[-1] = applied(step->operation == Operation::negate ? Operation::subtract : Operation::equal,
                           Slot{}, next[-1]);
        break;
      case Step::Kind::binary:
        --next;
        next[-1] = applied(step->operation, next[-1], next[0]);
        break;
      case Step::Kind::jump:
        step += step->place;
        break;
      case Step::Kind::branch: {
        const Slot condition = *--next;
        const bool usable = condition.kind == Slot::number;
        if (usable && condition.value != 0) break;
        step += step->place;  // to the last step of the first branch, which jumps over the second
        if (usable) break;
        *next++ = error;
        step += step->place;
        break;
      }
      case Step::Kind::short_cut: {
        const Slot first = *--next;
        const bool usable = first.kind == Slot::number;
        const bool decides = (step->operation == Operation::logical_and) == (first.value == 0);
        if (usable && !decides) break;
        *next++ = usable ? Slot{first.value != 0, Slot::number} : error;
        step += step->place;
        break;
      }
      case Step::Kind::truth:
        next[-1] = next[-1].kind == Slot::number ? Slot{next[-1].value != 0, Slot::number} : error;
        break;
    }
  }
  return next[-1];
}

}  // namespace evo::model
