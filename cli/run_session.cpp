#include "cli/run_session.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "cli/farm_side.hpp"
#include "cli/served_run.hpp"
#include "cli/signals.hpp"
#include "session/champion_export.hpp"
#include "session/classes_beside.hpp"
#include "session/evaluator_check.hpp"
#include "session/run.hpp"
#include "terminal/json_output.hpp"
#include "terminal/progress.hpp"
#include "terminal/run_output.hpp"
#include "terminal/template_notes.hpp"

namespace evo::cli {

int run_session(const terminal::CommonOptions& common, const model::Experiment& experiment,
                const session::RunFolder& folder, engine::Ledger& ledger, const RunSettings& settings) {
  engine::CampaignOptions campaign;
  campaign.threads = session::threads_or_cores(settings.threads);
  campaign.device_threads = campaign.threads;
  terminal::Progress progress(
      common, experiment,
      {folder.path.string(), folder.log().string(), settings.explain, settings.look.plain});
  // Before any thread starts, so that all of them leave the signals to the waiter.
  std::function<void(const std::string&)> above_the_panel;
  if (const auto panel = progress.panel()) above_the_panel = [panel](const auto& text) { panel->line(text); };
  campaign.stop = stop_on_signals(std::move(above_the_panel));
  campaign.observer = &progress;
  std::optional<ServedRun> served;
  if (settings.look.serve) {
    served.emplace(folder, settings.look.port);
    fmt::print(stderr, "evo: this run, live: {}\n", served->address());
  }

  session::StackOptions parts;
  parts.threads = campaign.threads;
  parts.input_seed = settings.input_seed;
  parts.run_folder = folder.path.string();
  session::Tell tell;
  if (common.verbose > 0) {
    parts.log = [&progress](const std::string& line) { progress.line(line); };
    tell = [&progress](const std::string& line) { progress.line("evo: " + line); };
  }
  for (const std::string& why : experiment.left_out) fmt::print(stderr, "evo: left out: {}\n", why);
  const std::vector<std::string> notes = terminal::template_notes(experiment);
  if (!common.quiet) {
    for (const std::string& note : notes) fmt::print(stderr, "evo: note: {}\n", note);
  }
  const session::DeviceChoice device =
      session::choose_devices(experiment.device, experiment.target, session::Models::several);
  if (device.of_farm() && settings.farm.url.empty())
    throw model::Exception(
        model::ExitCode::usage,
        "the run's device is the GPUs of a farm's workers: where is the farm? --farm nats://HOST:PORT");
  FarmSide farm(settings.farm, experiment, folder, common, progress);
  campaign.device_threads =
      farm.device_threads(std::max(campaign.threads, static_cast<int>(device.gpus.size())));
  campaign.ahead = !device.gpus.empty() || device.of_farm();
  campaign.pairings = std::max(1, static_cast<int>(device.gpus.size()));
  campaign.threads = farm.device_threads(campaign.threads);
  if (!common.quiet) parts.notes = [&progress](const std::string& line) { progress.line("evo: " + line); };
  session::StackParts own_parts = session::real_parts(experiment.target, device, parts);
  const auto compiler = own_parts.compiler;
  session::EvaluationStack stack(experiment, farm.join(std::move(own_parts), parts.threads, campaign.stop),
                                 parts.input_seed);
  campaign.farm_cost = farm.cost();
  campaign.pairings_elsewhere = farm.comparisons();
  progress.phase("testing the evaluator itself on this problem");
  session::require_sound_evaluator(experiment, stack, settings.input_seed, tell);
  progress.set_device(stack.ladder().info().device_name);
  if (ledger.meta()) progress.know(ledger.trials());
  session::ClassesBeside beside;
  if (!device.others.empty()) progress.phase("testing the evaluator on GPUs of other models");
  beside.classes =
      session::make_classes(experiment, device.others, parts, compiler, experiment.budget.trials);
  beside.tell = parts.notes;
  const session::RunOutcome outcome = session::run_to_the_end(experiment, stack, ledger, settings.input_seed,
                                                              campaign, settings.idle_checks, beside);
  const engine::TrialRecord* invalid = outcome.invalid_baseline();
  if (invalid != nullptr && settings.mends && settings.mends(*invalid)) {
    progress.finish("begins again");
    return begin_again;
  }
  progress.finish(std::string(engine::name_of(outcome.result.status)));
  farm.tell_counts();

  const std::string name = folder.path.string();
  const terminal::RunOutput output(name, experiment, outcome, ledger);
  const std::string report = output.text();
  if (const engine::TrialRecord* champion = outcome.proven_champion())
    session::write_champion(folder, experiment, outcome.meta, outcome.trials, *champion, outcome.verdict);
  session::write_file_atomically(folder.report(), report);
  if (common.json) {
    std::optional<boost::json::object> through_farm;
    if (!settings.farm.url.empty()) through_farm = farm.counts_json();
    terminal::print_json(output.document(notes, through_farm));
  } else {
    fmt::print("{}", report);
  }
  if (outcome.proven_champion() != nullptr && !common.quiet)
    fmt::print(stderr, "evo: the champion is in {}; evo report {} -o report.html shows the run\n",
               folder.champion().string(), name);
  if (outcome.interrupted()) {
    fmt::print(stderr, "evo: interrupted; everything so far is kept. Continue with: evo resume {}\n", name);
  }
  return static_cast<int>(outcome.exit_code());
}

}  // namespace evo::cli
