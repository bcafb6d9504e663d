#include <algorithm>
#include <array>
#include <utility>

#include "engine/strategies/strategies.hpp"

namespace evo::engine {
namespace {

/// A climb as the visible history shows it.
struct Climb {
  const TrialRecord* centre = nullptr;  ///< nullptr: no correct variant in this climb yet
  double microseconds = 0;
  int without_gain = 0;  ///< trials since the centre was found that were not faster
};

/// Walks the history: a trial that is faster becomes the centre, `patience` in a row that are not end the
/// climb, and the next correct fresh genome begins a new one.
Climb read_climb(std::span<const TrialRecord> history, int patience) {
  Climb climb;
  for (const TrialRecord& trial : history) {
    const auto latency = trial.latency();
    if (climb.centre == nullptr) {
      if (trial.parents.empty() && trial.correct() && latency) climb = {&trial, latency->microseconds, 0};
      continue;
    }
    if (trial.correct() && latency && latency->microseconds < climb.microseconds) {
      climb = {&trial, latency->microseconds, 0};
    } else {
      ++climb.without_gain;
    }
    if (climb.without_gain >= patience) climb = {};
  }
  return climb;
}

/// Its gene mutation changes one gene, whatever the experiment says: none beyond the one that always changes.
model::SearchSettings one_gene_at_a_time(model::SearchSettings settings) {
  settings.mutation = 0;
  return settings;
}

}  // namespace

LocalStrategy::LocalStrategy(const model::SearchSettings& settings, const SearchSpace& space)
    : settings_(settings), space_(space), breeding_(one_gene_at_a_time(settings), space) {}

Proposal LocalStrategy::ask(const History& history, const SlotId& slot,
                            const model::Insights* insights) const {
  if (slot.index == 0) return baseline_proposal(space_);
  SlotStreams streams(settings_.seed, slot);
  const std::size_t opening = space_.templates.size() + space_.initial_designs.size();
  if (slot.generation == 0 && std::cmp_less(slot.slot, opening)) {
    return opening_proposal(space_, slot, history, streams);
  }
  const int patience = std::max(settings_.population, 2 * settings_.max_in_flight);
  const Climb climb = read_climb(history.visible, patience);
  return without_duplicates(space_, history, streams, [&] {
    const std::string fresh = climb.centre == nullptr ? "restart" : "random_immigrant";
    if (climb.centre != nullptr) {
      const std::array<Candidate, 1> centre{Candidate{climb.centre, climb.microseconds}};
      const mutators::Source source = breeding_.operators().draw_source(streams.choice);
      std::optional<Proposal> proposal;
      if (source == mutators::Source::neighbour) proposal = breeding_.neighbour(centre, history, streams);
      if (!proposal && source != mutators::Source::immigrant) {
        const auto alone = [] { return std::optional<std::size_t>(); };
        proposal = breeding_.offspring(centre, 0, alone, streams, insights);
      }
      if (proposal) return std::move(*proposal);
    }
    return fresh_proposal(space_, streams.genes, fresh);
  });
}

}  // namespace evo::engine
