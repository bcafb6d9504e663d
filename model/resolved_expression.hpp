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
  struct Node {
    detail::Operation operation;
    Operand constant;
    std::size_t variable;                 ///< of a name: its position; none where nobody knows it
    std::array<std::size_t, 3> children;  ///< positions in nodes_
  };
  class Resolver;
  [[nodiscard]] std::optional<Operand> at(const Node& node, std::span<const Operand> values) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::size_t node, std::span<const Operand> values) const;

  std::vector<Node> nodes_;  ///< children stand before their parents
};

}  // namespace evo::model
