// Diagnoses with the real compiler, in this process, on the virtual device.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "config/loader.hpp"
#include "diagnose/diagnose.hpp"
#include "diagnose/report.hpp"
#include "tests/kernels/on_ladder.hpp"
#include "tests/support/known.hpp"
#include "tests/support/targets.hpp"

namespace evo::tests {

inline model::Problem fixture_problem(const std::string& name) {
  auto problem = config::load_problem(EVO_SOURCE_DIR "/tests/diagnose/fixtures/" + name, {});
  if (!problem) throw std::runtime_error(problem.error().text());
  return std::move(*problem);
}

/// A subject around one template of a problem; the first accuracy class.
inline diagnose::Subject make_subject(const model::Problem& problem, const std::string& name,
                                      const Genes& genes = {},
                                      const std::optional<std::string>& source = std::nullopt) {
  model::Experiment experiment;
  experiment.problem = problem;
  tests::set_shipped_target(experiment, "l4");
  experiment.accuracy_class = problem.tolerances.front().accuracy_class;
  experiment.workloads = {problem.check_workloads.back()};
  config::complete_workloads(experiment);
  const model::Template& kernel = *problem.find_template(name);
  return diagnose::make_subject(experiment, name, with_genes(kernel.space.initial(), genes),
                                evo::tests::known(), source, source ? kernel.source_file : std::string());
}

inline diagnose::Diagnosis run_diagnosis(const diagnose::Subject& subject, double seconds = 60) {
  InProcessCompiler compiler;
  const model::TargetProfile target = subject.target;
  diagnose::Lab lab(
      subject, compiler, [target] { return std::make_unique<evaluators::devices::VirtualDevice>(target); },
      seconds);
  return diagnose::diagnose(lab);
}

/// "" when nothing is stated.
inline std::string first_cause(const diagnose::PostMortem& report) {
  return report.causes.empty() ? std::string() : std::string(report.causes.front().rule->name);
}

}  // namespace evo::tests
