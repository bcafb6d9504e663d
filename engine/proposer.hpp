// Regenerates the proposals of a run from its history, in proposal order. The campaign asks it for new ones,
// replay for those that the ledger already holds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "engine/enumeration.hpp"
#include "engine/search_space.hpp"
#include "engine/strategy.hpp"

namespace evo::engine {

class Proposer {
 public:
  /// `space` and `exchanges` (of language models) are kept by reference.
  Proposer(const model::SearchSettings& settings, const SearchSpace& space, Exchanges* exchanges = nullptr);

  /// The slot of proposal `index`.
  [[nodiscard]] SlotId slot(std::int64_t index) const;
  /// Proposal `index` = number of proposals noted so far. `trials` holds at least what it may see.
  [[nodiscard]] Proposal ask(std::int64_t index, std::span<const TrialRecord> trials);
  /// Takes note of a proposal; the index of an earlier one with the same genome, if there is one.
  std::optional<std::int64_t> note(std::int64_t index, std::string_view template_name,
                                   const model::Genome& genome);

  /// Insights of a generation, from what its first slot sees.
  [[nodiscard]] const model::Insights& insights(int generation, std::span<const TrialRecord> trials);

 private:
  /// The first genome of a small space that nobody has proposed yet; nullopt if there is none.
  [[nodiscard]] std::optional<Proposal> next_left() const;

  model::SearchSettings settings_;
  const SearchSpace& space_;
  std::unique_ptr<Strategy> strategy_;
  /// All of the space, where a run of these settings tries all of it: then no strategy proposes one twice.
  std::vector<Listed> small_space_;
  std::unordered_map<std::string, std::int64_t> proposed_;
  std::optional<model::Insights> insights_;  // of the generation asked for last
};

/// Number of trials: the trials budget, at most generations * population. A smaller space ends a run before.
[[nodiscard]] std::int64_t planned_trials(const model::Experiment& experiment);

}  // namespace evo::engine
