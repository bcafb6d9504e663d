#include "engine/counter_effects.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace evo::engine {
namespace {

/// Deviations that a fit is made with: on the scale of ln(latency), which its prior is for.
constexpr double fitted_deviation = 0.25;

bool is_share(std::string_view counter) {
  return counter.ends_with("_percent");
}

/// It counts what is done, so that what two kernels do adds up.
bool adds_up(std::string_view counter) {
  const model::CounterName* known = model::find_counter(counter);
  return !is_share(counter) && !counter.starts_with("stall_") && (known == nullptr || !known->compiled);
}

/// Of one workload's kernels; nullopt where one lacks it.
std::optional<double> over_kernels(const std::vector<const model::KernelCounters*>& kernels,
                                   std::string_view counter) {
  double sum = 0, weighted = 0, weights = 0;
  for (const model::KernelCounters* kernel : kernels) {
    const auto value = kernel->find(counter);
    if (!value || !std::isfinite(*value)) return std::nullopt;
    const double weight = std::max(kernel->find("duration_us").value_or(0), 1e-9);
    sum += *value;
    weighted += weight * *value;
    weights += weight;
  }
  return adds_up(counter) ? sum : weighted / weights;
}

/// On each workload; empty where one lacks it.
std::vector<double> on_workloads(const model::CounterReading& reading, std::string_view counter) {
  std::map<std::string, std::vector<const model::KernelCounters*>, std::less<>> workloads;
  for (const model::KernelCounters& kernel : reading.kernels) workloads[kernel.workload].push_back(&kernel);
  std::vector<double> values;
  for (const auto& [workload, kernels] : workloads) {
    const auto value = over_kernels(kernels, counter);
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

/// One trial's counter on its workloads.
struct Counted {
  std::size_t level = 0;
  const model::Genome* genome = nullptr;
  std::vector<double> values;
};

/// Trials of the template whose readings have this basis and the counter.
std::vector<Counted> counted_values(std::span<const CountedHistory> histories, std::string_view template_name,
                                    model::CounterBasis basis, std::string_view counter,
                                    std::size_t& levels) {
  std::map<std::tuple<std::size_t, std::string, std::string>, std::size_t> level_of;
  std::vector<Counted> found;
  for (std::size_t run = 0; run < histories.size(); ++run) {
    for (const TrialRecord& trial : histories[run].trials) {
      if (trial.template_name != template_name || trial.status == model::Status::duplicate) continue;
      const auto reading = histories[run].counted->find(trial.index);
      if (reading == histories[run].counted->end() || reading->second.basis != basis) continue;
      std::vector<double> values = on_workloads(reading->second, counter);
      if (values.empty()) continue;
      const auto level =
          level_of.try_emplace({run, reading->second.method, reading->second.device}, level_of.size());
      found.push_back({level.first->second, &trial.genome, std::move(values)});
    }
  }
  levels = level_of.size();
  return found;
}

double mean_of(const std::vector<double>& values, bool relative) {
  double sum = 0;
  for (const double value : values) sum += relative ? std::log(value) : value;
  return sum / static_cast<double>(values.size());
}

double deviation_of(const std::vector<JointRow>& rows) {
  double mean = 0, squares = 0;
  for (const JointRow& row : rows) mean += row.y / static_cast<double>(rows.size());
  for (const JointRow& row : rows) squares += (row.y - mean) * (row.y - mean);
  return std::sqrt(squares / static_cast<double>(rows.size()));
}

CounterEffects effects_on(const std::vector<Counted>& counted, std::size_t levels,
                          const model::Genome& reference, CounterEffects effects, double error) {
  effects.relative = !is_share(effects.counter) && std::ranges::all_of(counted, [](const Counted& one) {
    return std::ranges::all_of(one.values, [](double value) { return value > 0; });
  });
  std::vector<JointRow> rows;
  for (const Counted& one : counted)
    rows.push_back({one.level, one.genome, mean_of(one.values, effects.relative)});
  effects.fit.trials = static_cast<std::int64_t>(rows.size());
  const double deviation = deviation_of(rows);
  // What hardly differs is what a launch differs by from the next, or nothing at all.
  if (!(deviation > 1e-9 * std::max(std::abs(rows.front().y), 1.0))) return effects;
  const double scale = deviation / fitted_deviation;
  for (JointRow& row : rows) row.y /= scale;
  effects.fit = joint_effects_of(rows, levels, reference, error);
  effects.fit.noise *= scale;
  for (JointEffect& effect : effects.fit.effects) {
    effect.effect *= scale;
    for (double& end : effect.interval) end *= scale;
  }
  return effects;
}

}  // namespace

std::vector<std::string> counters_of(const CountedTrials& counted) {
  std::set<std::string, std::less<>> seen;
  for (const auto& [trial, reading] : counted)
    for (const model::KernelCounters& kernel : reading.kernels)
      for (const auto& [name, value] : kernel.values) seen.insert(name);
  std::vector<std::string> names;
  for (const model::CounterName& one : model::counter_names())
    if (seen.contains(one.name)) names.emplace_back(one.name);
  return names;
}

std::vector<CounterEffects> counter_effects(std::span<const CountedHistory> histories,
                                            std::string_view template_name, const model::Genome& reference,
                                            std::span<const std::string> counters) {
  std::vector<CounterEffects> all;
  for (const model::CounterBasis basis : {model::CounterBasis::measured, model::CounterBasis::modelled}) {
    for (const std::string& counter : counters) {
      std::size_t levels = 0;
      const std::vector<Counted> counted = counted_values(histories, template_name, basis, counter, levels);
      if (!counted.empty())
        all.push_back(effects_on(counted, levels, reference, {counter, basis, false, {}},
                                 joint_error / static_cast<double>(counters.size())));
    }
  }
  return all;
}

}  // namespace evo::engine
