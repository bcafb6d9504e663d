// evo run EXPERIMENT
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "cli/run_session.hpp"
#include "cli/verbs.hpp"
#include "evaluators/gates/counter_bounds.hpp"
#include "model/error.hpp"
#include "session/load.hpp"
#include "session/new_run.hpp"
#include "session/priors.hpp"
#include "session/run_folder.hpp"
#include "terminal/plan_output.hpp"

namespace evo::cli {
namespace {

config::Overrides overrides_of(const RunOptions& run) {
  config::Overrides overrides = session::parse_overrides(run.set);
  if (run.seed) overrides.emplace_back("search.seed", std::to_string(*run.seed));
  if (run.input_seed) overrides.emplace_back("input_seed", std::to_string(*run.input_seed));
  if (!run.device.empty()) overrides.emplace_back("device", run.device);
  return overrides;
}

}  // namespace

int run_command(const Options& options) {
  const RunOptions& run = options.run;
  model::Experiment experiment = session::load_experiment_or_throw(run.experiment, overrides_of(run));
  for (const std::string& note : session::take_priors(experiment)) {
    if (!options.common.quiet) fmt::print(stderr, "evo: priors: {}\n", note);
  }
  const session::DeviceChoice device = session::take_devices(experiment);
  if (run.dry_run) {
    // As a run's ladder does; a farm's run, too, counts on its own machine.
    const bool modelled = device.gpus.empty();
    evaluators::gates::refuse_unjudgeable(
        experiment.gates.counters, modelled ? model::CounterBasis::modelled : model::CounterBasis::measured);
    terminal::print_plan(options.common, experiment, device);
    return 0;
  }
  if (!device.note.empty() && !options.common.quiet) fmt::print(stderr, "evo: {}\n", device.note);
  const session::RunFolder folder = session::create_run(
      run.run_dir.empty() ? session::new_run_path(experiment.name) : std::filesystem::path(run.run_dir));
  session::NewRun begun(folder, experiment);
  RunSettings settings;
  settings.threads = run.threads;
  settings.explain = run.explain;
  settings.look = run.look;
  settings.farm = run.farm;
  settings.idle_checks = run.idle_checks;
  settings.input_seed = experiment.input_seed ? *experiment.input_seed : session::draw_entropy();
  return run_session(options.common, experiment, folder, begun.ledger(), settings);
}

}  // namespace evo::cli
