#include "engine/campaign.hpp"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/campaign_run.hpp"
#include "engine/lineage.hpp"
#include "engine/tally.hpp"
#include "engine/version.hpp"
#include "model/hash.hpp"

namespace evo::engine {
namespace {

constexpr std::array<std::string_view, 5> status_names{"done", "interrupted", "budget", "no_valid_candidate",
                                                       "baseline_invalid"};

/// "toolchain: the run was made with A, now it is B" for each difference.
class Differences {
 public:
  void compare(const char* what, const std::string& recorded, const std::string& current) {
    if (recorded != current)
      list_.push_back(fmt::format("{}: the run has '{}', now it is '{}'", what, recorded, current));
  }
  /// `covers`: what the hash is over, with a comma before it; `note`: why it may have changed; both may be
  /// empty.
  void compare_hash(const char* what, const std::string& recorded, const std::string& current,
                    const char* covers = "", const std::string& note = {}) {
    if (recorded != current) {
      list_.push_back(fmt::format("{}: its content changed (hash {} then, {} now{}){}", what,
                                  recorded.substr(0, 12), current.substr(0, 12), covers, note));
    }
  }
  void refuse(model::ExitCode code) const {
    if (list_.empty()) return;
    throw model::Exception(
        code, fmt::format("this run cannot be continued or replayed here: {}", fmt::join(list_, "; ")));
  }

 private:
  std::vector<std::string> list_;
};

/// A run of an evo whose strategies had operators of their own has no weights in its experiment. Nothing of
/// it was edited: it is this evo that would propose something else.
std::string search_changed(const RunMeta& recorded, const RunMeta& current) {
  constexpr std::string_view weights = "\n  mutators: {";
  const bool then = recorded.experiment_yaml.find(weights) != std::string::npos;
  const bool now = current.experiment_yaml.find(weights) != std::string::npos;
  if (then || !now) return {};
  return "; the run was made by an older evo, whose strategies had other operators: this one would propose "
         "other variants";
}

}  // namespace

std::string_view name_of(CampaignStatus status) {
  return status_names.at(static_cast<std::size_t>(status));
}

RunMeta make_run_meta(const model::Experiment& experiment, const evaluators::EvaluatorInfo& info,
                      std::uint64_t input_seed) {
  RunMeta meta;
  meta.experiment_yaml = experiment.resolved_yaml;
  meta.experiment_hash = model::sha256(experiment.resolved_yaml);
  meta.problem_hash = experiment.problem.content_hash;
  meta.toolchain = info.toolchain;
  meta.device_kind = info.device_kind;
  meta.device_name = info.device_name;
  meta.driver = info.driver;
  meta.latency_kind = info.latency_kind;
  meta.input_seed = input_seed;
  meta.seed = experiment.search.seed;
  meta.evo_version = evo_version();
  return meta;
}

void check_resumable(const RunMeta& recorded, const RunMeta& current) {
  Differences configuration;
  configuration.compare_hash(
      "problem", recorded.problem_hash, current.problem_hash,
      ", over problem.yaml, sources, headers, rules files, reference.cu and comparator.py");
  configuration.compare_hash("experiment", recorded.experiment_hash, current.experiment_hash, "",
                             search_changed(recorded, current));
  configuration.compare("seed", std::to_string(recorded.seed), std::to_string(current.seed));
  configuration.compare("input seed", std::to_string(recorded.input_seed),
                        std::to_string(current.input_seed));
  configuration.refuse(model::ExitCode::invalid_configuration);
  Differences environment;
  environment.compare("toolchain", recorded.toolchain, current.toolchain);
  environment.compare("device", recorded.device_kind, current.device_kind);
  environment.compare("device model", recorded.device_name, current.device_name);
  environment.compare("driver", recorded.driver, current.driver);
  environment.refuse(model::ExitCode::environment);
}

void check_latency_model(std::span<const TrialRecord> trials, const evaluators::EvaluatorInfo& info) {
  if (info.latency_model.empty()) return;
  for (const TrialRecord& trial : trials) {
    if (trial.latencies.empty()) continue;
    const model::Latency& latency = trial.latencies.front().latency;
    if (latency.kind != model::LatencyKind::modelled) return;
    Differences differences;
    // "sum of 2 kernels, virtual model v2"
    if (!latency.method.ends_with(info.latency_model))
      differences.compare("latency model", latency.method, info.latency_model);
    return differences.refuse(model::ExitCode::environment);
  }
}

CampaignResult run_campaign(const model::Experiment& experiment, evaluators::Evaluator& evaluator,
                            Ledger& ledger, std::uint64_t input_seed, const CampaignOptions& options) {
  return CampaignRun(experiment, evaluator, ledger, input_seed, options).run();
}

double trials_per_second(const CampaignProgress& progress) {
  return progress.elapsed_seconds > 0 ? static_cast<double>(progress.trials) / progress.elapsed_seconds : 0;
}

bool space_exhausted(const CampaignProgress& progress) {
  return progress.trials > 0 && static_cast<std::uint64_t>(progress.trials) == progress.legal_genomes;
}

std::optional<double> warm_trials_per_second(const CampaignProgress& progress) {
  const double seconds = progress.elapsed_seconds - progress.opening_seconds;
  const std::int64_t others = progress.trials - progress.opening_trials;
  if (others <= 0 || others < progress.opening_trials || seconds <= 0) return std::nullopt;
  return static_cast<double>(others) / seconds;
}

CampaignResult summarize(const Ledger& ledger, const model::Experiment& experiment) {
  Tally tally(experiment);
  for (const TrialRecord& trial : ledger.trials()) tally.add(trial);
  CampaignResult result;
  result.status = CampaignStatus::interrupted;
  for (const EventRecord& event : ledger.events()) {
    if (event.kind != event_kinds::finished) continue;
    const auto name = event.details.find("status");
    for (std::size_t i = 0; i < status_names.size(); ++i) {
      if (name != event.details.end() && name->second == status_names[i])
        result.status = static_cast<CampaignStatus>(i);
    }
  }
  result.progress = tally.progress();
  result.lineage_sha256 = lineage_sha256(tally.trials());
  return result;
}

}  // namespace evo::engine
