#include "cli/run_session.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "cli/farm_side.hpp"
#include "cli/served_run.hpp"
#include "cli/signals.hpp"
#include "engine/lead.hpp"
#include "report/class_output.hpp"
#include "report/crew.hpp"
#include "report/economics_output.hpp"
#include "report/insight_screen.hpp"
#include "report/reduction_output.hpp"
#include "report/screen_output.hpp"
#include "report/timing_output.hpp"
#include "session/baseline_hints.hpp"
#include "session/champion_export.hpp"
#include "session/classes_beside.hpp"
#include "session/evaluator_check.hpp"
#include "session/run.hpp"
#include "session/screen_report.hpp"
#include "terminal/champion_report.hpp"
#include "terminal/json_output.hpp"
#include "terminal/model_output.hpp"
#include "terminal/operator_output.hpp"
#include "terminal/oracle_output.hpp"
#include "terminal/progress.hpp"
#include "terminal/template_notes.hpp"
#include "terminal/text_output.hpp"

namespace evo::cli {
namespace {

/// Which gate refused the baseline, with what evidence.
std::string baseline_report(const engine::TrialRecord& trial, const model::Experiment& experiment) {
  return fmt::format("the baseline is not valid: {} at the gate {} ({})\n{}{}", model::name_of(trial.status),
                     trial.gate ? model::name_of(*trial.gate) : "?", trial.reason,
                     terminal::evidence_text(trial.evidence), session::baseline_hints(trial, experiment));
}

/// What the last finalist stood or failed, under the keys that a run always had; those before it under
/// "refused".
void add_finalists(boost::json::object& document, const std::vector<session::Finalist>& finalists) {
  if (finalists.empty()) return;
  boost::json::array refused;
  for (const session::Finalist& finalist : finalists) {
    boost::json::object entry = terminal::to_json(finalist);
    for (const char* key : {"held_out", "robustness", "sanitizer", "correct_for"})
      document[key] = entry.at(key);
    if (!finalist.proof.valid()) refused.push_back(std::move(entry));
  }
  document["refused"] = std::move(refused);
}

}  // namespace

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
  std::string report = terminal::report_text(name, experiment, outcome.meta, outcome.result, outcome.times);
  const engine::Economics economics =
      engine::economics_of(experiment, outcome.trials, ledger.events(),
                           engine::space_exhausted(outcome.result.progress), outcome.proven_champion());
  if (invalid != nullptr) report = baseline_report(*invalid, experiment) + "\n" + report;
  for (const session::Finalist& finalist : outcome.finalists) report += "\n" + terminal::text_of(finalist);
  report += report::reduction_text(outcome.reduction);
  if (outcome.verdict) report += session::text_of(*outcome.verdict);
  report += report::classes_text(outcome.classes);
  if (outcome.proven_champion() != nullptr)
    report += fmt::format("oracle: {}\n", terminal::oracle_text(experiment.problem));
  if (const std::string edits =
          terminal::operators_text(outcome.trials, outcome.proven_champion(), outcome.checks);
      !edits.empty())
    report += "\n" + edits;
  if (const std::string models = terminal::models_text(ledger.events(), outcome.trials); !models.empty())
    report += "\n" + models;
  std::optional<session::InsightSummary> insights;
  if (!outcome.checks.empty()) {
    const engine::SearchSpace space = engine::make_search_space(experiment);
    const session::RunRecords records{outcome.trials, ledger.insights(), ledger.events()};
    insights = session::summarize(records, &space);
    session::add_counter_effects(*insights, records, {}, session::bounded_counters(experiment));
    report += "\n" + report::insight_screen(*insights, false);
  }
  const auto screening = session::screen_report(outcome.trials, ledger.events());
  if (const std::string screened = report::screen_text(screening, outcome.meta.latency_kind);
      !screened.empty())
    report += "\n" + screened;
  report += "\n" + report::economics_text(economics);
  report::Crew crew;
  for (const engine::TrialRecord& trial : outcome.trials) crew.add(trial);
  report += report::crew_text(crew);
  report::RunTimings timings;
  engine::TieHistory ties(experiment.gates.timing_resolution);
  for (const engine::TrialRecord& trial : outcome.trials) {
    timings.add(trial);
    ties.add(trial);
  }
  report += report::timings_text(timings) + report::ties_text(ties);
  if (const engine::TrialRecord* champion = outcome.proven_champion())
    session::write_champion(folder, experiment, outcome.meta, outcome.trials, *champion, outcome.verdict);
  session::write_file_atomically(folder.report(), report);
  if (common.json) {
    boost::json::object document = terminal::run_to_json(name, experiment, outcome.meta, outcome.result);
    document["oracle"] = terminal::oracle_json(experiment.problem);
    document["classes"] = report::classes_json(outcome.classes);
    document["reduced"] = report::reduction_json(outcome.reduction);
    document["screening"] = report::screen_json(screening);
    document["economics"] = report::economics_json(economics);
    document["workers"] = report::to_json(crew);
    document["timings"] = report::to_json(timings);
    document["ties"] = report::to_json(ties);
    document["time"] = terminal::times_to_json(outcome.times);
    document["notes"] = boost::json::array(notes.begin(), notes.end());
    if (invalid != nullptr) {
      document["gate"] = invalid->gate ? std::string(model::name_of(*invalid->gate)) : "";
      document["reason"] = invalid->reason;
      document["evidence"] = terminal::to_json(invalid->evidence);
    }
    add_finalists(document, outcome.finalists);
    if (!settings.farm.url.empty()) document["farm"] = farm.counts_json();
    document["final_verdict"] = outcome.verdict ? boost::json::value(session::to_json(*outcome.verdict))
                                                : boost::json::value(nullptr);
    document["insights"] =
        insights ? boost::json::value(report::insight_summary_json(*insights)) : boost::json::value(nullptr);
    if (engine::has_edits(outcome.trials))
      document["source"] =
          terminal::operators_json(outcome.trials, outcome.proven_champion(), outcome.checks);
    terminal::print_json(document);
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
