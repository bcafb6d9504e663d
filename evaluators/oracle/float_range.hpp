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

/// The same of its answer in float, of which there may be none.
[[nodiscard]] bool float_can_take(const model::Case& bound, const Reference& reference,
                                  const std::optional<ReferenceOutputs>& plain);

/// The oracle in float; nullopt where it has none, or no answer.
[[nodiscard]] std::optional<ReferenceOutputs> in_float(const Oracle& oracle, const model::Case& bound,
                                                       const InputBuffers& inputs,
                                                       const Reference& reference);

/// False where the oracle in float gives other integers than in fp64: a quotient that is rounded, say, falls
/// on the other side of a half.
[[nodiscard]] bool float_keeps_integers(const Oracle& oracle, const model::Case& bound,
                                        const InputBuffers& inputs, const Reference& reference);
[[nodiscard]] bool float_keeps_integers(const model::Case& bound, const Reference& reference,
                                        const std::optional<ReferenceOutputs>& plain);

/// False where so many integers of the oracle in float differ that no candidate can be held to them, nor be
/// granted them one by one (undecided.hpp). `chosen`: the data are of the candidate's choosing, which then
/// must not choose a border for all of them: only what is further off than the next integer counts.
[[nodiscard]] bool float_reaches_integers(const model::Case& bound, const Reference& reference,
                                          const std::optional<ReferenceOutputs>& plain, bool chosen);

/// Flushing what is below the normal numbers to 0 is granted everywhere: does it change an output of
/// integers? A scale that is one over a maximum of such numbers is infinite, say. Of sampled rows nothing is
/// asked.
[[nodiscard]] bool integers_hang_on_denormals(const Oracle& oracle, const model::Case& bound,
                                              const InputBuffers& inputs, const Reference& reference);

}  // namespace evo::evaluators::oracle
