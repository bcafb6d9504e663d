#include <algorithm>
#include <array>

#include "engine/strategies/strategies.hpp"

namespace evo::engine {
namespace {

/// Shares of the mutations that are not plain gene mutation.
constexpr double guided_share = 0.45;
constexpr double sync_share = 0.1;
/// Share of the proposals that look around the elite, one gene at a time: crossover and mutation of several
/// genes pass by a step that needs one exact value.
constexpr double neighbour_share = 0.25;
/// Only elites live longer than this: a pool of old relatives has stopped searching.
constexpr std::size_t generations_alive = 3;

}  // namespace

GeneticStrategy::GeneticStrategy(const model::SearchSettings& settings, const SearchSpace& space)
    : settings_(settings), space_(space), operators_(settings.mutators, settings.mutation) {}

Proposal GeneticStrategy::ask(const History& history, const SlotId& slot,
                              const model::Insights* insights) const {
  if (slot.index == 0) return baseline_proposal(space_);
  SlotStreams streams(settings_.seed, slot);
  if (slot.generation == 0) return opening_proposal(space_, slot, history, streams);
  const std::vector<Candidate> pool = parent_pool(history.visible);
  if (operators_.enabled("gene_mutation") && streams.choice.chance(neighbour_share)) {
    for (const Candidate& best :
         best_candidates(history.visible, static_cast<std::size_t>(std::max(settings_.elite, 1)))) {
      if (auto neighbour = untried_neighbour(space_, history, *best.trial, streams.genes))
        return std::move(*neighbour);
    }
  }
  return without_duplicates(space_, history, streams, [&] { return breed(pool, streams, insights); });
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

Proposal GeneticStrategy::breed(std::span<const Candidate> pool, SlotStreams& streams,
                                const model::Insights* insights) const {
  const bool immigrant =
      streams.choice.chance(settings_.immigrants) && operators_.enabled("random_immigrant");
  if (!pool.empty() && !immigrant) {
    const TrialRecord& parent = *tournament(pool, settings_.tournament, streams.parents).trial;
    if (streams.choice.chance(settings_.crossover)) {
      if (auto child = cross(pool, parent, streams, insights)) return std::move(*child);
    }
    if (auto child = mutate(parent, streams, insights)) return std::move(*child);
  }
  return fresh_proposal(space_, streams.genes, "random_immigrant");
}

std::optional<Proposal> GeneticStrategy::cross(std::span<const Candidate> pool, const TrialRecord& parent,
                                               SlotStreams& streams, const model::Insights* insights) const {
  std::vector<Candidate> mates;
  for (const Candidate& candidate : pool) {
    if (candidate.trial->template_name == parent.template_name && candidate.trial != &parent)
      mates.push_back(candidate);
  }
  if (mates.empty()) return std::nullopt;
  const SearchTemplate& entry = *space_.find(parent.template_name);
  const std::array<const TrialRecord*, 2> parents{
      &parent, tournament(mates, settings_.tournament, streams.parents).trial};
  auto child = operators_.apply("uniform_crossover", entry, parents, streams.genes, insights);
  if (!child || !streams.choice.chance(mutate_after_crossover)) return child;
  TrialRecord crossed;
  crossed.variant = parent.variant;
  crossed.template_name = parent.template_name;
  crossed.genome = child->genome;
  auto mutated = mutate(crossed, streams, insights);
  if (!mutated) return child;
  mutated->parents = child->parents;
  mutated->operator_name = child->operator_name + "+" + mutated->operator_name;
  mutated->rationale = child->rationale + "; then " + mutated->rationale;
  if (child->predicted_effect || mutated->predicted_effect) {
    mutated->predicted_effect = child->predicted_effect.value_or(0) + mutated->predicted_effect.value_or(0);
  }
  return mutated;
}

std::optional<Proposal> GeneticStrategy::mutate(const TrialRecord& parent, SlotStreams& streams,
                                                const model::Insights* insights) const {
  const SearchTemplate& entry = *space_.find(parent.template_name);
  const std::array<const TrialRecord*, 1> parents{&parent};
  const double draw = streams.choice.uniform();
  const std::string_view wanted = draw < guided_share                ? "insight_guided"
                                  : draw < guided_share + sync_share ? "sync_mutation"
                                                                     : "gene_mutation";
  for (const std::string_view name :
       {wanted, std::string_view("gene_mutation"), std::string_view("sync_mutation")}) {
    if (auto child = operators_.apply(name, entry, parents, streams.genes, insights)) return child;
  }
  return std::nullopt;
}

}  // namespace evo::engine
