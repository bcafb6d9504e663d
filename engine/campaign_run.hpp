// One session of a campaign: the loop behind run_campaign().
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "engine/campaign.hpp"
#include "engine/early_pairings.hpp"
#include "engine/exchanges.hpp"
#include "engine/pipeline.hpp"
#include "engine/proposer.hpp"
#include "engine/screening.hpp"
#include "engine/search_space.hpp"
#include "engine/tally.hpp"

namespace evo::engine {

/// Coordinates on the calling thread; only the pipeline has others.
class CampaignRun {
 public:
  CampaignRun(const model::Experiment& experiment, evaluators::Evaluator& evaluator, Ledger& ledger,
              std::uint64_t input_seed, const CampaignOptions& options);
  [[nodiscard]] CampaignResult run();

 private:
  /// A proposal that is on its way.
  struct InFlight {
    TrialRecord trial;
    std::optional<std::int64_t> same_genome_as;
    std::optional<EventRecord> screened{};
    std::optional<TrialRecord> evaluated{};  ///< as it will be committed, but for its comparison
    std::shared_ptr<const evaluators::Prepared> prepared{};
  };

  void load();
  [[nodiscard]] std::optional<CampaignResult> recorded_end() const;
  void load_screening(std::span<const TrialRecord> trials);
  void propose();
  /// Puts a proposal on its way up the ladder.
  void admit(Screened next_up);
  void admit_screened();
  void commit_finished(std::chrono::milliseconds timeout);
  void commit(const Finished& finished);
  [[nodiscard]] std::optional<EventRecord> clock_budget() const;
  /// Waits for what runs, which is worth keeping, and commits it; drops what is only queued.
  void drain();
  [[nodiscard]] CampaignResult interrupt();
  [[nodiscard]] CampaignResult finish(CampaignStatus status, std::optional<EventRecord> cause);
  [[nodiscard]] CampaignResult result(CampaignStatus status) const;
  [[nodiscard]] CampaignStatus natural_status() const;
  [[nodiscard]] bool baseline_failed() const;
  void write(const Commit& commit);
  void update_elapsed();

  static void note_evaluated(const Finished& finished, InFlight& flying);
  /// Begins comparisons with the champion, or who will replace it, of trials that are not committed yet.
  void look_ahead();
  [[nodiscard]] model::Variant variant_of(const TrialRecord& trial) const;
  /// Whether nothing is to be waited for before it is committed: a comparison that it needs has ended.
  [[nodiscard]] bool is_compared(const Finished& finished);
  /// Times a trial that seems to beat the champion in turn with it; returns the raw samples.
  std::vector<model::SampleSeries> pair(TrialRecord& trial, const Finished& finished);

  const model::Experiment& experiment_;
  evaluators::Evaluator& evaluator_;
  Ledger& ledger_;
  CampaignOptions options_;
  SteadyClock steady_clock_;
  const Clock& clock_;
  CampaignObserver silent_;
  CampaignObserver& observer_;
  RunMeta meta_;
  SearchSpace space_;
  Exchanges exchanges_;
  Proposer proposer_;
  Tally tally_;
  double farm_cost_ = 0;            ///< CampaignOptions::farm_cost at the last commit
  std::optional<Finished> held_;    // the first in flight, whose comparison has not ended
  std::deque<InFlight> in_flight_;  // in proposal order; the first one is the next to be committed
  bool draining_ = false;           // nothing more is begun
  std::int64_t asked_ = 0;          // proposals so far
  double elapsed_before_ = 0;       // seconds of earlier sessions
  double started_ = 0;
  Pipeline pipeline_;
  EarlyPairings early_;
  std::unique_ptr<Screening> screening_;  // nullptr: nothing is screened
};

}  // namespace evo::engine
