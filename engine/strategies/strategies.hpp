// The strategies of evo; make_strategy() is the list.
#pragma once

#include "engine/strategies/operator_set.hpp"
#include "engine/strategy.hpp"

namespace evo::engine {

/// Steady-state genetic algorithm. The parents' pool, best first, is the `elite` best right variants of the
/// visible history and the best of its last three generations, `population` in all; a tournament picks from
/// it. Offspring come by uniform crossover, gene mutation, insight-guided mutation and sync mutation; a share
/// are immigrants.
class GeneticStrategy final : public Strategy {
 public:
  GeneticStrategy(const model::SearchSettings& settings, const SearchSpace& space);
  [[nodiscard]] std::string_view name() const override { return "genetic"; }
  [[nodiscard]] Proposal ask(const History& history, const SlotId& slot,
                             const model::Insights* insights) const override;

 private:
  [[nodiscard]] std::vector<Candidate> parent_pool(std::span<const TrialRecord> visible) const;
  [[nodiscard]] Proposal breed(std::span<const Candidate> pool, SlotStreams& streams,
                               const model::Insights* insights) const;
  [[nodiscard]] std::optional<Proposal> cross(std::span<const Candidate> pool, const TrialRecord& parent,
                                              SlotStreams& streams, const model::Insights* insights) const;
  [[nodiscard]] std::optional<Proposal> mutate(const TrialRecord& parent, SlotStreams& streams,
                                               const model::Insights* insights) const;

  model::SearchSettings settings_;
  const SearchSpace& space_;
  OperatorSet operators_;
};

/// Fresh random legal genomes: the yardstick for every other strategy.
class RandomStrategy final : public Strategy {
 public:
  RandomStrategy(const model::SearchSettings& settings, const SearchSpace& space);
  [[nodiscard]] std::string_view name() const override { return "random"; }
  [[nodiscard]] Proposal ask(const History& history, const SlotId& slot,
                             const model::Insights* insights) const override;

 private:
  model::SearchSettings settings_;
  const SearchSpace& space_;
};

/// Hill climbing with restarts: neighbours of the best variant of the current climb, until a whole population
/// of them brought nothing; then a fresh genome starts the next climb. The climb is read off the history.
class LocalStrategy final : public Strategy {
 public:
  LocalStrategy(const model::SearchSettings& settings, const SearchSpace& space);
  [[nodiscard]] std::string_view name() const override { return "local"; }
  [[nodiscard]] Proposal ask(const History& history, const SlotId& slot,
                             const model::Insights* insights) const override;

 private:
  model::SearchSettings settings_;
  const SearchSpace& space_;
  OperatorSet operators_;
};

}  // namespace evo::engine
