// The tree behind model::Expression. Private to the parser and the evaluators.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/value.hpp"

namespace evo::model::detail {

enum class Operation : unsigned char {
  constant,
  name,
  negate,
  logical_not,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  conditional,
  ceil_div,
  minimum,
  maximum,
  floor_div,
  power,
};

struct ExpressionNode {
  Operation operation = Operation::constant;
  Value value;  ///< constant, or the name
  std::vector<std::unique_ptr<ExpressionNode>> children;
};

using NodePointer = std::unique_ptr<ExpressionNode>;

/// An operation of two integers, from add to power but for those on truth values and equality; nullopt when
/// it divides by zero, has a negative exponent, or its result does not fit 64 bits.
[[nodiscard]] std::optional<std::int64_t> arithmetic(Operation operation, std::int64_t a, std::int64_t b);

/// Parses `text`; on failure returns null and says why and at which character (0-based).
NodePointer parse_expression(std::string_view text, std::string& message, std::size_t& position);

}  // namespace evo::model::detail
