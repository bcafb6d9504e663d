#include "cli/run_session.hpp"

#include <optional>
#include <thread>

#include <fmt/format.h>

#include "cli/assembly.hpp"
#include "cli/champion.hpp"
#include "cli/evaluator_check.hpp"
#include "cli/held_out.hpp"
#include "cli/json_output.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "cli/text_output.hpp"
#include "engine/campaign.hpp"
#include "engine/search_space.hpp"
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

/// The champion on data that is drawn now, after the last trial (from the input seed where a test fixes it).
HeldOut judge_champion(const model::Experiment& experiment, Assembly& assembly,
                       const engine::TrialRecord& champion) {
  const engine::SearchSpace space = engine::make_search_space(experiment);
  const engine::SearchTemplate* entry = space.find(champion.template_name);
  if (entry == nullptr) {
    throw model::Exception(model::ExitCode::failed,
                           fmt::format("the champion's template {} is not there", champion.template_name));
  }
  constexpr std::uint64_t other_stream = 0x9e3779b97f4a7c15;
  const std::uint64_t entropy =
      experiment.input_seed ? (*experiment.input_seed ^ other_stream) >> 1 : draw_entropy();
  return check_held_out(experiment, assembly,
                        model::make_variant(entry->kernel, entry->space, champion.genome), entropy);
}

boost::json::object to_json(const HeldOut& held_out) {
  boost::json::array shapes;
  for (const model::Workload& workload : held_out.workloads) {
    boost::json::object axes;
    for (const auto& [axis, value] : workload.axes) axes[axis] = value;
    shapes.push_back(std::move(axes));
  }
  const model::Failure* failure = held_out.report.failure();
  return {{"valid", held_out.report.valid()},
          {"input_seed", held_out.entropy},
          {"shapes", std::move(shapes)},
          {"gate", failure ? boost::json::value(held_out.report.failed_gate()) : boost::json::value(nullptr)},
          {"reason", failure ? failure->reason : std::string()}};
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

  const engine::CampaignResult result =
      engine::run_campaign(experiment, assembly.ladder(), ledger, options.input_seed, campaign);
  const std::vector<engine::TrialRecord> trials = ledger.trials();
  const engine::RunMeta meta = *ledger.meta();
  const std::vector<evaluators::gates::GateTime> times = assembly.times();
  std::string report = report_text(folder.path.string(), experiment, meta, result, times);
  const bool invalid = result.status == engine::CampaignStatus::baseline_invalid;
  if (invalid && !trials.empty()) report = baseline_report(trials.front()) + "\n" + report;
  std::optional<HeldOut> held_out;
  if (result.progress.champion && result.status != engine::CampaignStatus::interrupted) {
    held_out = judge_champion(experiment, assembly, *result.progress.champion);
    report += "\n" + text_of(*held_out) + "\n";
    if (held_out->report.valid()) {
      write_champion(folder, experiment, meta, trials, *result.progress.champion);
    } else {
      report +=
          "the champion is refused and not exported\n" + evidence_text(held_out->report.failure()->evidence);
    }
  }
  write_file_atomically(folder.report(), report);
  if (common.json) {
    boost::json::object document = run_to_json(folder.path.string(), experiment, meta, result);
    document["time"] = times_to_json(times);
    if (invalid && !trials.empty()) {
      document["gate"] = trials.front().gate ? std::string(model::name_of(*trials.front().gate)) : "";
      document["reason"] = trials.front().reason;
      document["evidence"] = to_json(trials.front().evidence);
    }
    if (held_out) document["held_out"] = to_json(*held_out);
    print_json(document);
  } else {
    fmt::print("{}", report);
  }
  if (result.status == engine::CampaignStatus::interrupted) {
    fmt::print(stderr, "evo: interrupted; everything so far is kept. Continue with: evo resume {}\n",
               folder.path.string());
  }
  if (held_out && !held_out->report.valid()) return static_cast<int>(model::ExitCode::verification_failed);
  return static_cast<int>(exit_code_of(result.status));
}

}  // namespace evo::cli
