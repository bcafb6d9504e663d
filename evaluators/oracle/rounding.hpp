// A reference as the output's type can hold it.
#pragma once

#include <cstddef>
#include <span>

#include "model/dtype.hpp"

namespace evo::evaluators::oracle {

/// Whether the element holds the rounded reference, bit for bit, or one of the `ulps` numbers of its type on
/// either side of it.
[[nodiscard]] bool equals_nearly(model::DType dtype, const std::byte* actual, double reference,
                                 unsigned ulps);

/// Each number as `dtype`, f16 or bf16, holds it: to nearest, ties to even, beyond its range infinite.
void round_to(model::DType dtype, std::span<double> values);

/// Half a unit in the last place of `dtype` at `value`: what the best kernel may be off by. 0 for f64 and
/// integers.
[[nodiscard]] double half_ulp(model::DType dtype, double value);

/// A unit in the last place of 1, in a floating-point type.
[[nodiscard]] double unit_in_last_place(model::DType dtype);

/// What is less may be flushed to zero: the smallest normal number of the type that arithmetic is done in,
/// float for bf16 and 8-bit floats.
[[nodiscard]] double smallest_normal(model::DType dtype);

}  // namespace evo::evaluators::oracle
