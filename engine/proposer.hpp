// Regenerates the proposals of a run from its history, in proposal order. The campaign asks it for new ones,
// replay for those that the ledger already holds.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/enumeration.hpp"
#include "engine/search_space.hpp"
#include "engine/strategy.hpp"

namespace evo::engine {

/// What is proposed for one slot.
struct Drawn {
  std::vector<Proposal> pool;  ///< distinct genomes of one template; the first is what ask() would propose
  bool screened = false;       ///< a model of latency is to look at it; otherwise there is one
  bool rests = false;          ///< the model has not ranked this template's variants: it is to choose nothing
};

class Proposer {
 public:
  /// `space` and `exchanges` (of language models) are kept by reference.
  Proposer(const model::SearchSettings& settings, const SearchSpace& space, Exchanges* exchanges = nullptr);

  /// The slot of proposal `index`.
  [[nodiscard]] SlotId slot(std::int64_t index) const;
  /// Proposal `index` = number of proposals noted so far. `trials` holds at least what it may see.
  [[nodiscard]] Proposal ask(std::int64_t index, std::span<const TrialRecord> trials);
  /// The pool of proposal `index`, where search.screen is on; the strategy makes further draws of the slot
  /// with streams of their own. Genomes of pools that are still in flight count as proposed, so
  /// that no draw waits for what the model says of an earlier one; behind it only those that were tried do.
  [[nodiscard]] Drawn draw(std::int64_t index, std::span<const TrialRecord> trials);
  /// What the model said of what went to the device: a template whose variants it does not rank is not
  /// screened until it does (model_ranks()).
  void note_modelled(std::int64_t index, double microseconds) { modelled_[index] = microseconds; }
  /// What an earlier session drew for a slot, by genome_key().
  void remember_drawn(std::int64_t index, std::vector<std::string> keys);
  /// Takes note of a proposal; the index of an earlier one with the same genome, if there is one.
  std::optional<std::int64_t> note(std::int64_t index, std::string_view template_name,
                                   const model::Genome& genome);

  /// Insights of a generation, from what its first slot sees.
  [[nodiscard]] const model::Insights& insights(int generation, std::span<const TrialRecord> trials);

 private:
  /// The first genome of a small space that nobody has proposed yet; nullopt if there is none.
  [[nodiscard]] std::optional<Proposal> next_left() const;
  [[nodiscard]] Proposal ask_strategy(const Strategy& strategy, const SlotId& id,
                                      std::span<const TrialRecord> trials);
  [[nodiscard]] bool model_ranks(std::string_view template_name, std::span<const TrialRecord> visible) const;
  /// Genomes that were drawn for proposals before `visible`, and not tried, may be drawn again.
  void forget_before(std::int64_t visible, std::span<const TrialRecord> trials);

  model::SearchSettings settings_;
  const SearchSpace& space_;
  std::unique_ptr<Strategy> strategy_;
  /// All of the space, where a run of these settings tries all of it: then no strategy proposes one twice.
  std::vector<Listed> small_space_;
  /// What strategies are not to propose again: with screening also what was drawn lately.
  std::unordered_map<std::string, std::int64_t> proposed_;
  std::unordered_map<std::string, std::int64_t> tried_;  // with screening: by the trials alone
  std::map<std::int64_t, std::vector<std::string>> drawn_;
  std::map<std::int64_t, double> modelled_;
  std::unique_ptr<Strategy> further_;        // for further draws: it asks no language model
  std::optional<model::Insights> insights_;  // of the generation asked for last
};

/// Number of trials: the trials budget, at most generations * population. A smaller space ends a run before.
[[nodiscard]] std::int64_t planned_trials(const model::Experiment& experiment);

}  // namespace evo::engine
