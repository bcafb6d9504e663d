// Answers that are infinite for finite inputs.
#pragma once

#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/row_sample.hpp"

namespace evo::evaluators::oracle {

[[nodiscard]] bool has_nan(const Reference& reference);
[[nodiscard]] bool has_infinity(const Reference& reference);

/// Is each infinity of the answer a pole: the logarithm of an empty sum, a quotient by 0? Then the answer to
/// the same inputs, made a thousand times smaller, has it too, while one that large numbers make is gone.
/// Kernels that take such numbers may differ in where they overflow; at a pole they do not. What a constant
/// makes infinite, exp(1000), counts as one. False where the answer or an input holds NaN, an input infinity,
/// of sampled rows, and where the oracle has no answer to smaller ones.
[[nodiscard]] bool are_poles(const Oracle& oracle, const model::Case& bound, const InputBuffers& inputs,
                             const Reference& reference);

/// The outputs with 0 in the place of each infinity of `reference`, which has as many elements.
[[nodiscard]] ReferenceOutputs without_infinities(ReferenceOutputs outputs, const Reference& reference);

}  // namespace evo::evaluators::oracle
