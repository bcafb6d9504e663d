#include "cli/run_session.hpp"

#include <algorithm>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "cli/assembly.hpp"
#include "cli/champion.hpp"
#include "cli/champion_proof.hpp"
#include "cli/evaluator_check.hpp"
#include "cli/json_output.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "cli/text_output.hpp"
#include "engine/campaign.hpp"
#include "evaluators/gates/ladder.hpp"
#include "model/error.hpp"

namespace evo::cli {
namespace {

model::ExitCode exit_code_of(engine::CampaignStatus status) {
  switch (status) {
    case engine::CampaignStatus::done:
    case engine::CampaignStatus::budget:
      return model::ExitCode::done;
    case engine::CampaignStatus::interrupted:
      return model::ExitCode::interrupted;
    case engine::CampaignStatus::no_valid_candidate:
      return model::ExitCode::no_valid_candidate;
    case engine::CampaignStatus::baseline_invalid:
      return model::ExitCode::verification_failed;
  }
  return model::ExitCode::failed;
}

/// Which gate refused the baseline, with what evidence.
std::string baseline_report(const engine::TrialRecord& trial) {
  return fmt::format("the baseline is not valid: {} at the gate {} ({})\n{}", model::name_of(trial.status),
                     trial.gate ? model::name_of(*trial.gate) : "?", trial.reason,
                     evidence_text(trial.evidence));
}

/// Once each, also when a run that has ended is resumed.
void keep_events(engine::Ledger& ledger, const std::vector<Finalist>& finalists) {
  const std::vector<engine::EventRecord> known = ledger.events();
  engine::Commit commit;
  for (const Finalist& finalist : finalists) {
    engine::EventRecord event = event_of(finalist);
    const bool again = std::any_of(known.begin(), known.end(), [&](const engine::EventRecord& other) {
      return other.kind == event.kind && other.trial == event.trial && other.details == event.details;
    });
    if (!again) commit.events.push_back(std::move(event));
  }
  if (!commit.events.empty()) ledger.commit(commit);
}

/// What the last finalist stood or failed, under the keys that a run always had; those before it under
/// "refused".
void add_finalists(boost::json::object& document, const std::vector<Finalist>& finalists) {
  if (finalists.empty()) return;
  boost::json::array refused;
  for (const Finalist& finalist : finalists) {
    boost::json::object entry = to_json(finalist);
    for (const char* key : {"held_out", "robustness", "sanitizer", "correct_for"})
      document[key] = entry.at(key);
    if (!finalist.proof.valid()) refused.push_back(std::move(entry));
  }
  document["refused"] = std::move(refused);
}

}  // namespace

int threads_or_cores(int threads) {
  return threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

int run_session(const CommonOptions& common, const model::Experiment& experiment, const RunFolder& folder,
                engine::Ledger& ledger, const SessionOptions& options) {
  engine::CampaignOptions campaign;
  campaign.threads = threads_or_cores(options.threads);
  campaign.device_threads = campaign.threads;
  // Before any thread starts, so that all of them leave the signals to the waiter.
  campaign.stop = stop_on_signals();
  Progress progress(common, experiment, folder.log().string(), options.explain);
  campaign.observer = &progress;

  AssemblyOptions parts;
  parts.threads = campaign.threads;
  parts.input_seed = options.input_seed;
  if (common.verbose > 0) parts.log = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  for (const std::string& why : experiment.left_out) fmt::print(stderr, "evo: left out: {}\n", why);
  const DeviceChoice device = choose_device(experiment.device, experiment.target);
  Assembly assembly(experiment, device, parts);
  require_sound_evaluator(experiment, assembly, options.input_seed, common);

  engine::CampaignResult result =
      engine::run_campaign(experiment, assembly.ladder(), ledger, options.input_seed, campaign);
  const std::vector<engine::TrialRecord> trials = ledger.trials();
  const engine::RunMeta meta = *ledger.meta();
  std::vector<Finalist> finalists;
  if (result.progress.champion && result.status != engine::CampaignStatus::interrupted) {
    finalists = ask_finalists(experiment, assembly, trials, *result.progress.champion, campaign.stop);
    if (campaign.stop.stop_requested()) {
      finalists.clear();
      result.status = engine::CampaignStatus::interrupted;
    }
  }
  if (!finalists.empty()) {
    result.progress.champion.reset();
    if (finalists.back().proof.valid()) result.progress.champion = finalists.back().trial;
    keep_events(ledger, finalists);
  }
  const std::vector<evaluators::gates::GateTime> times = assembly.times();
  std::string report = report_text(folder.path.string(), experiment, meta, result, times);
  const bool invalid = result.status == engine::CampaignStatus::baseline_invalid;
  if (invalid && !trials.empty()) report = baseline_report(trials.front()) + "\n" + report;
  for (const Finalist& finalist : finalists) report += "\n" + text_of(finalist);
  if (!finalists.empty() && result.progress.champion)
    write_champion(folder, experiment, meta, trials, *result.progress.champion);
  write_file_atomically(folder.report(), report);
  if (common.json) {
    boost::json::object document = run_to_json(folder.path.string(), experiment, meta, result);
    document["time"] = times_to_json(times);
    if (invalid && !trials.empty()) {
      document["gate"] = trials.front().gate ? std::string(model::name_of(*trials.front().gate)) : "";
      document["reason"] = trials.front().reason;
      document["evidence"] = to_json(trials.front().evidence);
    }
    add_finalists(document, finalists);
    print_json(document);
  } else {
    fmt::print("{}", report);
  }
  if (result.status == engine::CampaignStatus::interrupted) {
    fmt::print(stderr, "evo: interrupted; everything so far is kept. Continue with: evo resume {}\n",
               folder.path.string());
  }
  if (!finalists.empty() && !result.progress.champion)
    return static_cast<int>(model::ExitCode::verification_failed);
  return static_cast<int>(exit_code_of(result.status));
}

}  // namespace evo::cli
