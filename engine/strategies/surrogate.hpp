// A strategy that asks a model of the latency before it asks the device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/strategies/boosted_trees.hpp"
#include "engine/strategies/probe.hpp"
#include "engine/strategies/strategies.hpp"
#include "engine/strategy.hpp"

namespace evo::engine {

/// For each proposal: draws a template (template_choice.hpp), breeds hundreds of legal offspring of its best
/// variants, with changes of one, two and more genes, and proposes the one that a regression model of the
/// trials so far (boosted_trees.hpp) takes for the fastest, after a climb in the model. Each proposal fits a
/// model of its own to its own sample of the trials, so that proposals differ where the trials leave it open.
/// What a model is wrong about it never proposes: so a share of the proposals is the genetic strategy's, over
/// the same history, a share looks at untried neighbours of the elite, a share must be where the model would
/// not go (probe.hpp), and a share are immigrants.
class SurrogateStrategy final : public Strategy {
 public:
  SurrogateStrategy(const model::SearchSettings& settings, const SearchSpace& space);
  [[nodiscard]] std::string_view name() const override { return "surrogate"; }
  [[nodiscard]] Proposal ask(const History& history, const SlotId& slot,
                             const model::Insights* insights) const override;

 private:
  [[nodiscard]] Proposal propose(const History& history, SlotStreams& streams) const;
  [[nodiscard]] std::optional<Proposal> best_of_many(const History& history, std::size_t position,
                                                     std::span<const Candidate> candidates,
                                                     std::optional<Probe> probe, SlotStreams& streams) const;

  model::SearchSettings settings_;
  const SearchSpace& space_;
  OperatorSet operators_;
  GeneticStrategy genetic_;
  std::vector<CodedSpace> coded_;  ///< in the order of the space's templates
};

}  // namespace evo::engine
