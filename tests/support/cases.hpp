// Small bound cases for tests that need no problem file.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "model/variant.hpp"

namespace evo::tests {

inline model::BoundArgument array_argument(std::string name, model::ArgumentRole role, model::DType dtype,
                                           std::vector<std::int64_t> shape,
                                           std::vector<std::int64_t> strides = {}) {
  model::BoundArgument argument;
  argument.name = std::move(name);
  argument.role = role;
  argument.dtype = dtype;
  if (strides.empty()) {
    strides.assign(shape.size(), 1);
    for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  }
  argument.shape = std::move(shape);
  argument.strides = std::move(strides);
  return argument;
}

inline model::BoundArgument scalar_argument(std::string name, model::DType dtype, double value) {
  model::BoundArgument argument;
  argument.name = std::move(name);
  argument.role = model::ArgumentRole::scalar;
  argument.dtype = dtype;
  argument.scalar_float = value;
  argument.scalar_integer = static_cast<std::int64_t>(value);
  return argument;
}

/// c = a + b over n floats; with gaps every other element of c belongs to nobody.
inline model::Case vector_add_case(std::int64_t n, bool gaps = false, std::string name = "add") {
  using model::ArgumentRole;
  using model::DType;
  model::Case bound;
  bound.name = std::move(name);
  bound.axes = {{"n", n}};
  bound.arguments.push_back(array_argument("a", ArgumentRole::input, DType::f32, {n}));
  bound.arguments.push_back(array_argument("b", ArgumentRole::input, DType::f32, {n}));
  bound.arguments.push_back(array_argument("c", ArgumentRole::output, DType::f32, {n}, {gaps ? 2 : 1}));
  bound.arguments.push_back(scalar_argument("n", DType::i32, static_cast<double>(n)));
  bound.arguments.push_back(scalar_argument("c_stride", DType::i32, gaps ? 2 : 1));
  bound.launch.grid = {static_cast<std::uint32_t>((n + 31) / 32), 1, 1};
  bound.launch.block = {32, 1, 1};
  bound.flops = static_cast<double>(n);
  bound.bytes = static_cast<double>(12 * n);
  return bound;
}

/// Attention over [batch, heads, seq, dim] in f16; `view` strides it as [batch, seq, heads, dim].
inline model::Case attention_case(std::int64_t batch, std::int64_t heads, std::int64_t seq, std::int64_t dim,
                                  bool causal, bool view = false) {
  using model::ArgumentRole;
  using model::DType;
  model::Case bound;
  bound.name = "attention";
  std::vector<std::int64_t> strides{heads * seq * dim, seq * dim, dim, 1};
  if (view) strides = {heads * seq * dim, dim, heads * dim, 1};
  for (const char* name : {"Q", "K", "V"}) {
    bound.arguments.push_back(
        array_argument(name, ArgumentRole::input, DType::f16, {batch, heads, seq, dim}, strides));
  }
  bound.arguments.push_back(
      array_argument("O", ArgumentRole::output, DType::f16, {batch, heads, seq, dim}, strides));
  bound.arguments.push_back(scalar_argument("causal", DType::i32, causal ? 1 : 0));
  bound.arguments.push_back(scalar_argument("scale", DType::f32, 1 / std::sqrt(static_cast<double>(dim))));
  return bound;
}

}  // namespace evo::tests
