// Experiments that no file describes: put together around a problem, for `check`, `diagnose`, the evaluator's
// self-test and the suites.
#pragma once

#include <string>

#include "model/experiment.hpp"

namespace evo::session {

/// The last of the problem's odd shapes, which has tails and several tiles; without any, the axes' initial
/// values.
[[nodiscard]] model::Workload usual_workload(const model::Problem& problem);

/// An experiment of the problem's default template at its initial genome, its first accuracy class,
/// usual_workload(), model::default_target and device auto. Call config::complete_workloads() when its
/// workloads are settled.
[[nodiscard]] model::Experiment hand_made(const std::string& name, model::Problem problem);

/// Makes `kernel` the experiment's only template, with its initial genome as the baseline.
void use_only(model::Experiment& experiment, const model::Template& kernel);

}  // namespace evo::session
