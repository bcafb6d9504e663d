// Can a plain kernel in float take these inputs at all?
#pragma once

#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/row_sample.hpp"

namespace evo::evaluators::oracle {

/// False where the oracle itself, computed in float, is far off its fp64 answer: a square or a sum on the way
/// leaves the range, though the answer does not. Nobody may be refused for that on data that no problem
/// declares. True where the oracle has no form in float (`reference` is then all that is known).
[[nodiscard]] bool float_can_take(const Oracle& oracle, const model::Case& bound, const InputBuffers& inputs,
                                  const Reference& reference);

/// False where the oracle in float gives other integers than in fp64: a quotient that is rounded, say, falls
/// on the other side of a half.
[[nodiscard]] bool float_keeps_integers(const Oracle& oracle, const model::Case& bound,
                                        const InputBuffers& inputs, const Reference& reference);

}  // namespace evo::evaluators::oracle
