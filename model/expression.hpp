// Expressions of problem.yaml and experiments: checked 64-bit integers and symbols.
// Grammar: integers, true, false, 'symbols' in quotes, names, + - * / % // **, ceil_div min max,
// == != < <= > >= (a <= b < c is a <= b and b < c), in [a, b] and not in, and / or / not as in Python, && ||
// ! as in C, c ? a : b, parentheses. / and % round towards zero as in C, // towards minus infinity as in
// Python. Division by zero, a negative exponent and overflow are errors.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "model/error.hpp"
#include "model/value.hpp"

namespace evo::model {

namespace detail {
struct ExpressionNode;
}

/// A parsed expression; immutable and cheap to copy.
class Expression {
 public:
  Expression() = default;  ///< evaluates to 0
  /// A constant.
  explicit Expression(std::int64_t constant);

  /// Parses `text`; `file`, `line`, `column` say where it stands, for errors here and in evaluate().
  [[nodiscard]] static Expected<Expression> parse(std::string_view text, std::string file = {}, int line = 0,
                                                  int column = 0);

  /// The value under `environment`; an unknown name, a type mix, division by zero or overflow is an Error.
  [[nodiscard]] Expected<Value> evaluate(const Environment& environment) const;
  /// As evaluate(), but the result must be an integer. Truth values are 0 and 1.
  [[nodiscard]] Expected<std::int64_t> evaluate_integer(const Environment& environment) const;

  /// Every name that occurs.
  [[nodiscard]] const std::set<std::string, std::less<>>& names() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const std::string& file() const;
  [[nodiscard]] int line() const;
  /// The tree, for those who evaluate it in another way; null for an expression without text.
  [[nodiscard]] const detail::ExpressionNode* root() const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace evo::model
