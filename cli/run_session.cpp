#include "cli/run_session.hpp"

#include <fmt/format.h>

#include "cli/champion_report.hpp"
#include "cli/json_output.hpp"
#include "cli/operator_output.hpp"
#include "cli/oracle_output.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "cli/template_notes.hpp"
#include "cli/text_output.hpp"
#include "session/champion_export.hpp"
#include "session/evaluator_check.hpp"
#include "session/run.hpp"

namespace evo::cli {
namespace {

/// Which gate refused the baseline, with what evidence.
std::string baseline_report(const engine::TrialRecord& trial) {
  return fmt::format("the baseline is not valid: {} at the gate {} ({})\n{}", model::name_of(trial.status),
                     trial.gate ? model::name_of(*trial.gate) : "?", trial.reason,
                     evidence_text(trial.evidence));
}

/// What the last finalist stood or failed, under the keys that a run always had; those before it under
/// "refused".
void add_finalists(boost::json::object& document, const std::vector<session::Finalist>& finalists) {
  if (finalists.empty()) return;
  boost::json::array refused;
  for (const session::Finalist& finalist : finalists) {
    boost::json::object entry = to_json(finalist);
    for (const char* key : {"held_out", "robustness", "sanitizer", "correct_for"})
      document[key] = entry.at(key);
    if (!finalist.proof.valid()) refused.push_back(std::move(entry));
  }
  document["refused"] = std::move(refused);
}

}  // namespace

int run_session(const CommonOptions& common, const model::Experiment& experiment,
                const session::RunFolder& folder, engine::Ledger& ledger, const RunSettings& settings) {
  engine::CampaignOptions campaign;
  campaign.threads = session::threads_or_cores(settings.threads);
  campaign.device_threads = campaign.threads;
  // Before any thread starts, so that all of them leave the signals to the waiter.
  campaign.stop = stop_on_signals();
  Progress progress(common, experiment, folder.log().string(), settings.explain);
  campaign.observer = &progress;

  session::StackOptions parts;
  parts.threads = campaign.threads;
  parts.input_seed = settings.input_seed;
  session::Tell tell;
  if (common.verbose > 0) {
    parts.log = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
    tell = [](const std::string& line) { fmt::print(stderr, "evo: {}\n", line); };
  }
  for (const std::string& why : experiment.left_out) fmt::print(stderr, "evo: left out: {}\n", why);
  const std::vector<std::string> notes = template_notes(experiment);
  if (!common.quiet) {
    for (const std::string& note : notes) fmt::print(stderr, "evo: note: {}\n", note);
  }
  const session::DeviceChoice device = session::choose_device(experiment.device, experiment.target);
  session::EvaluationStack stack(experiment, device, parts);
  session::require_sound_evaluator(experiment, stack, settings.input_seed, tell);
  const session::RunOutcome outcome =
      session::run_to_the_end(experiment, stack, ledger, settings.input_seed, campaign);

  const std::string name = folder.path.string();
  std::string report = report_text(name, experiment, outcome.meta, outcome.result, outcome.times);
  const engine::TrialRecord* invalid = outcome.invalid_baseline();
  if (invalid != nullptr) report = baseline_report(*invalid) + "\n" + report;
  for (const session::Finalist& finalist : outcome.finalists) report += "\n" + text_of(finalist);
  if (outcome.proven_champion() != nullptr)
    report += fmt::format("oracle: {}\n", oracle_text(experiment.problem));
  if (const std::string edits = operators_text(outcome.trials, outcome.proven_champion()); !edits.empty())
    report += "\n" + edits;
  if (const engine::TrialRecord* champion = outcome.proven_champion())
    session::write_champion(folder, experiment, outcome.meta, outcome.trials, *champion);
  session::write_file_atomically(folder.report(), report);
  if (common.json) {
    boost::json::object document = run_to_json(name, experiment, outcome.meta, outcome.result);
    document["oracle"] = oracle_json(experiment.problem);
    document["time"] = times_to_json(outcome.times);
    document["notes"] = boost::json::array(notes.begin(), notes.end());
    if (invalid != nullptr) {
      document["gate"] = invalid->gate ? std::string(model::name_of(*invalid->gate)) : "";
      document["reason"] = invalid->reason;
      document["evidence"] = to_json(invalid->evidence);
    }
    add_finalists(document, outcome.finalists);
    if (engine::has_edits(outcome.trials))
      document["source"] = operators_json(outcome.trials, outcome.proven_champion());
    print_json(document);
  } else {
    fmt::print("{}", report);
  }
  if (outcome.interrupted()) {
    fmt::print(stderr, "evo: interrupted; everything so far is kept. Continue with: evo resume {}\n", name);
  }
  return static_cast<int>(outcome.exit_code());
}

}  // namespace evo::cli
