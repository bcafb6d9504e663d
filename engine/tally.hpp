// The standing of a run: a fold over its trials, in commit order.
#pragma once

#include <vector>

#include "engine/budget.hpp"
#include "engine/campaign.hpp"
#include "engine/lead.hpp"
#include "engine/promotion_error.hpp"
#include "engine/trial.hpp"
#include "model/experiment.hpp"

namespace evo::engine {

class Tally {
 public:
  explicit Tally(const model::Experiment& experiment);
  /// The same where the space has been built: `genomes` are its legal_genomes().
  Tally(const model::Experiment& experiment, std::uint64_t genomes);

  /// Settles the status of a correct trial against the champion (the first correct trial is the baseline,
  /// `proven`).
  void settle(TrialRecord& trial) const;
  /// Takes a settled trial in.
  void add(const TrialRecord& trial);
  /// For those who ask for the progress alone: trials() stays empty from here on, and generation() has none.
  void keep_no_trials() { keeps_ = false; }

  [[nodiscard]] const std::vector<TrialRecord>& trials() const { return trials_; }
  [[nodiscard]] const CampaignProgress& progress() const { return progress_; }
  /// What the comparisons in turn so far have spent of the run's error.
  [[nodiscard]] const PromotionError& promotion_error() const { return promotion_error_; }
  /// Right trials besides the baseline.
  [[nodiscard]] std::int64_t correct_candidates() const { return correct_candidates_; }

  /// The record of a generation from its trials so far; nothing if it has none.
  [[nodiscard]] std::optional<GenerationRecord> generation(int number) const;
  void set_elapsed(double seconds) { progress_.elapsed_seconds = seconds; }

 private:
  model::Budget budget_;
  double resolution_;
  int population_;
  bool keeps_ = true;
  std::vector<TrialRecord> trials_;
  CampaignProgress progress_;
  Lead lead_;
  PromotionError promotion_error_;
  Costs costs_;
  std::int64_t correct_candidates_ = 0;
};

}  // namespace evo::engine
