// A bandit over operators and language models together: those that brought gains are asked more often.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/exchanges.hpp"
#include "engine/strategy.hpp"
#include "engine/trial.hpp"
#include "model/experiment.hpp"

namespace evo::engine {

/// An operator ("gene_mutation") or a model ("llm:NAME"), and what it brought.
struct BanditArm {
  std::string name;
  double weight = 0;        ///< the experiment's
  std::int64_t trials = 0;  ///< of the last bandit_memory that were seen
  std::int64_t gains = 0;   ///< of these, faster than their first parent
  double reward = 0;  ///< mean over `trials`: logarithm of the speed-up, 0 without a gain, less what it cost
  double factor = 1;  ///< its weight is times this
};

/// Trials that count: what brought gains early need not do so late.
inline constexpr std::size_t bandit_memory = 256;

/// One arm for each operator and model with a weight above 0, in their order. A reward is the logarithm of
/// the first parent's latency over the trial's where the difference is significant (measured: intervals of 95
/// % that do not touch), else 0: losses are not counted, since a search that fears them tries nothing. A
/// trial without parents is held against the best before it. Of an operator with several steps each step has
/// the reward. A model pays `settings.bandit_cost` for each unit of cost that it spent before `proposal`;
/// `exchanges` may be null.
[[nodiscard]] std::vector<BanditArm> bandit_arms(const model::SearchSettings& settings,
                                                 std::span<const TrialRecord> seen,
                                                 const Exchanges* exchanges, std::int64_t proposal);

/// An operator's trial, and what it gained.
struct BanditSeen {
  std::string operation;
  double gain = 0;  ///< logarithm of the speed-up; 0 if it is not significant
};

/// Trials taken in one by one: what bandit_arms() needs of them.
class BanditMemory {
 public:
  void add(const TrialRecord& trial);
  [[nodiscard]] std::int64_t trials() const { return trials_; }
  [[nodiscard]] const std::deque<BanditSeen>& last() const { return last_; }  ///< bandit_memory at most

 private:
  std::int64_t trials_ = 0;
  std::deque<BanditSeen> last_;
  std::unordered_map<std::string, model::Latency> known_;  ///< by variant, of its first correct trial
  std::optional<model::Latency> best_;
};
[[nodiscard]] std::vector<BanditArm> bandit_arms(const model::SearchSettings& settings,
                                                 const std::deque<BanditSeen>& last,
                                                 const Exchanges* exchanges, std::int64_t proposal);

/// The settings with each weight times its arm's factor.
[[nodiscard]] model::SearchSettings with_factors(model::SearchSettings settings,
                                                 std::span<const BanditArm> arms);

/// The strategy of `settings` with weights that are new at the begin of each generation; they depend on the
/// trials that its first slot sees and on nothing else.
class BanditStrategy final : public Strategy {
 public:
  /// `space` and `exchanges` (may be null) are kept. Throws as make_strategy() does.
  BanditStrategy(const model::SearchSettings& settings, const SearchSpace& space, Exchanges* exchanges);
  [[nodiscard]] std::string_view name() const override { return first_->name(); }
  [[nodiscard]] Proposal ask(const History& history, const SlotId& slot,
                             const model::Insights* insights) const override;

 private:
  model::SearchSettings settings_;
  const SearchSpace& space_;
  Exchanges* exchanges_;
  std::unique_ptr<Strategy> first_;
  /// Of the last generation that was asked for; asking again makes the same.
  mutable int generation_ = -1;
  mutable std::unique_ptr<Strategy> current_;
};

struct BanditGeneration {
  int generation = 0;
  std::vector<BanditArm> arms;
};
/// What each generation saw, of trials taken in one by one: exchanges are known only in the end.
class BanditHistory {
 public:
  /// Remembers nothing where `settings.bandit` is off.
  explicit BanditHistory(model::SearchSettings settings) : settings_(std::move(settings)) {}
  void add(const TrialRecord& trial);
  /// bandit_history() of the trials taken in.
  [[nodiscard]] std::vector<BanditGeneration> finish(const std::vector<EventRecord>& events) const;

 private:
  model::SearchSettings settings_;
  BanditMemory memory_;
  std::vector<std::deque<BanditSeen>> seen_;  ///< by generation
  int generation_ = -1;                       ///< of the last trial
};

/// What the weights of each generation were, from a run's records; nothing where `settings.bandit` is off.
[[nodiscard]] std::vector<BanditGeneration> bandit_history(const model::SearchSettings& settings,
                                                           std::span<const TrialRecord> trials,
                                                           const std::vector<EventRecord>& events);

}  // namespace evo::engine
