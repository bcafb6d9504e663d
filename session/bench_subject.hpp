// What `evo bench` measures: variants of a run, or an experiment's baseline, on any workload of the problem.
#pragma once

#include <string>
#include <vector>

#include "evaluators/benchmark/kernel_contender.hpp"
#include "evaluators/compile/compiler.hpp"
#include "model/experiment.hpp"

namespace evo::session {

struct BenchVariant {
  std::string label;  ///< "champion", "baseline", or the variant's id
  std::string id, template_name;
  model::Genome genome;
};

struct BenchSubject {
  std::string run;  ///< empty for an experiment
  model::Experiment experiment;
  std::vector<BenchVariant> variants;  ///< champion first where there is one, then the baseline
};

/// Reads a run folder or an experiment. Throws model::Exception: (usage) when the run holds no champion, the
/// subject is neither, or a variant is not in the run or not proven; (verification_failed) when the problem's
/// source no longer gives the variant that was proven.
[[nodiscard]] BenchSubject read_bench_subject(const std::string& path,
                                              const std::vector<std::string>& variants);

/// `genome` of the subject's problem, bound to another workload; the error says why it is not legal there.
[[nodiscard]] evaluators::benchmark::Attempt<model::Case> bind_for(const model::Experiment& experiment,
                                                                   const BenchVariant& variant,
                                                                   const model::Workload& workload);
/// As above, compiled for `arch`.
[[nodiscard]] evaluators::benchmark::Attempt<evaluators::benchmark::BoundKernel> compile_for(
    evaluators::compile::Compiler& compiler, const model::Experiment& experiment, const BenchVariant& variant,
    const model::Workload& workload, const std::string& arch);

/// The problem's sweep of that name; the first for "". Throws model::Exception(usage) where there is none.
[[nodiscard]] const model::Sweep& find_sweep(const model::Problem& problem, const std::string& name);

}  // namespace evo::session
