// A check of some blocks of a launch (block_sample.hpp): only what they wrote is judged.
#pragma once

#include <optional>

#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/job_context.hpp"

namespace evo::evaluators::gates {

struct SampledVerdict {
  /// False: the blocks need others, one of them wrote nothing, or an output got nothing of them, so that all
  /// have to run. Nothing is said then.
  bool usable = false;
  /// The launch takes too long (stretched_launch.hpp): it is not to be made at all.
  bool left_out = false;
  std::optional<model::Failure> failure;
};

/// Launches check.blocks on the virtual device. What is unwritten elsewhere is no finding; races, bounds and
/// gaps are.
[[nodiscard]] SampledVerdict run_sampled(const JobContext& context, const Check& check, bool conditioned,
                                         const Details& details);

}  // namespace evo::evaluators::gates
