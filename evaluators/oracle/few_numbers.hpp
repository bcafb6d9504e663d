// Cases whose answers all hang on a few integers, or are few.
//
// One position is one angle, one step one power, and one row one variance: a plain implementation may hit
// that by luck, and is then no measure of what a correct kernel errs by. So it is measured on other draws of
// the same inputs, too.
#pragma once

#include <vector>

#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/row_sample.hpp"

namespace evo::evaluators::oracle {

/// Has a small case an array of integers that is given, with 8 elements at most, beside outputs of
/// floating-point numbers?
[[nodiscard]] bool hangs_on_few_integers(const model::Case& bound);

/// Is this output of floating-point numbers so few (4 at most) that the error of one answer says little of
/// what another way to it errs by? Of cases that are answered five times at no cost to speak of.
[[nodiscard]] bool is_of_few_numbers(const model::Case& bound, const model::BoundArgument& output);

/// Are the few numbers of each output as large as those of another draw, within a factor of eight? What
/// nearly cancels in one of them alone is no measure of the other.
[[nodiscard]] bool are_as_large(const model::Case& bound, const ReferenceOutputs& outputs,
                                const ReferenceOutputs& other_outputs);

/// The larger of both errors of each argument; `other` are those of a draw with the answers `other_outputs`,
/// and count for no more than where its outputs were as small as `outputs`.
[[nodiscard]] std::vector<OutputErrors> larger_errors(const std::vector<OutputErrors>& errors,
                                                      const ReferenceOutputs& outputs,
                                                      const std::vector<OutputErrors>& other,
                                                      const ReferenceOutputs& other_outputs);

}  // namespace evo::evaluators::oracle
