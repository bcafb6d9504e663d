// An expression whose names were looked up beforehand, for questions that are asked thousands of times.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/expression.hpp"

namespace evo::model {

namespace detail {
enum class Operation : unsigned char;
}

/// A value without text: an integer, or the number that Symbols gave a symbol.
struct Operand {
  std::int64_t number = 0;
  bool symbol = false;
  friend bool operator==(const Operand&, const Operand&) = default;
};

/// Numbers for symbols. Operands of one numbering can be compared, those of two cannot.
class Symbols {
 public:
  [[nodiscard]] Operand operand(const Value& value);

 private:
  std::map<std::string, std::int64_t> numbers_;
};

/// Answers as Expression::evaluate does, without its messages.
class ResolvedExpression {
 public:
  /// `variables[i]` names the value that comes i-th with each question; `constants` name the others. A name
  /// in neither is an error where it is reached, as in evaluate().
  ResolvedExpression(const Expression& expression, const std::vector<std::string>& variables,
                     const Environment& constants, Symbols& symbols);

  /// nullopt where evaluate() has an Error. `values` may be unset at variables that the expression does not
  /// name.
  [[nodiscard]] std::optional<Operand> value(std::span<const Operand> values) const;

 private:
  /// One step of a stack machine: operands first, then what is done with them.
  struct Step {
    enum class Kind : unsigned char {
      constant,   ///< pushes `constant`
      variable,   ///< pushes the value of `place`
      unknown,    ///< pushes an error
      unary,      ///< replaces the top
      binary,     ///< replaces the two on top
      jump,       ///< to `place` steps behind
      branch,     ///< pops a condition; if it is 0, goes on `place` steps behind
      short_cut,  ///< of `and`, `or`: decided by the top alone, goes on `place` steps behind; else pops it
      truth,      ///< makes a number on top 0 or 1
    };
    Kind kind;
    detail::Operation operation;
    std::uint32_t place;
    Operand constant;
  };
  class Compiler;
  struct Slot;
  [[nodiscard]] Slot run(std::span<const Step> steps, std::span<const Operand> values) const;

  std::vector<Step> steps_;
  std::size_t depth_ = 0;  ///< operands that stand on the stack at a time, at most
};

}  // namespace evo::model
