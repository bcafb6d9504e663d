// The value of a scalar argument in problem.yaml.
#pragma once

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// An expression, a number, a number over an expression or times one (1.0 * a / b), inverse_sqrt(EXPRESSION)
/// or stride(DIMENSION, ARRAY,
/// ...). The expression of a stride stays open until resolve_strides(). Throws Invalid.
[[nodiscard]] model::ScalarValue read_scalar(const Reader& reader);

}  // namespace evo::config
