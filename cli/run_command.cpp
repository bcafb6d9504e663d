// evo run EXPERIMENT
#include <filesystem>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "cli/run_session.hpp"
#include "cli/verbs.hpp"
#include "engine/search_space.hpp"
#include "evaluators/gates/counter_bounds.hpp"
#include "model/error.hpp"
#include "session/load.hpp"
#include "session/new_run.hpp"
#include "session/priors.hpp"
#include "session/run_folder.hpp"
#include "terminal/json_output.hpp"

namespace evo::cli {
namespace {

config::Overrides overrides_of(const RunOptions& run) {
  config::Overrides overrides = session::parse_overrides(run.set);
  if (run.seed) overrides.emplace_back("search.seed", std::to_string(*run.seed));
  if (run.input_seed) overrides.emplace_back("input_seed", std::to_string(*run.input_seed));
  if (!run.device.empty()) overrides.emplace_back("device", run.device);
  return overrides;
}

/// Of a Space's counts.
std::string count_text(std::uint64_t count) {
  return count == std::numeric_limits<std::uint64_t>::max() ? "2^64 - 1 or more" : std::to_string(count);
}

/// What a run would do: spaces with their sizes, workloads, budget.
int print_plan(const terminal::CommonOptions& common, const model::Experiment& experiment,
               const session::DeviceChoice& device) {
  const engine::SearchSpace space = engine::make_search_space(experiment);
  boost::json::array templates;
  std::string text = fmt::format("experiment {}: problem {}, target {}, device {}\n", experiment.name,
                                 experiment.problem.name, experiment.target.name, device.id);
  if (!device.note.empty()) text += fmt::format("  {}\n", device.note);
  for (const engine::SearchTemplate& entry : space.templates) {
    const std::uint64_t all = entry.space.count_all();
    const auto [legal, strong] = entry.space.count_legal();
    text += fmt::format("template {}: {} combinations, {} legal, {} of them without a weakened barrier\n",
                        entry.kernel_template.name, count_text(all), count_text(legal), count_text(strong));
    boost::json::array starts;
    for (const model::TemplateDesign& start : entry.kernel_template.initial_designs) {
      if (!entry.space.legal(start.genome)) continue;
      text += fmt::format("  start {}: {}\n", start.name, start.description);
      starts.emplace_back(start.name);
    }
    templates.push_back({{"name", entry.kernel_template.name},
                         {"combinations", all},
                         {"legal", legal},
                         {"legal_full_sync", strong},
                         {"starts", std::move(starts)}});
  }
  boost::json::array starts;
  for (const model::InitialDesign& start : space.initial_designs) {
    text += fmt::format("start of {}: {} {}\n", start.origin, start.template_name, start.genome.text());
    starts.push_back({{"template", start.template_name}, {"origin", start.origin}});
  }
  boost::json::array left_out;
  for (const std::string& why : experiment.left_out) {
    text += fmt::format("left out: {}\n", why);
    left_out.emplace_back(why);
  }
  for (const model::Workload& workload : experiment.workloads) {
    std::string axes;
    for (const auto& [axis, value] : workload.axes) axes += fmt::format(" {}={}", axis, value);
    text += fmt::format("workload {} (weight {}):{}\n", workload.name, workload.weight, axes);
  }
  text += fmt::format("baseline {}: {}\nbudget: {} trials\n", experiment.baseline_template,
                      experiment.baseline.text(), experiment.budget.trials);
  if (common.json) {
    terminal::print_json(boost::json::object{{"experiment", experiment.name},
                                             {"device", device.id},
                                             {"target", experiment.target.name},
                                             {"templates", std::move(templates)},
                                             {"starts", std::move(starts)},
                                             {"left_out", std::move(left_out)},
                                             {"trials", experiment.budget.trials}});
  } else {
    fmt::print("{}", text);
  }
  return 0;
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
    return print_plan(options.common, experiment, device);
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
