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

}  // namespace evo::evaluators::oracle
