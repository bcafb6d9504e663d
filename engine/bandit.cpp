#include "engine/bandit.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "engine/insights.hpp"
#include "mutators/source_weights.hpp"
#include "mutators/weights.hpp"

namespace evo::engine {
namespace {

/// An arm's mean is held towards that of all as if it had so many trials like the others: one lucky trial is
/// not much.
constexpr double bandit_prior = 8;
/// No weight goes further from the experiment's: what brings nothing today is still asked now and then.
constexpr double most_factor = 5;
/// A modelled latency has no interval; less than this is no gain.
constexpr double least_gain = 0.001;

/// Steps of "uniform_crossover+gene_mutation", and the model of "llm:NAME:repair".
std::vector<std::string> arms_of(std::string_view operation) {
  constexpr std::string_view repair = ":repair";
  if (operation.starts_with("llm:")) {
    if (operation.ends_with(repair)) operation.remove_suffix(repair.size());
    return {std::string(operation)};
  }
  std::vector<std::string> names;
  while (true) {
    const std::size_t plus = operation.find('+');
    names.emplace_back(operation.substr(0, plus));
    if (plus == std::string_view::npos) return names;
    operation.remove_prefix(plus + 1);
  }
}

/// Logarithm of the speed-up if it is significant; 0 if it is not.
double gain_over(const model::Latency& before, const model::Latency& after) {
  if (before.ci95 && after.ci95 && (*after.ci95)[1] >= (*before.ci95)[0]) return 0;
  if (after.microseconds <= 0 || before.microseconds <= 0) return 0;
  const double gain = std::log(before.microseconds / after.microseconds);
  return gain >= least_gain ? gain : 0;
}

double cost_spent(const model::SearchSettings& settings, const std::string& arm, const Exchanges* exchanges,
                  std::int64_t proposal) {
  if (exchanges == nullptr) return 0;
  for (const model::LanguageModel& model : settings.models) {
    if (arm == "llm:" + model.name) return exchanges->spent(model, proposal, 0).cost;
  }
  return 0;
}

std::vector<BanditArm> idle_arms(const model::SearchSettings& settings) {
  std::vector<BanditArm> arms;
  const auto add = [&](std::string name, double weight) {
    BanditArm arm;
    arm.name = std::move(name);
    arm.weight = weight;
    if (weight > 0) arms.push_back(std::move(arm));
  };
  const auto weights = mutators::weights_of(settings);
  if (!weights) return arms;
  for (const std::string& name : mutators::operator_names()) add(name, weights->at(name));
  for (const auto& [name, weight] : mutators::source_weights(*weights)) add(name, weight);
  for (const model::LanguageModel& model : settings.models) add("llm:" + model.name, model.weight);
  return arms;
}

}  // namespace

void BanditMemory::add(const TrialRecord& trial) {
  const auto latency = trial.correct() ? trial.latency() : std::nullopt;
  std::optional<model::Latency> before = best_;
  if (!trial.parents.empty()) {
    const auto parent = known_.find(trial.parents.front());
    before = parent == known_.end() ? std::nullopt : std::optional(parent->second);
  }
  last_.push_back({trial.operator_name, latency && before ? gain_over(*before, *latency) : 0});
  if (last_.size() > bandit_memory) last_.pop_front();
  ++trials_;
  if (!latency) return;
  known_.emplace(trial.variant, *latency);
  if (!best_ || latency->microseconds < best_->microseconds) best_ = latency;
}

std::vector<BanditArm> bandit_arms(const model::SearchSettings& settings, std::span<const TrialRecord> seen,
                                   const Exchanges* exchanges, std::int64_t proposal) {
  BanditMemory memory;
  for (const TrialRecord& trial : seen) memory.add(trial);
  return bandit_arms(settings, memory.last(), exchanges, proposal);
}

std::vector<BanditArm> bandit_arms(const model::SearchSettings& settings, const std::deque<BanditSeen>& last,
                                   const Exchanges* exchanges, std::int64_t proposal) {
  std::vector<BanditArm> arms = idle_arms(settings);
  double sum = 0;
  std::int64_t count = 0;
  for (const BanditSeen& seen : last) {
    for (const std::string& name : arms_of(seen.operation)) {
      const auto arm = std::ranges::find(arms, name, &BanditArm::name);
      if (arm == arms.end()) continue;
      ++arm->trials;
      arm->gains += seen.gain > 0 ? 1 : 0;
      arm->reward += seen.gain;
      sum += seen.gain;
      ++count;
    }
  }
  const double all = count > 0 ? sum / static_cast<double>(count) : 0;
  for (BanditArm& arm : arms) {
    const double cost = settings.bandit_cost * cost_spent(settings, arm.name, exchanges, proposal);
    const double total = arm.reward - cost;
    const auto trials = static_cast<double>(arm.trials);
    arm.reward = arm.trials > 0 ? total / trials : 0;
    // Without a gain anywhere all that tells arms apart is what they cost.
    if (all <= 0 && cost <= 0) continue;
    const double mean = (total + bandit_prior * all) / (trials + bandit_prior);
    arm.factor = all > 0 ? std::clamp(mean / all, 1 / most_factor, most_factor) : 1 / most_factor;
  }
  return arms;
}

model::SearchSettings with_factors(model::SearchSettings settings, std::span<const BanditArm> arms) {
  // All operators on the text are arms of their own here.
  settings.mutators.erase(std::string(mutators::all_source_edits));
  for (const BanditArm& arm : arms) {
    if (!arm.name.starts_with("llm:")) settings.mutators.insert_or_assign(arm.name, arm.weight * arm.factor);
  }
  for (model::LanguageModel& model : settings.models) {
    const auto arm = std::ranges::find(arms, "llm:" + model.name, &BanditArm::name);
    if (arm != arms.end()) model.weight *= arm->factor;
  }
  return settings;
}

namespace {

model::SearchSettings without_bandit(model::SearchSettings settings) {
  settings.bandit = false;
  return settings;
}

/// What the first slot of a generation sees.
std::int64_t seen_by_generation(const model::SearchSettings& settings, int generation) {
  return visible_trials(std::int64_t{generation} * std::max(settings.population, 1), settings.max_in_flight);
}

}  // namespace

BanditStrategy::BanditStrategy(const model::SearchSettings& settings, const SearchSpace& space,
                               Exchanges* exchanges)
    : settings_(without_bandit(settings)),
      space_(space),
      exchanges_(exchanges),
      first_(make_strategy(settings_, space, exchanges)) {}

Proposal BanditStrategy::ask(const History& history, const SlotId& slot,
                             const model::Insights* insights) const {
  if (slot.generation == 0) return first_->ask(history, slot, insights);
  if (generation_ != slot.generation) {
    const auto count = static_cast<std::size_t>(seen_by_generation(settings_, slot.generation));
    const auto seen = history.visible.first(std::min(count, history.visible.size()));
    const std::int64_t first = std::int64_t{slot.generation} * std::max(settings_.population, 1);
    current_ = make_strategy(with_factors(settings_, bandit_arms(settings_, seen, exchanges_, first)), space_,
                             exchanges_);
    generation_ = slot.generation;
  }
  return current_->ask(history, slot, insights);
}

void BanditHistory::add(const TrialRecord& trial) {
  if (!settings_.bandit) return;
  while (seen_by_generation(settings_, static_cast<int>(seen_.size())) == memory_.trials())
    seen_.push_back(memory_.last());
  memory_.add(trial);
  generation_ = trial.generation;
}

std::vector<BanditGeneration> BanditHistory::finish(const std::vector<EventRecord>& events) const {
  std::vector<BanditGeneration> generations;
  if (generation_ < 0) return generations;
  Exchanges exchanges(nullptr, {});
  exchanges.load(events);
  for (int generation = 0; generation <= generation_; ++generation) {
    const auto known = static_cast<std::size_t>(generation);
    const std::int64_t first = std::int64_t{generation} * std::max(settings_.population, 1);
    generations.push_back(
        {generation,
         bandit_arms(settings_, known < seen_.size() ? seen_[known] : memory_.last(), &exchanges, first)});
  }
  return generations;
}

std::vector<BanditGeneration> bandit_history(const model::SearchSettings& settings,
                                             std::span<const TrialRecord> trials,
                                             const std::vector<EventRecord>& events) {
  BanditHistory history(settings);
  for (const TrialRecord& trial : trials) history.add(trial);
  return history.finish(events);
}

}  // namespace evo::engine
