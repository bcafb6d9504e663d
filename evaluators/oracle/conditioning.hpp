// How much the answer moves when the inputs move a little: what a backward-stable kernel may be off by.
//
// On structured inputs (spikes, cancellation, mixed magnitudes) the error of a correct kernel follows the
// data: a sum that cancels keeps the rounding of its terms, an exponential of 100 multiplies a relative error
// of it by 100. A fixed bound is then too tight for correct kernels or too loose for wrong ones. Backward
// error is the usual answer (Higham, Accuracy and Stability of Numerical Algorithms, chapter 1): a kernel is
// correct if its output is the exact output of inputs that are off by the accuracy class's relative error. So
// the reference is computed again on inputs that are off by as much, and what it moves by is granted besides
// the class's bounds.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/row_sample.hpp"

namespace evo::evaluators::oracle {

/// Of each argument (zeros for what is no output): how far the reference moves, on the rows that it holds,
/// when every floating-point input element is changed by `relative` of itself, up or down as `entropy` draws,
/// and rounded to its type; the largest of two such draws, of six where an output has four elements at most.
/// Nothing where the oracle has no answer to other
/// inputs (recorded arrays). `held` as in moved_inputs(). Error: what the oracle cannot take.
[[nodiscard]] model::Expected<std::vector<OutputErrors>> measure_conditioning(
    const Oracle& oracle, const model::Case& bound, const InputBuffers& inputs, const Reference& reference,
    double relative, std::uint64_t entropy, const std::vector<double>& held = {});

/// `inputs` with every floating-point element changed by `relative` of itself, up or down as `entropy` and
/// `draw` have it, and rounded to its type. Elements of an argument whose fill is no range of such numbers,
/// and those that would leave it, stay as they are; and those that are one of `held` (ascending), whatever
/// their sign: what no rounding has a part in (compared_values.hpp).
[[nodiscard]] InputBuffers moved_inputs(const model::Case& bound, const InputBuffers& inputs, double relative,
                                        std::uint64_t entropy, std::uint64_t draw,
                                        const std::vector<double>& held = {});

/// What one rounding of a 32- or 64-bit floating-point input is, relatively (the narrowest input counts): no
/// kernel that computes in that type can be held to less. 0 without such inputs: 16-bit ones are widened
/// before anything is rounded.
[[nodiscard]] double rounding_of_inputs(const model::Case& bound);

/// How far off a kernel's inputs may seem, relatively, where its answer is judged by that: the class's bound,
/// but for one that is a mere ceiling. Numbers at the ends of ranges that the problem declares are as
/// ordinary as any: two roundings, where nothing is of 16 bits or fewer.
[[nodiscard]] double backward_error(const model::Tolerance& tolerance, const model::Case& bound,
                                    const model::InputSet& set);

/// What one rounding of a 16- or 8-bit floating-point input is, relatively, for a case whose outputs have few
/// elements (2048 at most, all together) and whose inputs are no more than 65536; else 0. A bound on the
/// error of an output holds for the mean of many elements. Of few, one that hangs on the roundings on its way
/// (two weights that nearly tie) decides alone, and a correct kernel would be refused on one draw of some
/// thousands.
[[nodiscard]] double rounding_of_few(const model::Case& bound);

/// False if an output's reference is not finite or beyond the largest number of its type: such inputs are
/// outside of what the problem can be asked.
[[nodiscard]] bool representable(const model::Case& bound, const Reference& reference);

/// The largest magnitude of an output, as a share of the largest number of its type; the most of all outputs
/// but those in FP16, which are sums in a type with a wider range.
[[nodiscard]] double share_of_range(const model::Case& bound, const Reference& reference);

/// `inputs` with 0 for each floating-point element that is no normal number of its type.
[[nodiscard]] InputBuffers flushed(const model::Case& bound, const InputBuffers& inputs);

/// `inputs` without their signs: what sums of them and of their products cannot exceed.
[[nodiscard]] InputBuffers magnitudes(const model::Case& bound, const InputBuffers& inputs);

}  // namespace evo::evaluators::oracle
