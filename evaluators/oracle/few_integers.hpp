// Cases whose answers all hang on a few integers.
//
// One position is one angle, and one step one power: a plain implementation may hit that by luck, and is then
// no measure of what a correct kernel errs by. So it is measured on other draws of the same inputs, too.
#pragma once

#include <vector>

#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/row_sample.hpp"

namespace evo::evaluators::oracle {

/// Has a small case an array of integers that is given, with 8 elements at most, beside outputs of
/// floating-point numbers?
[[nodiscard]] bool hangs_on_few_integers(const model::Case& bound);

/// The larger of both errors of each argument; `other` are those of a draw with the answers `other_outputs`,
/// and count for no more than where its outputs were as small as `outputs`.
[[nodiscard]] std::vector<OutputErrors> larger_errors(const std::vector<OutputErrors>& errors,
                                                      const ReferenceOutputs& outputs,
                                                      const std::vector<OutputErrors>& other,
                                                      const ReferenceOutputs& other_outputs);

}  // namespace evo::evaluators::oracle
