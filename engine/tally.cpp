#include "engine/tally.hpp"

#include <algorithm>

#include "engine/budget.hpp"
#include "engine/insights.hpp"
#include "engine/proposer.hpp"
#include "engine/strategies/source.hpp"
#include "engine/verdicts.hpp"

namespace evo::engine {
namespace {

/// A run folder that lost its experiment is still reported.
std::uint64_t genomes_of(const model::Experiment& experiment) {
  return experiment.problem.templates.empty() ? CampaignProgress{}.legal_genomes
                                              : legal_genomes(make_search_space(experiment));
}

/// `genomes`: the legal ones; each is tried once, so that a small space ends a run before its plan does.
CampaignProgress progress_of(const model::Experiment& experiment, std::uint64_t genomes) {
  CampaignProgress progress;
  progress.legal_genomes = edits_source(experiment.search) ? UINT64_MAX : genomes;
  const std::int64_t planned = planned_trials(experiment);
  const bool small = progress.legal_genomes < static_cast<std::uint64_t>(planned);
  progress.planned_trials = small ? static_cast<std::int64_t>(progress.legal_genomes) : planned;
  const int population = std::max(experiment.search.population, 1);
  progress.generations = static_cast<int>((progress.planned_trials + population - 1) / population);
  return progress;
}

}  // namespace

Tally::Tally(const model::Experiment& experiment) : Tally(experiment, genomes_of(experiment)) {}

Tally::Tally(const model::Experiment& experiment, std::uint64_t genomes)
    : budget_(experiment.budget),
      resolution_(experiment.gates.timing_resolution),
      population_(std::max(experiment.search.population, 1)),
      progress_(progress_of(experiment, genomes)),
      lead_(experiment.gates.timing_resolution),
      promotion_error_(experiment.gates.promotion_error, progress_.planned_trials) {}

void Tally::settle(TrialRecord& trial) const {
  if (progress_.champion) compare_with_champion(trial, *progress_.champion, resolution_);
}

void Tally::add(const TrialRecord& trial) {
  if (keeps_) trials_.push_back(trial);
  ++progress_.trials;
  progress_.generation = trial.generation;
  ++progress_.counts[std::string(model::name_of(trial.status))];
  progress_.elapsed_seconds = std::max(progress_.elapsed_seconds, trial.elapsed_seconds);
  if (trial.generation == 0) {
    ++progress_.opening_trials;
    progress_.opening_seconds = progress_.elapsed_seconds;
  }
  progress_.device_seconds += trial.device_seconds;
  costs_.add(trial);
  promotion_error_.add(trial);
  progress_.cost = costs_.cost(budget_);
  if (trial.index == 0 && trial.correct()) {
    progress_.baseline = trial;
  } else if (trial.correct()) {
    ++correct_candidates_;
  }
  if (lead_.add(trial) != Lead::Step::stays) progress_.champion = trial;
}

std::optional<GenerationRecord> Tally::generation(int number) const {
  const auto first = static_cast<std::size_t>(number) * static_cast<std::size_t>(population_);
  if (first >= trials_.size()) return std::nullopt;
  const std::size_t count = std::min(trials_.size() - first, static_cast<std::size_t>(population_));
  const std::span<const TrialRecord> members = std::span(trials_).subspan(first, count);
  GenerationRecord record;
  record.generation = number;
  record.trials = static_cast<std::int64_t>(count);
  if (progress_.champion) {
    record.best_variant = progress_.champion->variant;
    record.best_us = progress_.champion->latency()->microseconds;
  }
  record.diversity = diversity(members);
  record.device_seconds = progress_.device_seconds;
  record.cost = progress_.cost;
  for (const TrialRecord& trial : members) ++record.counts[std::string(model::name_of(trial.status))];
  return record;
}

}  // namespace evo::engine
