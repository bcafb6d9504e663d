// A strategy that asks a model of the latency before it asks the device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/strategies/boosted_trees.hpp"
#include "engine/strategies/forced_value.hpp"
#include "engine/strategies/strategies.hpp"
#include "engine/strategy.hpp"

namespace evo::engine {

/// How the surrogate divides its proposals, and how much it asks its model.
struct SurrogateSettings {
  /// Share of the proposals that the genetic strategy makes: what a model is wrong about it never proposes.
  double genetic_share = 0.25;
  /// Share of the model's other proposals that must have a value which few of the trials had that the model
  /// knows: it can say little of such a value, and what it believes to be good company shows what the value
  /// is worth.
  double probe_share = 0.25;
  /// Share of this strategy's own proposals that come from the best of those without a value on which the
  /// fastest agree: they are bred among themselves, with a model of their own, so that two steps that are
  /// good together only can be found though each alone is worse than the champion.
  double rival_share = 0.2;
  std::size_t most_parents = 48;        ///< correct variants that offspring are bred from
  std::size_t offspring_asked = 400;    ///< offspring that the model is asked about
  std::size_t climbers = 3;             ///< of these, the best so many then climb in the model
  int climb_steps = 8;                  ///< at most
  std::size_t least_right = 6;          ///< fewer correct variants than this make no model
  std::size_t most_observations = 320;  ///< that a model is fitted to: the fastest of the correct trials,
  std::size_t most_failures = 64;       ///< and the newest of those that failed
};

/// For each proposal: draws a template (template_choice.hpp), breeds hundreds of legal offspring of its best
/// variants with the operators of mutators/, by their weights, and proposes the one that a regression model
/// of the trials so far (boosted_trees.hpp) takes for the fastest, after a climb in the model. Each proposal
/// fits a model of its own to its own sample of the trials, so that proposals differ where the trials leave
/// it open. What a model is wrong about it never proposes: so a share of the proposals is the genetic
/// strategy's, over the same history, a share looks at untried neighbours of the elite, a share must be where
/// the model would not go (probe.hpp), and a share are immigrants.
class SurrogateStrategy final : public Strategy {
 public:
  SurrogateStrategy(const model::SearchSettings& settings, const SearchSpace& space);
  [[nodiscard]] std::string_view name() const override { return "surrogate"; }
  [[nodiscard]] Proposal ask(const History& history, const SlotId& slot,
                             const model::Insights* insights) const override;

 private:
  [[nodiscard]] Proposal propose(const History& history, SlotStreams& streams,
                                 const model::Insights* insights) const;
  [[nodiscard]] std::optional<Proposal> best_of_many(const History& history,
                                                     std::span<const Candidate> candidates,
                                                     std::optional<ForcedValue> probe, SlotStreams& streams,
                                                     const model::Insights* insights) const;

  model::SearchSettings settings_;
  const SearchSpace& space_;
  SurrogateSettings shares_;
  Breeding breeding_;
  GeneticStrategy genetic_;
};

}  // namespace evo::engine
