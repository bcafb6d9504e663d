// The cases that the correctness gate derives from a problem and a workload.
#pragma once

#include <algorithm>

#include <gtest/gtest.h>

#include "evaluators/gates/case_matrix.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/kernels/shipped.hpp"
#include "tests/support/known.hpp"
#include "tests/support/targets.hpp"

namespace evo::evaluators::gates {

inline model::Experiment experiment_of(const std::string& problem, const model::Workload& workload) {
  model::Experiment experiment;
  const auto loaded = config::load_problem(
      problem == "attention_forward" ? problem : EVO_SOURCE_DIR "/suites/attacks/problems/" + problem,
      tests::shipped_path());
  if (!loaded) throw std::runtime_error(loaded.error().text());
  experiment.problem = *loaded;
  experiment.workloads = {workload};
  tests::set_shipped_target(experiment, "l4");
  return experiment;
}

struct Derived {
  Derived(const std::string& problem, const model::Workload& workload, std::uint64_t entropy,
          bool more = false, bool crossed = true)
      : experiment(experiment_of(problem, workload)),
        context(make_context(experiment, experiment.problem.templates.front())),
        cases(derive_cases(context, context.space.initial(), {}, entropy, {more, false, 0, crossed})) {}
  [[nodiscard]] std::vector<const model::Case*> of(CaseUse use) const {
    std::vector<const model::Case*> found;
    for (const DerivedCase& derived : cases) {
      if (derived.use == use) found.push_back(&derived.bound);
    }
    return found;
  }
  model::Experiment experiment;
  TemplateContext context;
  std::vector<DerivedCase> cases;
};

inline const model::Workload attention{
    "w", 1, {{"batch", 2}, {"heads", 8}, {"seq", 512}, {"head_dim", 64}, {"causal", 0}}};

inline std::size_t index_of(const model::Case& bound, const std::string& name) {
  const auto found =
      std::find_if(bound.arguments.begin(), bound.arguments.end(),
                   [&](const model::BoundArgument& argument) { return argument.name == name; });
  return static_cast<std::size_t>(found - bound.arguments.begin());
}

}  // namespace evo::evaluators::gates
