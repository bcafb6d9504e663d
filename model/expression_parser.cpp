// Recursive-descent parser with precedence climbing.
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "model/expression_node.hpp"

namespace evo::model::detail {
namespace {

struct BinaryOperator {
  std::string_view spelling;
  int precedence;
  Operation operation;
};

// Longer spellings first, so that "<=" is not read as "<".
constexpr std::array<BinaryOperator, 16> binary_operators{{
    {"||", 1, Operation::logical_or},
    {"or", 1, Operation::logical_or},
    {"&&", 2, Operation::logical_and},
    {"and", 2, Operation::logical_and},
    {"==", 3, Operation::equal},
    {"!=", 3, Operation::not_equal},
    {"<=", 4, Operation::less_equal},
    {">=", 4, Operation::greater_equal},
    {"<", 4, Operation::less},
    {">", 4, Operation::greater},
    {"+", 5, Operation::add},
    {"-", 5, Operation::subtract},
    {"*", 6, Operation::multiply},
    {"//", 6, Operation::floor_div},
    {"/", 6, Operation::divide},
    {"%", 6, Operation::remainder},
}};

constexpr int equality = 3, order = 4;  // precedences of comparisons
constexpr int tightest = 7;             // beyond all binary operators

// Deep nesting in an input file must not overflow the stack.
constexpr int max_depth = 200;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  NodePointer parse(std::string& message, std::size_t& position) {
    NodePointer node = conditional(0);
    if (node) {
      skip_space();
      if (at_ != text_.size()) node = fail("unexpected '" + std::string(1, text_[at_]) + "'");
    }
    message = message_;
    position = at_;
    return node;
  }

 private:
  NodePointer fail(std::string message) {
    if (message_.empty()) message_ = std::move(message);
    return nullptr;
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  bool word_at(std::size_t position) const {
    return position < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[position])) || text_[position] == '_');
  }

  bool accept(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    const bool is_word = std::isalpha(static_cast<unsigned char>(token.front())) != 0;
    if (is_word && word_at(at_ + token.size())) return false;
    at_ += token.size();
    return true;
  }

  static NodePointer make(Operation operation, NodePointer a, NodePointer b = nullptr,
                          NodePointer c = nullptr) {
    auto node = std::make_unique<ExpressionNode>();
    node->operation = operation;
    node->children.push_back(std::move(a));
    if (b) node->children.push_back(std::move(b));
    if (c) node->children.push_back(std::move(c));
    return node;
  }

  NodePointer conditional(int depth) {
    if (depth > max_depth) return fail("the expression is nested too deeply");
    NodePointer condition = binary(1, depth + 1);
    if (!condition || !accept("?")) return condition;
    NodePointer yes = conditional(depth + 1);
    if (!yes) return nullptr;
    if (!accept(":")) return fail("expected ':' of a conditional");
    NodePointer no = conditional(depth + 1);
    if (!no) return nullptr;
    return make(Operation::conditional, std::move(condition), std::move(yes), std::move(no));
  }

  static NodePointer copy(const ExpressionNode& node) {
    auto result = std::make_unique<ExpressionNode>();
    result->operation = node.operation;
    result->value = node.value;
    for (const NodePointer& child : node.children) result->children.push_back(copy(*child));
    return result;
  }

  /// a <= b < c means what it does in mathematics and in Python: a <= b and b < c.
  NodePointer binary(int minimum, int depth) {
    if (depth > max_depth) return fail("the expression is nested too deeply");
    NodePointer left = unary(depth + 1, minimum);
    const ExpressionNode* compared = nullptr;  // the last operand, if `left` ends in a comparison
    int comparison = 0;                        // its precedence
    while (left) {
      const BinaryOperator* found = nullptr;
      const std::size_t before = at_;
      for (const BinaryOperator& candidate : binary_operators) {
        if (candidate.precedence >= minimum && accept(candidate.spelling)) {
          found = &candidate;
          break;
        }
      }
      if (!found && minimum <= order && left) {
        if (const auto negated = accept_membership()) {
          left = membership(std::move(left), *negated, depth + 1);
          compared = nullptr;
          continue;
        }
      }
      if (!found) {
        at_ = before;
        skip_space();
        return left;
      }
      NodePointer right = binary(found->precedence + 1, depth + 1);
      if (!right) return nullptr;
      const ExpressionNode* last = right.get();
      if (compared != nullptr && comparison == found->precedence) {
        NodePointer next = make(found->operation, copy(*compared), std::move(right));
        left = make(Operation::logical_and, std::move(left), std::move(next));
      } else {
        left = make(found->operation, std::move(left), std::move(right));
      }
      const bool compares = found->precedence == equality || found->precedence == order;
      compared = compares ? last : nullptr;
      comparison = found->precedence;
    }
    return left;
  }

  /// `in` (false) or `not in` (true); at_ stays where neither stands.
  std::optional<bool> accept_membership() {
    const std::size_t before = at_;
    if (accept("in")) return false;
    if (accept("not") && accept("in")) return true;
    at_ = before;
    return std::nullopt;
  }

  /// x in [a, b] is x == a or x == b; in round brackets too, as Python has it.
  NodePointer membership(NodePointer member, bool negated, int depth) {
    const bool square = accept("[");
    if (!square && !accept("(")) return fail("expected a list after 'in', as in [16, 32]");
    const char* close = square ? "]" : ")";
    NodePointer any;
    while (!accept(close)) {
      NodePointer item = conditional(depth + 1);
      if (!item) return nullptr;
      NodePointer equal = make(Operation::equal, copy(*member), std::move(item));
      any = any ? make(Operation::logical_or, std::move(any), std::move(equal)) : std::move(equal);
      if (accept(",")) continue;
      if (accept(close)) break;
      return fail(std::string("expected ',' or '") + close + "' in the list after 'in'");
    }
    if (!any) return fail("the list after 'in' is empty");
    return negated ? make(Operation::logical_not, std::move(any)) : std::move(any);
  }

  /// The word `not` stands before a whole comparison, as in Python; `!` binds as tightly as in C.
  NodePointer unary(int depth, int minimum = 1) {
    if (depth > max_depth) return fail("the expression is nested too deeply");
    if (accept("-")) {
      NodePointer child = unary(depth + 1, tightest);
      return child ? make(Operation::negate, std::move(child)) : nullptr;
    }
    skip_space();
    const std::size_t before = at_;
    if (accept("not")) {
      if (minimum > equality) {
        at_ = before;
        return fail("'not' stands before a whole comparison: put it and what it negates in parentheses");
      }
      NodePointer child = binary(equality, depth + 1);
      return child ? make(Operation::logical_not, std::move(child)) : nullptr;
    }
    if (text_.substr(at_, 2) != "!=" && accept("!")) {
      NodePointer child = unary(depth + 1, tightest);
      return child ? make(Operation::logical_not, std::move(child)) : nullptr;
    }
    return power(depth + 1);
  }

  /// a ** b: from the correct, and tighter than a minus on its left.
  NodePointer power(int depth) {
    NodePointer base = primary(depth + 1);
    if (!base || !accept("**")) return base;
    NodePointer exponent = unary(depth + 1, tightest);
    return exponent ? make(Operation::power, std::move(base), std::move(exponent)) : nullptr;
  }

  NodePointer primary(int depth) {
    skip_space();
    if (at_ >= text_.size()) return fail("the expression ends where a value was expected");
    if (accept("(")) {
      NodePointer inner = conditional(depth + 1);
      if (!inner) return nullptr;
      if (!accept(")")) return fail("expected ')'");
      return inner;
    }
    const char c = text_[at_];
    if (c == '\'') return symbol();
    if (std::isdigit(static_cast<unsigned char>(c))) return number();
    if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') return name_or_call(depth);
    return fail("unexpected '" + std::string(1, c) + "'");
  }

  NodePointer symbol() {
    const std::size_t end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) return fail("a quoted symbol does not end");
    auto node = std::make_unique<ExpressionNode>();
    node->value = std::string(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return node;
  }

  NodePointer number() {
    std::int64_t value = 0;
    const char* first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error != std::errc{}) return fail("the number does not fit 64 bits");
    at_ += static_cast<std::size_t>(end - first);
    if (word_at(at_)) return fail("a name cannot begin with a digit");
    auto node = std::make_unique<ExpressionNode>();
    node->value = value;
    return node;
  }

  static std::optional<Operation> function(std::string_view name) {
    if (name == "ceil_div") return Operation::ceil_div;
    if (name == "min") return Operation::minimum;
    if (name == "max") return Operation::maximum;
    return std::nullopt;
  }

  NodePointer name_or_call(int depth) {
    const std::size_t start = at_;
    while (word_at(at_)) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    skip_space();
    if (at_ < text_.size() && text_[at_] == '(') {
      const auto operation = function(name);
      if (!operation) {
        at_ = start;
        return fail("unknown function '" + std::string(name) + "'; known: ceil_div, min, max");
      }
      ++at_;
      NodePointer a = conditional(depth + 1);
      if (!a) return nullptr;
      if (!accept(",")) return fail(std::string(name) + " takes two arguments");
      NodePointer b = conditional(depth + 1);
      if (!b) return nullptr;
      if (!accept(")")) return fail("expected ')' after the arguments of " + std::string(name));
      return make(*operation, std::move(a), std::move(b));
    }
    auto node = std::make_unique<ExpressionNode>();
    if (name == "true" || name == "false" || name == "True" || name == "False") {
      node->value = std::int64_t{name == "true" || name == "True"};
      return node;
    }
    node->operation = Operation::name;
    node->value = std::string(name);
    return node;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string message_;
};

}  // namespace

NodePointer parse_expression(std::string_view text, std::string& message, std::size_t& position) {
  return Parser(text).parse(message, position);
}

}  // namespace evo::model::detail
