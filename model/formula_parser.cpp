// Recursive descent over one statement of index notation.
#include <array>
#include <cctype>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "model/formula.hpp"

namespace evo::model::formula {
namespace {

struct Binary {
  std::string_view spelling;
  int precedence;
  Op op;
};
// Longer spellings first.
constexpr std::array<Binary, 15> binaries{{{"or", 1, Op::logical_or},
                                           {"and", 2, Op::logical_and},
                                           {"==", 3, Op::equal},
                                           {"!=", 3, Op::not_equal},
                                           {"<=", 3, Op::less_equal},
                                           {">=", 3, Op::greater_equal},
                                           {"<", 3, Op::less},
                                           {">", 3, Op::greater},
                                           {"+", 4, Op::add},
                                           {"-", 4, Op::subtract},
                                           {"//", 5, Op::floor_divide},
                                           {"**", 9, Op::power},
                                           {"*", 5, Op::multiply},
                                           {"/", 5, Op::divide},
                                           {"%", 5, Op::remainder}}};
constexpr int comparison = 3, sign = 6, power = 9;
constexpr int max_depth = 150;

struct SyntaxStop {
  std::size_t position;
  std::string message;
};

bool reduces(std::string_view name) {
  return name == "sum" || name == "prod" || name == "min" || name == "max";
}

class Parser {
 public:
  Parser(std::string_view text, const Suggest& suggest) : text_(text), suggest_(suggest) {}

  Statement statement() {
    Statement result;
    const std::size_t start = skip();
    result.target = word("the name of an output or of an intermediate array");
    if (accept("[")) {
      do result.indices.push_back(left_index());
      while (accept(","));
      expect("]");
    }
    if (!accept("=")) fail(skip(), fmt::format("expected '=' behind {}", text_.substr(start, at_ - start)));
    result.value = expression(1, 0);
    if (skip() != text_.size()) fail(at_, fmt::format("unexpected '{}'", text_.substr(at_, 1)));
    return result;
  }

 private:
  [[noreturn]] static void fail(std::size_t position, std::string message) {
    throw SyntaxStop{position, std::move(message)};
  }
  std::size_t skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_;
  }
  [[nodiscard]] bool word_at(std::size_t at) const {
    return at < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at])) != 0 || text_[at] == '_');
  }
  bool accept(std::string_view token) {
    skip();
    if (text_.substr(at_, token.size()) != token) return false;
    if (std::isalpha(static_cast<unsigned char>(token[0])) != 0 && word_at(at_ + token.size())) return false;
    if ((token == "=" || token == "*" || token == "/") && text_.substr(at_ + 1, 1) == token) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) {
      fail(at_, at_ < text_.size() ? fmt::format("expected '{}', not '{}'", token, text_.substr(at_, 1))
                                   : fmt::format("expected '{}' at the end", token));
    }
  }
  std::string word(std::string_view what) {
    const std::size_t start = skip();
    if (start >= text_.size() || std::isdigit(static_cast<unsigned char>(text_[start])) != 0 ||
        !word_at(start))
      fail(start, fmt::format("expected {}", what));
    while (word_at(at_)) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }
  Range left_index() {
    if (accept("0")) return {};
    Range range;
    range.variable = word("an index variable, or 0 for a dimension of one element");
    return range;
  }

  static Node make(Op op, std::size_t position, std::vector<Node> children) {
    Node node;
    node.op = op;
    node.position = position;
    node.children = std::move(children);
    return node;
  }
  static Node pair(Op op, std::size_t position, Node a, Node b) {
    std::vector<Node> children;
    children.push_back(std::move(a));
    children.push_back(std::move(b));
    return make(op, position, std::move(children));
  }

  Node expression(int minimum, int depth) {
    if (depth > max_depth) fail(at_, "the expression is nested too deeply");
    Node left = unary(depth + 1);
    bool compared = false;
    Node last;  // the right operand of a comparison that `left` ends in
    while (true) {
      const std::size_t position = skip();
      const Binary* found = nullptr;
      for (const Binary& candidate : binaries) {
        if (candidate.precedence >= minimum && accept(candidate.spelling)) {
          found = &candidate;
          break;
        }
      }
      if (found == nullptr) return left;
      // ** binds to the right.
      Node right = expression(found->op == Op::power ? found->precedence : found->precedence + 1, depth + 1);
      const bool compares = found->precedence == comparison;
      Node copy = right;
      if (compares && compared) {
        left = pair(Op::logical_and, position, std::move(left),
                    pair(found->op, position, std::move(last), std::move(right)));
      } else {
        left = pair(found->op, position, std::move(left), std::move(right));
      }
      compared = compares;
      last = std::move(copy);
    }
  }

  Node unary(int depth) {
    const std::size_t position = skip();
    if (depth > max_depth) fail(at_, "the expression is nested too deeply");
    if (accept("-")) return make(Op::negate, position, {expression(sign, depth + 1)});
    if (accept("not")) return make(Op::logical_not, position, {expression(comparison, depth + 1)});
    return primary(depth + 1);
  }

  Node primary(int depth) {
    const std::size_t position = skip();
    if (position >= text_.size()) fail(position, "the expression ends where a value was expected");
    if (accept("(")) {
      Node inner = expression(1, depth + 1);
      expect(")");
      return inner;
    }
    const char c = text_[position];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return number();
    if (!word_at(position)) fail(position, fmt::format("unexpected '{}'", c));
    const std::string name = word("a name");
    if (accept("(")) return call(name, position, depth);
    Node node;
    node.op = Op::name;
    node.name = name;
    node.position = position;
    if (!accept("[")) return node;
    node.op = Op::element;
    do node.children.push_back(expression(1, depth + 1));
    while (accept(","));
    expect("]");
    return node;
  }

  Node number() {
    const std::string rest(text_.substr(at_));
    char* end = nullptr;
    Node node;
    node.position = at_;
    node.number = std::strtod(rest.c_str(), &end);
    at_ += static_cast<std::size_t>(end - rest.c_str());
    if (end == rest.c_str()) fail(node.position, "unexpected '.'");
    if (word_at(at_)) fail(node.position, "a name cannot begin with a digit");
    return node;
  }

  Node call(const std::string& name, std::size_t position, int depth) {
    std::vector<Node> arguments;
    if (!accept(")")) {
      do arguments.push_back(expression(1, depth + 1));
      while (accept(","));
      expect(")");
    }
    if (reduces(name) && (name == "sum" || name == "prod" || is_reduction(arguments)))
      return reduction(name, position, std::move(arguments));
    const auto takes = [&](std::size_t count) {
      if (arguments.size() != count)
        fail(position, fmt::format("{} takes {} argument{}, not {}", name, count, count == 1 ? "" : "s",
                                   arguments.size()));
    };
    if (name == "min" || name == "max") {
      if (arguments.size() < 2) fail(position, fmt::format("{} takes two arguments or more", name));
      const Op op = name == "min" ? Op::minimum : Op::maximum;
      Node node = std::move(arguments.front());
      for (std::size_t i = 1; i < arguments.size(); ++i)
        node = pair(op, position, std::move(node), std::move(arguments[i]));
      return node;
    }
    if (name == "where") {
      takes(3);
      return make(Op::where, position, std::move(arguments));
    }
    if (name == "pow") {
      takes(2);
      return make(Op::power, position, std::move(arguments));
    }
    std::vector<std::string> known = function_names();
    for (const std::string& function : known) {
      if (function != name) continue;
      takes(1);
      Node node = make(Op::call, position, std::move(arguments));
      node.name = name;
      return node;
    }
    known.insert(known.end(), {"sum", "prod", "min", "max", "pow", "where"});
    fail(position, fmt::format("unknown function '{}'{}", name, suggest_ ? suggest_(name, known) : ""));
  }

  /// Does an index of `node` use the variable?
  static bool indexed_by(const Node& node, const std::string& variable, bool within) {
    if (within && node.op == Op::name && node.name == variable) return true;
    for (const Node& child : node.children) {
      if (indexed_by(child, variable, within || node.op == Op::element)) return true;
    }
    return false;
  }

  /// max(j, X[i, j]) reduces, max(x[i], 0) and max(n, 1) do not.
  static bool is_reduction(const std::vector<Node>& arguments) {
    if (arguments.size() < 2) return false;
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
      const Node& range = arguments[i];
      if (range.op == Op::name
              ? !indexed_by(arguments.back(), range.name, false)
              : range.op != Op::less && range.op != Op::less_equal && range.op != Op::logical_and)
        return false;
    }
    return true;
  }

  static Node plus_one(Node node) {
    Node one;
    one.number = 1;
    one.position = node.position;
    const std::size_t position = node.position;
    return pair(Op::add, position, std::move(node), std::move(one));
  }

  /// k, k < n, k <= n, a <= k < b.
  static Range range(Node node, std::string_view name) {
    Range result;
    const auto wrong = [&] {
      fail(node.position, fmt::format("{} takes variables (k, k < n, k <= n, a <= k < b) and then what is "
                                      "reduced",
                                      name));
    };
    if (node.op == Op::name) {
      result.variable = node.name;
      return result;
    }
    Node low, high;
    const Node* upper = &node;
    if (node.op == Op::logical_and) {
      Node& lower = node.children[0];
      upper = &node.children[1];
      if ((lower.op != Op::less && lower.op != Op::less_equal) || lower.children[1].op != Op::name) wrong();
      low = lower.op == Op::less ? plus_one(lower.children[0]) : lower.children[0];
      if (upper->children.empty() || upper->children[0].name != lower.children[1].name) wrong();
    }
    if ((upper->op != Op::less && upper->op != Op::less_equal) || upper->children[0].op != Op::name) wrong();
    result.variable = upper->children[0].name;
    high = upper->op == Op::less_equal ? plus_one(upper->children[1]) : upper->children[1];
    result.bounds.push_back(std::move(low));
    result.bounds.push_back(std::move(high));
    return result;
  }

  static Node reduction(const std::string& name, std::size_t position, std::vector<Node> arguments) {
    if (arguments.size() < 2)
      fail(position,
           fmt::format("{} takes variables and then what is reduced: {}(k, A[m, k] * B[k, n])", name, name));
    Node node;
    node.op = name == "sum"    ? Op::sum
              : name == "prod" ? Op::product
              : name == "min"  ? Op::smallest
                               : Op::largest;
    node.name = name;
    node.position = position;
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
      node.ranges.push_back(range(std::move(arguments[i]), name));
    node.children.push_back(std::move(arguments.back()));
    return node;
  }

  std::string_view text_;
  const Suggest& suggest_;
  std::size_t at_ = 0;
};

}  // namespace

const std::vector<std::string>& function_names() {
  static const std::vector<std::string> names{"exp",   "exp2", "log",   "log2", "sqrt", "rsqrt",
                                              "tanh",  "erf",  "erfc",  "abs",  "sin",  "cos",
                                              "floor", "ceil", "round", "trunc"};
  return names;
}

namespace detail {

Error error_at(const OracleStatement& place, std::size_t position, std::string message) {
  Error error{fmt::format("'{}': {}", place.text, message), place.file, place.line, 0};
  if (place.column > 0) error.column = place.column + static_cast<int>(position);
  return error;
}

Expected<Statement> parse_statement(const OracleStatement& place, const Suggest& suggest) {
  try {
    Statement statement = Parser(place.text, suggest).statement();
    statement.place = place;
    return statement;
  } catch (const SyntaxStop& stop) {
    return tl::make_unexpected(error_at(place, stop.position, stop.message));
  }
}

}  // namespace detail

}  // namespace evo::model::formula
