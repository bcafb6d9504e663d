// The correctness gate: correct on every case, input set and alignment, and the same at every repetition.
#pragma once

#include <optional>
#include <vector>

#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/job_context.hpp"

namespace evo::evaluators::gates {

/// nullopt when the candidate is correct. `notes` gets what was done beyond every candidate's checks.
[[nodiscard]] std::optional<model::Failure> check_correctness(const JobContext& context,
                                                              std::vector<model::Evidence>& notes);

/// Repetitions of the first case on the first input set must be bit-equal, else nondeterministic /
/// "repeat_differs". Real device: GateSettings::repeated_launches, half of them with a synchronisation after
/// each launch and half back to back. Virtual device: permuted_runs in permuted warp and block orders.
[[nodiscard]] std::optional<model::Failure> check_repeats(const JobContext& context);

}  // namespace evo::evaluators::gates
