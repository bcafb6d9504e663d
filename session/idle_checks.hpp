// Checks of insights while a run goes on, on a GPU that would have nothing to do: it waits for compiles or
// for the results that the next proposals need, or it is one of several and the others have the work. They
// look at the run and never touch it: no trial, no seed and no order depends on them, nor on how many were
// made.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "engine/campaign.hpp"
#include "engine/ledger.hpp"
#include "engine/search_space.hpp"
#include "evaluators/evaluator.hpp"
#include "evaluators/gates/idle_runner.hpp"
#include "evaluators/gates/ladder.hpp"
#include "session/insight_checks.hpp"

namespace evo::session {

/// Pairs at a time: the device is asked for anew after each, so that a trial waits for no more than these.
inline constexpr int idle_rounds = 8;

/// What a run is doing, in the place of its evaluator.
class WatchedEvaluator final : public evaluators::Evaluator {
 public:
  explicit WatchedEvaluator(evaluators::Evaluator& evaluator) : evaluator_(evaluator) {}
  [[nodiscard]] evaluators::EvaluatorInfo info() const override { return evaluator_.info(); }
  [[nodiscard]] evaluators::Prepared prepare(const model::Variant& variant) override;
  [[nodiscard]] evaluators::Evaluation evaluate(const evaluators::Prepared& prepared) override;
  [[nodiscard]] std::optional<evaluators::Paired> time_paired(const model::Variant& candidate,
                                                              const model::Variant& incumbent,
                                                              double error) override;
  /// Variants that are compiled or evaluated now.
  [[nodiscard]] int at_work() const { return at_work_; }

 private:
  evaluators::Evaluator& evaluator_;
  std::atomic<int> at_work_ = 0;
};

/// Makes checks of next_check() in a thread of its own, those that need no proof first: their flips are
/// trials of the run. A flip that nobody has tried is compiled and proven only while the run leaves a thread
/// idle. It is an observer of the campaign, behind which stands another one.
class IdleChecks final : public engine::CampaignObserver {
 public:
  struct Settings {
    std::int64_t most = 0;  ///< comparisons, in all sessions of the run
    int threads = 1;        ///< of the campaign
    int poll_ms = 5;        ///< between two looks at the device
  };
  /// `runner` is also `stack`'s runner; all outlive it. `trials` and `events`: of the ledger.
  IdleChecks(const model::Experiment& experiment, EvaluationStack& stack,
             evaluators::gates::IdleRunner& runner, const WatchedEvaluator& campaign,
             const engine::Ledger& ledger, engine::CampaignObserver* behind, const Settings& settings);
  /// Ends what is under way: at most one compile or one job.
  ~IdleChecks() override;

  void on_begin(const engine::CampaignProgress& progress) override;
  void on_trial(const engine::TrialRecord& trial, const engine::CampaignProgress& progress) override;
  void on_generation(const engine::GenerationRecord& generation,
                     const engine::CampaignProgress& progress) override;
  void on_event(const engine::EventRecord& event) override;

  /// What has ended since the last call, as events.
  [[nodiscard]] std::vector<engine::EventRecord> ended();
  /// Begins nothing more, without waiting.
  void stop();

 private:
  class Runner;
  struct Task;
  void note_champion(const engine::CampaignProgress& progress);
  void work();
  void make_checks();
  [[nodiscard]] std::optional<Task> next_task();
  void make(Task& task);
  [[nodiscard]] bool prove(const model::Variant& flipped, InsightCheck& check);
  void keep(const Task& task);
  /// The thread is to end, or the champion is another one.
  [[nodiscard]] bool is_over(std::int64_t champion) const;

  const model::Experiment experiment_;
  EvaluationStack& stack_;
  const WatchedEvaluator& campaign_;
  engine::CampaignObserver* behind_;
  const Settings settings_;
  const engine::SearchSpace space_;
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<evaluators::gates::Ladder> ladder_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::optional<engine::TrialRecord> champion_;
  std::vector<engine::TrialRecord> trials_;
  std::map<std::int64_t, std::vector<InsightCheck>> made_;  ///< by the champion's index
  std::vector<engine::EventRecord> new_;
  std::int64_t left_ = 0;
  std::jthread thread_;  // last: it ends before what it uses
};

}  // namespace evo::session
