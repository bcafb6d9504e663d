#include "engine/proposer.hpp"

#include <algorithm>

#include "engine/insights.hpp"
#include "engine/statistics.hpp"
#include "engine/strategies/source.hpp"

namespace evo::engine {
namespace {

std::int64_t slots_of(const model::SearchSettings& search) {
  return std::int64_t{std::max(search.population, 1)} * std::max(search.generations, 1);
}

/// A member of a pool may take so many draws: others are of another template, or were proposed before.
constexpr std::int64_t draws_a_member = 4;

/// A model is believed until so many correct variants of a template have been seen, and from then on while
/// their rank correlation, in the last trials, is at least this: what ranks nothing must not choose
/// (docs/results, screening).
constexpr std::size_t least_ranked = 10, most_ranked = 1000;
constexpr double least_correlation = 0.2;

/// A design of the experiment or of a template's author.
bool is_named(const Proposal& proposal) {
  return proposal.operator_name == "experiment_start" || proposal.operator_name == "template_initial" ||
         proposal.operator_name == "template_start";
}

}  // namespace

Proposer::Proposer(const model::SearchSettings& settings, const SearchSpace& space, Exchanges* exchanges)
    : settings_(settings), space_(space), strategy_(make_strategy(settings, space, exchanges)) {
  if (settings.screen.on()) further_ = make_strategy(settings, space, nullptr);
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
  if (index > 0 && index <= std::ssize(space_.initial_designs)) {
    const model::InitialDesign& start = space_.initial_designs[static_cast<std::size_t>(index - 1)];
    return {start.genome,       start.template_name,           {},
            "experiment_start", "a design of " + start.origin, std::nullopt};
  }
  return ask_strategy(*strategy_, id, trials);
}

Proposal Proposer::ask_strategy(const Strategy& strategy, const SlotId& id,
                                std::span<const TrialRecord> trials) {
  const auto visible = static_cast<std::size_t>(visible_trials(id.index, settings_.max_in_flight));
  const bool guided = settings_.insights && id.generation > 0;
  Proposal proposal = strategy.ask({trials.first(visible), &proposed_}, id,
                                   guided ? &insights(id.generation, trials) : nullptr);
  if (small_space_.empty() || !proposed_.contains(genome_key(proposal.template_name, proposal.genome)))
    return proposal;
  auto left = next_left();
  return left ? std::move(*left) : proposal;
}

Drawn Proposer::draw(std::int64_t index, std::span<const TrialRecord> trials) {
  forget_before(visible_trials(index, settings_.max_in_flight), trials);
  Drawn drawn{{ask(index, trials)}, false};
  const std::string name = drawn.pool.front().template_name;
  std::vector<std::string>& keys = drawn_[index];
  const auto take = [&](std::string key) {
    proposed_.try_emplace(key, index);
    keys.push_back(std::move(key));
  };
  const std::string first = genome_key(name, drawn.pool.front().genome);
  const bool repeated = proposed_.contains(first);
  take(first);
  // What somebody named is tried whatever a model says, and so is all of a space that is tried whole.
  if (index == 0 || repeated || !small_space_.empty() || is_named(drawn.pool.front())) return drawn;
  drawn.screened = true;
  const auto visible = static_cast<std::size_t>(visible_trials(index, settings_.max_in_flight));
  drawn.rests = !model_ranks(name, trials.first(visible));
  if (drawn.rests) return drawn;
  const auto pool = static_cast<std::size_t>(settings_.screen.pool);
  // A model ranks variants of one family: what is of another template is none of this pool.
  const std::int64_t most_draws = draws_a_member * (settings_.screen.pool - 1);
  for (std::int64_t i = 1; i <= most_draws && drawn.pool.size() < pool; ++i) {
    SlotId id = slot(index);
    id.slot += static_cast<int>(i) * std::max(settings_.population, 1);
    Proposal proposal = ask_strategy(*further_, id, trials);
    std::string key = genome_key(proposal.template_name, proposal.genome);
    if (proposal.template_name != name || proposed_.contains(key)) continue;
    take(std::move(key));
    drawn.pool.push_back(std::move(proposal));
  }
  return drawn;
}

bool Proposer::model_ranks(std::string_view template_name, std::span<const TrialRecord> visible) const {
  std::vector<double> model_says, device_says;
  for (const TrialRecord& trial : visible.last(std::min(visible.size(), most_ranked))) {
    const auto modelled = modelled_.find(trial.index);
    if (modelled == modelled_.end() || !trial.correct() || trial.template_name != template_name) continue;
    model_says.push_back(modelled->second);
    device_says.push_back(trial.latency()->microseconds);
  }
  return model_says.size() < least_ranked || rank_correlation(model_says, device_says) >= least_correlation;
}

void Proposer::remember_drawn(std::int64_t index, std::vector<std::string> keys) {
  for (const std::string& key : keys) proposed_.try_emplace(key, index);
  drawn_[index] = std::move(keys);
}

void Proposer::forget_before(std::int64_t visible, std::span<const TrialRecord> trials) {
  while (!drawn_.empty() && drawn_.begin()->first < visible) {
    const auto slot = drawn_.extract(drawn_.begin());
    const TrialRecord& trial = trials[static_cast<std::size_t>(slot.key())];
    const std::string chosen = genome_key(trial.template_name, trial.genome);
    for (const std::string& key : slot.mapped()) {
      const auto known = proposed_.find(key);
      if (key == chosen || known == proposed_.end() || known->second != slot.key()) continue;
      const auto again = std::ranges::find_if(drawn_, [&](const auto& later) {
        return std::ranges::find(later.second, key) != later.second.end();
      });
      if (again == drawn_.end())
        proposed_.erase(known);
      else
        known->second = again->first;
    }
  }
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
  std::string key = genome_key(template_name, genome);
  auto& known = settings_.screen.on() ? tried_ : proposed_;
  const auto [at, fresh] = known.try_emplace(key, index);
  if (settings_.screen.on()) proposed_.try_emplace(std::move(key), index);
  return fresh ? std::nullopt : std::optional(at->second);
}

const model::Insights& Proposer::insights(int generation, std::span<const TrialRecord> trials) {
  if (!insights_ || insights_->generation != generation) {
    const std::int64_t first = std::int64_t{generation} * std::max(settings_.population, 1);
    const auto visible = static_cast<std::size_t>(visible_trials(first, settings_.max_in_flight));
    insights_ = compute_insights(space_, trials.first(visible), generation);
  }
  return *insights_;
}

std::int64_t planned_trials(const model::Experiment& experiment) {
  const std::int64_t slots = slots_of(experiment.search);
  return experiment.budget.trials > 0 ? std::min(experiment.budget.trials, slots) : slots;
}

}  // namespace evo::engine
