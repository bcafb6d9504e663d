// The campaign: proposals in, a ledger of proven and refuted variants out. `evo run` and `evo resume`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "engine/clock.hpp"
#include "engine/ledger.hpp"
#include "engine/trial.hpp"
#include "evaluators/evaluator.hpp"
#include "model/experiment.hpp"

namespace evo::evaluators {
class LatencyModel;
}

namespace evo::llm {
class Backend;
}

namespace evo::engine {

enum class CampaignStatus : std::uint8_t { done, interrupted, budget, no_valid_candidate, baseline_invalid };
/// "done", "interrupted", "budget", "no_valid_candidate", "baseline_invalid".
[[nodiscard]] std::string_view name_of(CampaignStatus status);

/// Where a run stands, for progress lines.
struct CampaignProgress {
  std::int64_t trials = 0;          ///< committed
  std::int64_t planned_trials = 0;  ///< by the trials budget, generations * population and legal_genomes
  std::uint64_t legal_genomes = 0;  ///< of all templates; 2^64 - 1 also stands for more
  int generation = 0;               ///< of the last committed trial
  int generations = 0;
  std::optional<TrialRecord> baseline;  ///< once proven
  std::optional<TrialRecord> champion;  ///< the baseline until something is better
  std::map<std::string, int> counts;    ///< status name -> trials
  double elapsed_seconds = 0;           ///< over all sessions of the run
  /// Of these, until the last trial of generation 0, which proves the baseline and makes references and
  /// caches.
  double opening_seconds = 0;
  std::int64_t opening_trials = 0;  ///< of generation 0
  double device_seconds = 0;
  double cost = 0;
};

/// Every legal genome was a trial: the space is done, whatever is left of the budget.
[[nodiscard]] bool space_exhausted(const CampaignProgress& progress);

/// Trials a second over all sessions of the run; 0 before the first.
[[nodiscard]] double trials_per_second(const CampaignProgress& progress);
/// The same without generation 0: the rate once warm; nullopt while there are fewer others than it had. Some
/// of these were under way while it ended, so that a few of them say nothing of the rate.
[[nodiscard]] std::optional<double> warm_trials_per_second(const CampaignProgress& progress);

/// Callbacks on the thread that called run_campaign(), after the commit. Exceptions end the campaign.
class CampaignObserver {
 public:
  virtual ~CampaignObserver() = default;
  /// Before the first proposal; on resume with what the ledger holds.
  virtual void on_begin(const CampaignProgress& /*progress*/) {}
  virtual void on_trial(const TrialRecord& /*trial*/, const CampaignProgress& /*progress*/) {}
  virtual void on_generation(const GenerationRecord& /*generation*/, const CampaignProgress& /*progress*/) {}
  virtual void on_event(const EventRecord& /*event*/) {}
  /// What is done behind the last trial, as it begins: "the final verdict".
  virtual void on_stage(const std::string& /*what*/) {}
};

struct CampaignOptions {
  int threads = 1;         ///< variants prepared (compiled) at a time
  int device_threads = 1;  ///< variants evaluated at a time
  /// Evaluates a variant before those ahead of it are compiled, which may be for nothing (Pipeline): where
  /// devices are dearer than the host that feeds them. The lineage is the same.
  bool ahead = false;
  int pairings = 1;      ///< comparisons in turn at a time: one a GPU of this machine
  std::stop_token stop;  ///< finishes what runs, commits it, and returns `interrupted`
  CampaignObserver* observer = nullptr;
  const Clock* clock = nullptr;    ///< nullptr: SteadyClock
  llm::Backend* models = nullptr;  ///< whom language models are asked through; nullptr: the ledger alone
  /// What screens candidates; needed by an experiment with search.screen, and used by no other.
  evaluators::LatencyModel* latency_model = nullptr;
  /// What a farm's workers have cost this session so far, in the unit of Budget::cost. Empty: no farm.
  std::function<double()> farm_cost{};
  /// Comparisons in turn that a farm's workers take beside these now; they come and go. Empty: no farm.
  std::function<int()> pairings_elsewhere{};
};

struct CampaignResult {
  CampaignStatus status = CampaignStatus::done;
  CampaignProgress progress;
  std::string lineage_sha256;
};

/// What begin() writes and resume compares.
[[nodiscard]] RunMeta make_run_meta(const model::Experiment& experiment,
                                    const evaluators::EvaluatorInfo& info, std::uint64_t input_seed);

/// Throws model::Exception naming every difference that forbids to continue `recorded` with `current`:
/// toolchain, driver, device (ExitCode::environment); problem, experiment, seeds
/// (ExitCode::invalid_configuration).
void check_resumable(const RunMeta& recorded, const RunMeta& current);

/// The same where the modelled latencies of a run come from another model than this evo's: `trials` are the
/// run's. Latencies of two models are never compared. Throws model::Exception(environment).
void check_latency_model(std::span<const TrialRecord> trials, const evaluators::EvaluatorInfo& info);

/// Runs `experiment` to its end, a budget, or a stop. A ledger that already holds trials is continued exactly
/// where it ends (resume): the lineage is that of the undisturbed run. `input_seed` is the entropy that the
/// evaluator's inputs were made from; on resume it must be the recorded one (ledger.meta()->input_seed).
///
/// Proposal k sees the results of proposals <= k - W, W = max_in_flight, and results are committed in
/// proposal order, so that the lineage does not depend on threads. The baseline climbs alone first. Throws
/// model::Exception when the environment breaks (evaluator, ledger); what was committed stays.
[[nodiscard]] CampaignResult run_campaign(const model::Experiment& experiment,
                                          evaluators::Evaluator& evaluator, Ledger& ledger,
                                          std::uint64_t input_seed, const CampaignOptions& options = {});

/// The same numbers from a ledger alone (lineage, report): no evaluator needed. Status: that of the
/// `finished` event, otherwise `interrupted`.
[[nodiscard]] CampaignResult summarize(const Ledger& ledger, const model::Experiment& experiment);

}  // namespace evo::engine
