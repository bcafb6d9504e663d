#include "session/hand_made.hpp"

#include "session/targets.hpp"

namespace evo::session {

model::Workload usual_workload(const model::Problem& problem) {
  if (!problem.check_workloads.empty()) return problem.check_workloads.back();
  return {"initial", 1, {}};
}

model::Experiment hand_made(const std::string& name, model::Problem problem) {
  model::Experiment experiment;
  experiment.name = name;
  experiment.problem = std::move(problem);
  const model::Template& kernel = model::default_template(experiment.problem);
  experiment.baseline_template = kernel.name;
  experiment.baseline = kernel.space.initial();
  experiment.accuracy_class = experiment.problem.tolerances.front().accuracy_class;
  set_target_or_throw(experiment);
  experiment.device = "auto";
  experiment.workloads = {usual_workload(experiment.problem)};
  return experiment;
}

void use_only(model::Experiment& experiment, const model::Template& kernel) {
  experiment.baseline_template = kernel.name;
  experiment.baseline = kernel.space.initial();
  experiment.problem.templates = {kernel};
}

}  // namespace evo::session
