// Sums whose value depends on the order in which threads come.
#pragma once

#include <vector>

#include "evaluators/gates/evidence.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "model/artifact.hpp"
#include "model/experiment.hpp"

namespace evo::evaluators::gates {

/// Where the artifact's PTX adds floating-point numbers atomically, in global or shared memory (atom and red
/// with .add on f16, bf16, f32, f64 and their vectors, and the reductions of bulk copies): one piece of
/// evidence "float_atomic" for each source line. Integer atomics are not among them: their sums are the same
/// in every order. Nor are exchanges and compare-and-swap, of which the text does not tell what they are for.
[[nodiscard]] std::vector<model::Evidence> float_atomics(const model::Artifact& artifact);

/// Each shape in the natural order and then in settings.permuted_runs permuted warp and block orders on the
/// same inputs: nondeterministic / "repeat_differs" where an output has other bits, with `atomics` as
/// evidence. A GPU may come in the same order a thousand times and in another one in production, so its own
/// repetitions do not tell. `device` is virtual.
[[nodiscard]] std::optional<model::Failure> check_orders(devices::Device& device, devices::ModuleId module,
                                                         const std::vector<model::Case>& shapes,
                                                         const oracle::InputSource& inputs,
                                                         const model::GateSettings& settings,
                                                         const std::vector<model::Evidence>& atomics);

}  // namespace evo::evaluators::gates
