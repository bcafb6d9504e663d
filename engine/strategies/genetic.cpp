#include <algorithm>

#include "engine/archive.hpp"
#include "engine/strategies/strategies.hpp"

namespace evo::engine {

GeneticStrategy::GeneticStrategy(const model::SearchSettings& settings, const SearchSpace& space)
    : settings_(settings), space_(space), breeding_(settings, space) {}

Proposal GeneticStrategy::ask(const History& history, const SlotId& slot,
                              const model::Insights* insights) const {
  if (slot.index == 0) return baseline_proposal(space_);
  SlotStreams streams(settings_.seed, slot);
  if (slot.generation == 0) return opening_proposal(space_, slot, history, streams);
  const std::vector<Candidate> pool = parent_pool(history.visible);
  const std::vector<Candidate> cells = settings_.archive.empty()
                                           ? std::vector<Candidate>()
                                           : elites_of_cells(history.visible, settings_.archive);
  return without_duplicates(space_, history, streams, [&] {
    const mutators::Source source = breeding_.operators().draw_source(streams.choice);
    const bool of_cells = !cells.empty() && streams.parents.chance(settings_.archive_share);
    std::optional<Proposal> proposal;
    if (source == mutators::Source::neighbour && of_cells) {
      const Candidate drawn = cells[streams.parents.below(cells.size())];
      proposal = breeding_.neighbour(std::span(&drawn, 1), history, streams);
    } else if (source == mutators::Source::neighbour) {
      const auto elite = static_cast<std::size_t>(std::max(settings_.elite, 1));
      proposal = breeding_.neighbour(best_candidates(history.visible, elite), history, streams);
    }
    // Where the elite has no untried neighbour left, the proposal is bred like the others.
    if (!proposal && source != mutators::Source::immigrant) {
      proposal = of_cells ? breed(cells, 1, streams, insights)
                          : breed(pool, settings_.tournament, streams, insights);
    }
    return proposal ? std::move(*proposal) : fresh_proposal(space_, streams.genes, "random_immigrant");
  });
}

std::vector<Candidate> GeneticStrategy::parent_pool(std::span<const TrialRecord> visible) const {
  const auto population = static_cast<std::size_t>(std::max(settings_.population, 2));
  const auto elite = static_cast<std::size_t>(std::max(settings_.elite, 0));
  std::vector<Candidate> pool = best_candidates(visible, elite);
  const auto recent = visible.last(std::min(visible.size(), generations_alive * population));
  for (const Candidate& candidate : best_candidates(recent, population)) {
    const bool known = std::any_of(pool.begin(), pool.end(),
                                   [&](const Candidate& other) { return other.trial == candidate.trial; });
    if (!known && pool.size() < std::max(population, elite)) pool.push_back(candidate);
  }
  return pool;
}

std::optional<Proposal> GeneticStrategy::breed(std::span<const Candidate> pool, int rounds,
                                               SlotStreams& streams, const model::Insights* insights) const {
  if (pool.empty()) return std::nullopt;
  const TrialRecord& parent = *pool[tournament(pool.size(), rounds, streams.parents)].trial;
  std::vector<Candidate> family;  // of the parent's template, the best first
  std::size_t first = 0;
  for (const Candidate& candidate : pool) {
    if (candidate.trial == &parent) first = family.size();
    if (candidate.trial->template_name == parent.template_name) family.push_back(candidate);
  }
  const auto mate = [&] { return tournament_without(first, family.size(), rounds, streams.parents); };
  return breeding_.offspring(family, first, mate, streams, insights);
}

}  // namespace evo::engine
