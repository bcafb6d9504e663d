// Strategies: ask with a prefix of the history, get a proposal. A strategy keeps no state: the same prefix,
// slot and seed give the same proposal, which is what makes runs independent of threads, and resume and
// replay exact.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/search_space.hpp"
#include "engine/trial.hpp"
#include "model/experiment.hpp"
#include "mutators/proposal.hpp"

namespace evo::engine {

using mutators::Proposal;

/// Names a proposal. index = generation * population + slot.
struct SlotId {
  int generation = 0;
  int slot = 0;
  std::int64_t index = 0;
};

/// What a proposal may depend on: the results it may see, and the genomes (not the results) of every proposal
/// before it.
struct History {
  std::span<const TrialRecord> visible;  ///< trials 0 .. index - W, in proposal order
  /// genome_key() of every proposal before this one -> the first index that proposed it.
  const std::unordered_map<std::string, std::int64_t>* proposed{};

  [[nodiscard]] bool seen(std::string_view template_name, const model::Genome& genome) const;
};

class Exchanges;

class Strategy {
 public:
  virtual ~Strategy() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// The proposal of a slot; always legal. Proposal 0 is the baseline. `insights` is nullptr when they are
  /// off. Throws model::Exception(invalid_configuration) when a template has no legal genome at all.
  [[nodiscard]] virtual Proposal ask(const History& history, const SlotId& slot,
                                     const model::Insights* insights) const = 0;
};

/// The strategy that `settings` names, over `space` (kept by reference). Throws
/// model::Exception(invalid_configuration) for an unknown strategy or mutator, naming the known ones.
/// `exchanges`, kept by reference: what language models are asked through; without it none is asked.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(const model::SearchSettings& settings,
                                                      const SearchSpace& space,
                                                      Exchanges* exchanges = nullptr);
[[nodiscard]] std::vector<std::string> strategy_names();

}  // namespace evo::engine
