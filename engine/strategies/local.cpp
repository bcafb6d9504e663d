#include <algorithm>
#include <array>

#include "engine/strategies/strategies.hpp"

namespace evo::engine {
namespace {

/// Probability per gene of a neighbour: none beyond the one that gene mutation always changes.
constexpr double one_gene = 0;

/// A climb as the visible history shows it.
struct Climb {
  const TrialRecord* centre = nullptr;  ///< nullptr: no right variant in this climb yet
  double microseconds = 0;
  int without_gain = 0;  ///< trials since the centre was found that were not faster
};

/// Walks the history: a trial that is faster becomes the centre, `patience` in a row that are not end the
/// climb, and the next right fresh genome begins a new one.
Climb read_climb(std::span<const TrialRecord> history, int patience) {
  Climb climb;
  for (const TrialRecord& trial : history) {
    const auto latency = trial.latency();
    if (climb.centre == nullptr) {
      if (trial.parents.empty() && trial.right() && latency) climb = {&trial, latency->microseconds, 0};
      continue;
    }
    if (trial.right() && latency && latency->microseconds < climb.microseconds) {
      climb = {&trial, latency->microseconds, 0};
    } else {
      ++climb.without_gain;
    }
    if (climb.without_gain >= patience) climb = {};
  }
  return climb;
}

}  // namespace

LocalStrategy::LocalStrategy(const model::SearchSettings& settings, const SearchSpace& space)
    : settings_(settings), space_(space), operators_(settings.mutators, one_gene) {}

Proposal LocalStrategy::ask(const History& history, const SlotId& slot,
                            const model::Insights* insights) const {
  if (slot.index == 0) return baseline_proposal(space_);
  SlotStreams streams(settings_.seed, slot);
  if (slot.generation == 0 && slot.slot < static_cast<int>(space_.templates.size())) {
    return opening_proposal(space_, slot, history, streams);
  }
  const int patience = std::max(settings_.population, 2 * settings_.window);
  const Climb climb = read_climb(history.visible, patience);
  return without_duplicates(space_, history, streams, [&] {
    if (climb.centre != nullptr) {
      const SearchTemplate& entry = *space_.find(climb.centre->template_name);
      const std::array<const TrialRecord*, 1> parents{climb.centre};
      const std::string_view wanted = streams.choice.chance(0.1) ? "sync_mutation" : "gene_mutation";
      for (const std::string_view name : {wanted, std::string_view("gene_mutation")}) {
        if (auto child = operators_.apply(name, entry, parents, streams.genes, insights))
          return std::move(*child);
      }
    }
    return fresh_proposal(space_, streams.genes, "restart");
  });
}

}  // namespace evo::engine
