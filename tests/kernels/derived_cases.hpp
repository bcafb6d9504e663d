// The cases that the correctness gate derives from a problem and a workload.
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "evaluators/gates/case_matrix.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/kernels/shipped.hpp"
#include "tests/support/known.hpp"
#include "tests/support/targets.hpp"

namespace evo::evaluators::gates {

/// Read once: tests derive the cases of one problem a hundred times.
inline const model::Problem& problem_of(const std::string& name) {
  static std::map<std::string, model::Problem> read;
  auto found = read.find(name);
  if (found == read.end()) {
    auto loaded = config::load_problem(
        name == "attention_forward" ? name : EVO_SOURCE_DIR "/suites/attacks/problems/" + name,
        tests::shipped_path());
    if (!loaded) throw std::runtime_error(loaded.error().text());
    found = read.emplace(name, std::move(*loaded)).first;
  }
  return found->second;
}

inline model::Experiment experiment_of(const std::string& problem, const model::Workload& workload) {
  model::Experiment experiment;
  experiment.problem = problem_of(problem);
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
