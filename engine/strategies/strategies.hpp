// The strategies of evo; make_strategy() is the list.
#pragma once

#include "engine/enumeration.hpp"
#include "engine/strategies/breeding.hpp"
#include "engine/strategy.hpp"

namespace evo::engine {

/// Steady-state genetic algorithm. The parents' pool, best first, is the `elite` best correct variants of the
/// visible history and the best of its last generations, `population` in all; a tournament picks from it. The
/// operators' weights say how many proposals are bred by which, look around the elite, or are immigrants.
/// With an archive a share of the parents is drawn from its cells, all alike.
class GeneticStrategy final : public Strategy {
 public:
  GeneticStrategy(const model::SearchSettings& settings, const SearchSpace& space);
  [[nodiscard]] std::string_view name() const override { return "genetic"; }
  [[nodiscard]] Proposal ask(const History& history, const SlotId& slot,
                             const model::Insights* insights) const override;

 private:
  [[nodiscard]] std::vector<Candidate> parent_pool(std::span<const TrialRecord> visible) const;
  /// `rounds`: of the tournaments; 1 draws from all alike.
  [[nodiscard]] std::optional<Proposal> breed(std::span<const Candidate> pool, int rounds,
                                              SlotStreams& streams, const model::Insights* insights) const;

  /// Only elites live longer than so many generations: a pool of old relatives has stopped searching.
  static constexpr std::size_t generations_alive = 3;

  model::SearchSettings settings_;
  const SearchSpace& space_;
  Breeding breeding_;
};

/// Fresh random legal genomes: the baseline for every other strategy.
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

/// Every legal genome, in the order of enumerate().
class ExhaustiveStrategy final : public Strategy {
 public:
  ExhaustiveStrategy(const model::SearchSettings& settings, const SearchSpace& space);
  [[nodiscard]] std::string_view name() const override { return "exhaustive"; }
  [[nodiscard]] Proposal ask(const History& history, const SlotId& slot,
                             const model::Insights* insights) const override;

 private:
  const SearchSpace& space_;
  std::vector<Listed> listed_;
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
  Breeding breeding_;
};

}  // namespace evo::engine
