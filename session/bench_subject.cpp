#include "session/bench_subject.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "config/nearest.hpp"
#include "engine/search_space.hpp"
#include "evaluators/gates/compile.hpp"
#include "evaluators/gates/legality.hpp"
#include "model/error.hpp"
#include "model/hash.hpp"
#include "session/load.hpp"
#include "session/run_folder.hpp"
#include "session/variants.hpp"

namespace evo::session {
namespace {

namespace fs = std::filesystem;
using evaluators::benchmark::Attempt;
using evaluators::benchmark::BoundKernel;
using evaluators::benchmark::line_of;

BenchVariant variant_of(const model::Experiment& experiment, const engine::TrialRecord& trial,
                        const std::string& label) {
  static_cast<void>(proven_variant(experiment, trial, "measured"));
  return {label, trial.variant, trial.template_name, trial.genome};
}

BenchSubject subject_of_run(const std::string& path, const std::vector<std::string>& names) {
  BenchSubject subject;
  OpenedRun run = open_run(path);
  subject.run = path;
  subject.experiment = std::move(run.experiment);
  const auto ledger = open_ledger_for_reading(run.folder);
  const std::vector<engine::TrialRecord> trials = ledger->trials();
  const std::vector<engine::EventRecord> events = ledger->events();
  const auto add = [&](const std::string& name, const std::string& label) {
    const engine::TrialRecord trial = find_variant(trials, name, events);
    const bool known = std::any_of(subject.variants.begin(), subject.variants.end(),
                                   [&](const BenchVariant& other) { return other.id == trial.variant; });
    if (!known) subject.variants.push_back(variant_of(subject.experiment, trial, label));
  };
  add("champion", "champion");
  add("baseline", "baseline");
  for (const std::string& name : names) add(name, name);
  return subject;
}

}  // namespace

BenchSubject read_bench_subject(const std::string& path, const std::vector<std::string>& variants) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return subject_of_run(path, variants);
  if (!fs::exists(path, ignored)) {
    throw model::Exception(model::ExitCode::usage,
                           fmt::format("{} is no run folder and no experiment", path));
  }
  if (!variants.empty()) {
    throw model::Exception(model::ExitCode::usage,
                           "--variant needs a run folder: an experiment has no variants");
  }
  BenchSubject subject;
  subject.experiment = load_experiment_or_throw(path, {});
  const model::Experiment& experiment = subject.experiment;
  const engine::SearchSpace space = engine::make_search_space(experiment);
  const engine::SearchTemplate* entry = space.find(experiment.baseline_template);
  subject.variants.push_back(
      {"baseline", model::make_variant(entry->kernel_template, entry->space, experiment.baseline).id,
       experiment.baseline_template, experiment.baseline});
  return subject;
}

namespace {

/// An experiment of one workload with the variant's template bound to it.
struct Bound {
  model::Experiment experiment;
  evaluators::gates::TemplateContext context;
  model::Variant variant;
  model::Case workload;
};

Attempt<std::unique_ptr<Bound>> bind(const model::Experiment& experiment, const BenchVariant& variant,
                                     const model::Workload& workload) {
  auto bound = std::make_unique<Bound>();
  bound->experiment = experiment;
  bound->experiment.workloads = {workload};
  const model::Template* kernel = bound->experiment.problem.find_template(variant.template_name);
  if (kernel == nullptr) return tl::make_unexpected("no template " + variant.template_name);
  bound->context = evaluators::gates::make_context(bound->experiment, *kernel);
  bound->variant = model::make_variant(*kernel, bound->context.space, variant.genome);
  auto legal = evaluators::gates::check_legality(bound->context, bound->variant);
  if (!legal) return tl::make_unexpected(line_of(legal.error()));
  bound->workload = std::move(legal->workloads.front());
  return bound;
}

}  // namespace

Attempt<model::Case> bind_for(const model::Experiment& experiment, const BenchVariant& variant,
                              const model::Workload& workload) {
  auto bound = bind(experiment, variant, workload);
  if (!bound) return tl::make_unexpected(bound.error());
  return std::move((*bound)->workload);
}

Attempt<BoundKernel> compile_for(evaluators::compile::Compiler& compiler, const model::Experiment& experiment,
                                 const BenchVariant& variant, const model::Workload& workload,
                                 const std::string& arch) {
  auto bound = bind(experiment, variant, workload);
  if (!bound) return tl::make_unexpected(bound.error());
  auto compiled = evaluators::gates::compile_variant(compiler, (*bound)->context, (*bound)->variant, arch);
  if (!compiled) return tl::make_unexpected(line_of(compiled.error()));
  return BoundKernel{compiled->device_artifact ? *compiled->device_artifact : compiled->artifact,
                     std::move((*bound)->workload)};
}

const model::Sweep& find_sweep(const model::Problem& problem, const std::string& name) {
  if (problem.sweeps.empty()) {
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("--sweep: the problem {} has no `sweeps` in its problem.yaml", problem.name));
  }
  if (name.empty()) return problem.sweeps.front();
  std::vector<std::string> known;
  for (const model::Sweep& sweep : problem.sweeps) {
    if (sweep.name == name) return sweep;
    known.push_back(sweep.name);
  }
  throw model::Exception(model::ExitCode::usage,
                         fmt::format("--sweep: the problem {} has no sweep '{}'{}", problem.name, name,
                                     config::suggestion(name, known)));
}

}  // namespace evo::session
