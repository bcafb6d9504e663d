// What tensor cores may be off by: one rule for gates, `evo bench`, `evo compare` and self-tests of exports.
//
// Tensor cores cut off what they add rather than round it (M. Fasi et al., Numerical behavior of NVIDIA
// tensor cores, section 4.3), half a unit a step on average and always the same way. A plain kernel rounds,
// so that a long sum of a correct kernel errs by more than a plain one (oracle::OutputErrors, plain_errors).
#pragma once

#include <string>
#include <vector>

#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/row_sample.hpp"
#include "model/experiment.hpp"

namespace evo::evaluators::gates {

/// Has the module a matrix product with sums in FP32 (wmma.mma, mma, wgmma.mma_async, tcgen05.mma)?
[[nodiscard]] bool adds_in_tensor_cores(const std::string& ptx);

/// How many terms an output of the case sums over along each of `reduced` (reduced_axes()): of each, 1 where
/// the case has no such axis. The first is always 1.
[[nodiscard]] std::vector<double> terms_along(const std::vector<std::string>& reduced,
                                              const model::Case& bound);

/// What sums of tensor cores over the longest of `reduced` may be off by, as a share of the output: steps of
/// 8 terms, the least that products of 16-bit numbers take.
[[nodiscard]] double cut_off_by_tensor_cores(const std::vector<std::string>& reduced,
                                             const model::Case& bound);

/// `plain`, of the argument whose correct elements are `correct`, and what tensor cores cut off besides
/// (`share`, as above). An output in double or of integers is granted nothing.
[[nodiscard]] oracle::OutputErrors with_cut_off(oracle::OutputErrors plain,
                                                const model::BoundArgument& argument, double share,
                                                const std::vector<double>& correct);

/// reduced_axes() of the experiment's baseline: those that its gates go by. Empty where the baseline is of no
/// template.
[[nodiscard]] std::vector<std::string> reduced_axes_of(const oracle::Catalogue& known,
                                                       const model::Experiment& experiment);

}  // namespace evo::evaluators::gates
