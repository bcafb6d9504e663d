#include "export/cpp_expression.hpp"

#include <fmt/format.h>

#include <cctype>

#include "model/expression_node.hpp"

namespace evo::exporting {
namespace {

using model::detail::ExpressionNode;
using model::detail::Operation;

struct Spelling {
  const char* sign;
  int precedence;  ///< of C++, higher binds tighter
};

Spelling spelling_of(Operation operation) {
  switch (operation) {
    case Operation::conditional:
      return {"?", 1};
    case Operation::logical_or:
      return {"||", 2};
    case Operation::logical_and:
      return {"&&", 3};
    case Operation::equal:
      return {"==", 4};
    case Operation::not_equal:
      return {"!=", 4};
    case Operation::less:
      return {"<", 5};
    case Operation::less_equal:
      return {"<=", 5};
    case Operation::greater:
      return {">", 5};
    case Operation::greater_equal:
      return {">=", 5};
    case Operation::add:
      return {"+", 6};
    case Operation::subtract:
      return {"-", 6};
    case Operation::multiply:
      return {"*", 7};
    case Operation::divide:
      return {"/", 7};
    case Operation::remainder:
      return {"%", 7};
    case Operation::negate:
      return {"-", 8};
    case Operation::logical_not:
      return {"!", 8};
    case Operation::ceil_div:
      return {"ceil_div", 9};
    case Operation::minimum:
      return {"smaller", 9};
    case Operation::maximum:
      return {"larger", 9};
    case Operation::floor_div:
      return {"floor_div", 9};
    case Operation::power:
      return {"power", 9};
    case Operation::constant:
    case Operation::name:
      return {"", 9};
  }
  return {"", 9};
}

class Writer {
 public:
  explicit Writer(const std::function<std::string(const std::string&)>& name_of) : name_of_(name_of) {}

  std::string write(const ExpressionNode& node) const {
    const Spelling spelling = spelling_of(node.operation);
    switch (node.operation) {
      case Operation::constant:
        if (const auto* symbol = std::get_if<std::string>(&node.value)) return symbol_constant(*symbol);
        return integer(std::get<std::int64_t>(node.value));
      case Operation::name:
        return name_of_(std::get<std::string>(node.value));
      case Operation::negate:
      case Operation::logical_not:
        return spelling.sign + child(node, 0, spelling.precedence + 1);
      case Operation::ceil_div:
      case Operation::minimum:
      case Operation::maximum:
      case Operation::floor_div:
      case Operation::power: {
        std::string call = spelling.sign + std::string("(") + write(*node.children[0]);
        for (std::size_t i = 1; i < node.children.size(); ++i) call += ", " + write(*node.children[i]);
        return call + ")";
      }
      case Operation::conditional:
        return fmt::format("{} ? {} : {}", child(node, 0, 2), child(node, 1, 2), child(node, 2, 1));
      default:
        // Compilers warn of && in || without parentheses, and of comparisons of comparisons.
        const int least = spelling.precedence < 6 ? 6 : spelling.precedence;
        return fmt::format("{} {} {}", child(node, 0, least), spelling.sign,
                           child(node, 1, spelling.precedence < 6 ? 6 : spelling.precedence + 1));
    }
  }

 private:
  static std::string integer(std::int64_t value) {
    // int arithmetic on small numbers cannot overflow before it meets a long long name.
    return value > 1000 ? fmt::format("{}LL", value) : fmt::format("{}", value);
  }
  std::string child(const ExpressionNode& node, std::size_t index, int least) const {
    const ExpressionNode& part = *node.children[index];
    const std::string text = write(part);
    // Compilers warn of !a == b.
    const bool negated = part.operation == Operation::logical_not && node.operation != Operation::conditional;
    return negated || spelling_of(part.operation).precedence < least ? "(" + text + ")" : text;
  }

  const std::function<std::string(const std::string&)>& name_of_;
};

}  // namespace

std::string identifier(std::string_view text) {
  std::string result;
  for (const char c : text) result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])) != 0) result.insert(0, "_");
  return result;
}

std::string symbol_constant(std::string_view symbol) {
  return "symbol_" + identifier(symbol);
}

model::Expected<std::string> to_cpp(const model::Expression& expression,
                                    const std::function<std::string(const std::string&)>& name_of) {
  if (expression.text().empty()) {  // a constant has no text
    const auto value = expression.evaluate_integer({});
    if (!value) return tl::make_unexpected(value.error());
    return fmt::format("{}", *value);
  }
  std::string message;
  std::size_t position = 0;
  const auto tree = model::detail::parse_expression(expression.text(), message, position);
  if (!tree) return tl::make_unexpected(model::Error{message, expression.file(), expression.line(), 0});
  return Writer(name_of).write(*tree);
}

}  // namespace evo::exporting
