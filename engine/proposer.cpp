#include "engine/proposer.hpp"

#include <algorithm>

#include "engine/insights.hpp"
#include "engine/strategies/source.hpp"

namespace evo::engine {
namespace {

std::int64_t slots_of(const model::SearchSettings& search) {
  return std::int64_t{std::max(search.population, 1)} * std::max(search.generations, 1);
}

}  // namespace

Proposer::Proposer(const model::SearchSettings& settings, const SearchSpace& space, Exchanges* exchanges)
    : settings_(settings), space_(space), strategy_(make_strategy(settings, space, exchanges)) {
  // Where the source is edited there is no end of genomes.
  if (edits_source(settings)) return;
  const std::uint64_t legal = legal_genomes(space);
  if (legal <= static_cast<std::uint64_t>(slots_of(settings)))
    small_space_ = enumerate(space, static_cast<std::size_t>(legal));
}

SlotId Proposer::slot(std::int64_t index) const {
  const std::int64_t population = std::max(settings_.population, 1);
  return {static_cast<int>(index / population), static_cast<int>(index % population), index};
}

Proposal Proposer::ask(std::int64_t index, std::span<const TrialRecord> trials) {
  const SlotId id = slot(index);
  if (index > 0 && index <= std::ssize(space_.starts)) {
    const model::InitialDesign& start = space_.starts[static_cast<std::size_t>(index - 1)];
    return {start.genome,       start.template_name,           {},
            "experiment_start", "a design of " + start.origin, std::nullopt};
  }
  const auto visible = static_cast<std::size_t>(visible_trials(index, settings_.window));
  const bool guided = settings_.insights && id.generation > 0;
  Proposal proposal = strategy_->ask({trials.first(visible), &proposed_}, id,
                                     guided ? &insights(id.generation, trials) : nullptr);
  if (small_space_.empty() || !proposed_.contains(genome_key(proposal.template_name, proposal.genome)))
    return proposal;
  auto left = next_left();
  return left ? std::move(*left) : proposal;
}

std::optional<Proposal> Proposer::next_left() const {
  for (const Listed& each : small_space_) {
    if (proposed_.contains(genome_key(each.template_name, each.genome))) continue;
    return Proposal{each.genome, each.template_name, {}, "exhaustive", "one of the genomes that are left",
                    std::nullopt};
  }
  return std::nullopt;
}

std::optional<std::int64_t> Proposer::note(std::int64_t index, std::string_view template_name,
                                           const model::Genome& genome) {
  const auto [at, fresh] = proposed_.try_emplace(genome_key(template_name, genome), index);
  return fresh ? std::nullopt : std::optional(at->second);
}

const model::Insights& Proposer::insights(int generation, std::span<const TrialRecord> trials) {
  if (!insights_ || insights_->generation != generation) {
    const std::int64_t first = std::int64_t{generation} * std::max(settings_.population, 1);
    const auto visible = static_cast<std::size_t>(visible_trials(first, settings_.window));
    insights_ = compute_insights(space_, trials.first(visible), generation);
  }
  return *insights_;
}

std::int64_t planned_trials(const model::Experiment& experiment) {
  const std::int64_t slots = slots_of(experiment.search);
  return experiment.budget.trials > 0 ? std::min(experiment.budget.trials, slots) : slots;
}

}  // namespace evo::engine
