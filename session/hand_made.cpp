#include "session/hand_made.hpp"

#include "model/error.hpp"
#include "model/target.hpp"

namespace evo::session {

const model::TargetProfile& target_or_default(const std::string& name) {
  const model::TargetProfile* target = model::find_target(name.empty() ? default_target : name);
  if (target == nullptr)
    throw model::Exception(model::ExitCode::invalid_configuration, "unknown target " + name);
  return *target;
}

model::Workload usual_workload(const model::Problem& problem) {
  if (!problem.check_workloads.empty()) return problem.check_workloads.back();
  return {"initial", 1, {}};
}

model::Experiment hand_made(const std::string& name, model::Problem problem) {
  model::Experiment experiment;
  experiment.name = name;
  experiment.problem = std::move(problem);
  const model::Template& kernel = experiment.problem.templates.front();
  experiment.baseline_template = kernel.name;
  experiment.baseline = kernel.space.initial();
  experiment.accuracy_class = experiment.problem.tolerances.front().accuracy_class;
  experiment.target = target_or_default({});
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
