#include "model/expression.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "model/expression_node.hpp"

namespace evo::model {
namespace {

using detail::ExpressionNode;
using detail::Operation;
using Result = tl::expected<Value, std::string>;

void collect_names(const ExpressionNode& node, std::set<std::string, std::less<>>& names) {
  if (node.operation == Operation::name) names.insert(std::get<std::string>(node.value));
  for (const auto& child : node.children) collect_names(*child, names);
}

Result checked(Operation operation, std::int64_t a, std::int64_t b) {
  if (const auto result = detail::arithmetic(operation, a, b)) return *result;
  if (operation == Operation::power && b < 0)
    return tl::make_unexpected<std::string>("a power with a negative exponent is no integer");
  const bool divides = operation == Operation::divide || operation == Operation::remainder ||
                       operation == Operation::ceil_div || operation == Operation::floor_div;
  return tl::make_unexpected<std::string>(divides && b == 0 ? "division by zero"
                                                            : "the result does not fit 64 bits");
}

std::optional<std::int64_t> power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return std::nullopt;
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  std::int64_t result = 1;
  // At most 63 turns: then it does not fit.
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
  }
  return result;
}

class Evaluator {
 public:
  explicit Evaluator(const Environment& environment) : environment_(environment) {}

  Result operator()(const ExpressionNode& node) const {
    switch (node.operation) {
      case Operation::constant:
        return node.value;
      case Operation::name:
        return look_up(std::get<std::string>(node.value));
      case Operation::equal:
      case Operation::not_equal:
        return compare(node);
      case Operation::logical_and:
      case Operation::logical_or:
        return logical(node);
      case Operation::conditional: {
        const auto condition = integer(*node.children[0]);
        if (!condition) return tl::make_unexpected(condition.error());
        return (*this)(*node.children[*condition != 0 ? 1 : 2]);
      }
      default:
        return integers(node);
    }
  }

 private:
  tl::expected<std::int64_t, std::string> integer(const ExpressionNode& node) const {
    const Result value = (*this)(node);
    if (!value) return tl::make_unexpected(value.error());
    if (const auto* number = std::get_if<std::int64_t>(&*value)) return *number;
    return tl::make_unexpected(
        fmt::format("'{}' is a symbol where a number is needed", std::get<std::string>(*value)));
  }

  Result look_up(const std::string& name) const {
    const auto found = environment_.find(name);
    if (found == environment_.end()) return tl::make_unexpected(fmt::format("unknown name '{}'", name));
    return found->second;
  }

  Result compare(const ExpressionNode& node) const {
    Result a = (*this)(*node.children[0]);
    if (!a) return a;
    Result b = (*this)(*node.children[1]);
    if (!b) return b;
    if (a->index() != b->index()) {
      return tl::make_unexpected(
          fmt::format("'{}' and '{}' cannot be compared: one is a symbol", to_string(*a), to_string(*b)));
    }
    return std::int64_t{(*a == *b) == (node.operation == Operation::equal)};
  }

  Result logical(const ExpressionNode& node) const {
    const auto a = integer(*node.children[0]);
    if (!a) return tl::make_unexpected(a.error());
    const bool is_and = node.operation == Operation::logical_and;
    if (is_and != (*a != 0)) return std::int64_t{is_and ? 0 : 1};
    const auto b = integer(*node.children[1]);
    if (!b) return tl::make_unexpected(b.error());
    return std::int64_t{*b != 0};
  }

  Result integers(const ExpressionNode& node) const {
    const auto a = integer(*node.children[0]);
    if (!a) return tl::make_unexpected(a.error());
    if (node.operation == Operation::logical_not) return std::int64_t{*a == 0};
    if (node.operation == Operation::negate) return checked(Operation::subtract, 0, *a);
    const auto b = integer(*node.children[1]);
    if (!b) return tl::make_unexpected(b.error());
    return checked(node.operation, *a, *b);
  }

  const Environment& environment_;
};

}  // namespace

std::optional<std::int64_t> detail::arithmetic(Operation operation, std::int64_t a, std::int64_t b) {
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  std::int64_t r = 0;
  bool overflow = false;
  switch (operation) {
    case Operation::add:
      overflow = __builtin_add_overflow(a, b, &r);
      break;
    case Operation::subtract:
      overflow = __builtin_sub_overflow(a, b, &r);
      break;
    case Operation::multiply:
      overflow = __builtin_mul_overflow(a, b, &r);
      break;
    case Operation::divide:
    case Operation::remainder:
    case Operation::ceil_div:
    case Operation::floor_div:
      if (b == 0 || (a == lowest && b == -1)) return std::nullopt;
      if (operation == Operation::divide) return a / b;
      if (operation == Operation::remainder) return a % b;
      // Rounds towards minus infinity, as Python does.
      if (operation == Operation::floor_div) return a / b - (a % b != 0 && (a % b > 0) != (b > 0) ? 1 : 0);
      // Rounds towards plus infinity for any signs.
      return a / b + ((a % b != 0 && (a % b > 0) == (b > 0)) ? 1 : 0);
    case Operation::power:
      return power(a, b);
    case Operation::minimum:
      return std::min(a, b);
    case Operation::maximum:
      return std::max(a, b);
    case Operation::less:
      return a < b;
    case Operation::less_equal:
      return a <= b;
    case Operation::greater:
      return a > b;
    default:
      return a >= b;
  }
  if (overflow) return std::nullopt;
  return r;
}

struct Expression::State {
  std::string text, file;
  int line = 0, column = 0;
  detail::NodePointer root;
  std::set<std::string, std::less<>> names;
};

Expression::Expression(std::int64_t constant) {
  auto state = std::make_shared<State>();
  state->text = std::to_string(constant);
  state->root = std::make_unique<ExpressionNode>();
  state->root->value = constant;
  state_ = std::move(state);
}

Expected<Expression> Expression::parse(std::string_view text, std::string file, int line, int column) {
  auto state = std::make_shared<State>();
  state->text = text;
  state->file = std::move(file);
  state->line = line;
  state->column = column;
  std::string message;
  std::size_t position = 0;
  state->root = detail::parse_expression(text, message, position);
  if (!state->root) {
    const int at = column > 0 ? column + static_cast<int>(position) : 0;
    return tl::make_unexpected(
        Error{fmt::format("expression '{}': {} (character {})", text, message, position + 1), state->file,
              line, at});
  }
  collect_names(*state->root, state->names);
  Expression result;
  result.state_ = std::move(state);
  return result;
}

Expected<Value> Expression::evaluate(const Environment& environment) const {
  if (!state_) return Value{std::int64_t{0}};
  Result result = Evaluator(environment)(*state_->root);
  if (result) return *result;
  std::string values;
  for (const std::string& name : state_->names) {
    if (const auto found = environment.find(name); found != environment.end()) {
      values += fmt::format("{}{}={}", values.empty() ? " with " : ", ", name, to_string(found->second));
    }
  }
  return tl::make_unexpected(Error{fmt::format("expression '{}': {}{}", state_->text, result.error(), values),
                                   state_->file, state_->line, state_->column});
}

Expected<std::int64_t> Expression::evaluate_integer(const Environment& environment) const {
  Expected<Value> value = evaluate(environment);
  if (!value) return tl::make_unexpected(value.error());
  if (const auto* number = std::get_if<std::int64_t>(&*value)) return *number;
  return tl::make_unexpected(Error{fmt::format("expression '{}' is the symbol '{}' where a number is needed",
                                               text(), std::get<std::string>(*value)),
                                   file(), line(), state_ ? state_->column : 0});
}

const std::set<std::string, std::less<>>& Expression::names() const {
  static const std::set<std::string, std::less<>> none;
  return state_ ? state_->names : none;
}

const std::string& Expression::text() const {
  static const std::string zero = "0";
  return state_ ? state_->text : zero;
}

const std::string& Expression::file() const {
  static const std::string none;
  return state_ ? state_->file : none;
}

const detail::ExpressionNode* Expression::root() const {
  return state_ ? state_->root.get() : nullptr;
}

int Expression::line() const {
  return state_ ? state_->line : 0;
}

}  // namespace evo::model
