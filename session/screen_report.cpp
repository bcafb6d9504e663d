#include "session/screen_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "engine/screen.hpp"
#include "engine/statistics.hpp"
#include "evaluators/measure/statistics.hpp"

namespace evo::session {
namespace {

using engine::ScreenChoice;
using engine::ScreenedSlot;
using engine::TrialRecord;

constexpr double unknown_end = std::numeric_limits<double>::quiet_NaN();

ScreenRate rate_of(std::int64_t count, std::int64_t of) {
  if (of == 0) return {};
  return {count, of, {engine::wilson_lower(count, of), 1 - engine::wilson_lower(of - count, of)}};
}

std::optional<ScreenMean> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const engine::Moments moments = engine::moments(values);
  ScreenMean mean{moments.mean, {unknown_end, unknown_end}, moments.n};
  if (moments.n < 2) return mean;
  const double half = engine::student_t_975(static_cast<double>(moments.n - 1)) *
                      std::sqrt(moments.variance / static_cast<double>(moments.n));
  mean.interval = {moments.mean - half, moments.mean + half};
  return mean;
}

ScreenCorrelation correlation_of(const std::string& name, const std::vector<double>& modelled,
                                 const std::vector<double>& obtained) {
  ScreenCorrelation found{name,
                          evaluators::measure::spearman(modelled, obtained),
                          {unknown_end, unknown_end},
                          static_cast<std::int64_t>(modelled.size())};
  if (found.n < 4 || std::abs(found.rho) >= 1) return found;
  const double z = std::atanh(found.rho);
  const double half = 1.96 * std::sqrt((1 + found.rho * found.rho / 2) / static_cast<double>(found.n - 3));
  found.interval = {std::tanh(z - half), std::tanh(z + half)};
  return found;
}

/// A correct trial that the device saw itself, with what the model said of it.
struct Seen {
  const ScreenTrial* trial;
  const ScreenedSlot* slot;
  double microseconds;
};

void count(const std::vector<ScreenedSlot>& slots, ScreenReport& report) {
  double cpu = 0, prepare = 0;
  std::int64_t looked_at = 0;  // of a pool whose first cannot be modelled, nobody looks at the others
  for (const ScreenedSlot& slot : slots) {
    report.model = slot.model;
    cpu += slot.model_cpu_ms;
    prepare += slot.prepare_ms;
    for (std::size_t i = 0; i < slot.pool.size(); ++i) {
      const engine::ScreenedCandidate& one = slot.pool[i];
      const bool went = i == slot.chosen.position;
      ++report.candidates;
      looked_at += one.modelled_us || !one.failed.empty() || !one.not_modelled.empty() ? 1 : 0;
      report.modelled += one.modelled_us ? 1 : 0;
      report.left_out += one.modelled_us && !went ? 1 : 0;
      report.failed += !one.failed.empty() && !went ? 1 : 0;
      if (went && !one.not_modelled.empty() && report.why_not_modelled.empty())
        report.why_not_modelled = one.not_modelled;
    }
    report.best += slot.chosen.choice == ScreenChoice::best ? 1 : 0;
    report.explored += slot.chosen.choice == ScreenChoice::explored ? 1 : 0;
    report.alone += slot.chosen.choice == ScreenChoice::alone ? 1 : 0;
    report.rested += slot.chosen.choice == ScreenChoice::rested ? 1 : 0;
    report.not_modelled += slot.chosen.choice == ScreenChoice::not_modelled ? 1 : 0;
    report.all_failed += slot.chosen.choice == ScreenChoice::failed ? 1 : 0;
  }
  if (looked_at == 0) return;
  report.model_cpu_ms = cpu / static_cast<double>(looked_at);
  report.prepare_ms = prepare / static_cast<double>(looked_at);
}

void compare_with_best(const std::vector<Seen>& seen, ScreenReport& report) {
  std::map<int, std::vector<double>> best;  // of each generation
  for (const Seen& one : seen) {
    if (one.slot->chosen.choice == ScreenChoice::best)
      best[one.trial->generation].push_back(one.microseconds);
  }
  std::vector<double> beats, ratios;
  for (const Seen& one : seen) {
    const auto found = best.find(one.trial->generation);
    if (one.slot->chosen.choice != ScreenChoice::explored || found == best.end()) continue;
    double faster_than = 0, logarithms = 0;
    const auto others = static_cast<double>(found->second.size());
    for (const double other : found->second) {
      logarithms += std::log(other);
      faster_than += one.microseconds < other ? 1 : one.microseconds == other ? 0.5 : 0;
    }
    beats.push_back(faster_than / others);
    ratios.push_back(std::log(one.microseconds) - logarithms / others);
  }
  report.beats = mean_of(beats);
  report.ratio = mean_of(ratios);
  if (!report.ratio) return;
  report.ratio->mean = std::exp(report.ratio->mean);
  for (double& end : report.ratio->interval) end = std::exp(end);
}

}  // namespace

ScreenTrial screen_trial(const TrialRecord& trial) {
  ScreenTrial one{trial.index, trial.generation, trial.status, trial.template_name, {}, {}};
  if (const auto latency = trial.latency(); latency && trial.correct())
    one.microseconds = latency->microseconds;
  if (trial.paired) one.paired_ratio = trial.paired->ratio;
  return one;
}

std::optional<ScreenReport> screen_report(std::span<const TrialRecord> trials,
                                          std::span<const engine::EventRecord> events) {
  std::vector<ScreenTrial> all;
  all.reserve(trials.size());
  for (const TrialRecord& trial : trials) all.push_back(screen_trial(trial));
  return screen_report(std::span<const ScreenTrial>(all), events);
}

std::optional<ScreenReport> screen_report(std::span<const ScreenTrial> trials,
                                          std::span<const engine::EventRecord> events) {
  std::vector<ScreenedSlot> slots;
  for (const engine::EventRecord& event : events)
    if (auto slot = engine::screened_slot(event)) slots.push_back(std::move(*slot));
  if (slots.empty()) return std::nullopt;
  ScreenReport report;
  count(slots, report);
  std::map<std::int64_t, const ScreenedSlot*> slot_of;
  for (const ScreenedSlot& slot : slots) slot_of[slot.trial] = &slot;

  std::vector<Seen> seen;
  std::vector<double> gains;
  std::int64_t of_explored = 0, better_explored = 0, of_best = 0, better_best = 0;
  std::optional<double> champion;
  for (const ScreenTrial& trial : trials) {
    const auto& microseconds = trial.microseconds;
    const auto slot = slot_of.find(trial.index);
    const bool better = trial.status == model::Status::better;
    if (slot != slot_of.end() && trial.status != model::Status::duplicate) {
      const ScreenChoice choice = slot->second->chosen.choice;
      of_best += choice == ScreenChoice::best ? 1 : 0;
      better_best += choice == ScreenChoice::best && better ? 1 : 0;
      of_explored += choice == ScreenChoice::explored ? 1 : 0;
      if (choice == ScreenChoice::explored && better) {
        ++better_explored;
        gains.push_back(
            1 - trial.paired_ratio.value_or(champion && microseconds ? *microseconds / *champion : 1));
      }
      if (microseconds) seen.push_back({&trial, slot->second, *microseconds});
    }
    if (microseconds && (better || !champion)) champion = *microseconds;
  }
  report.explored_better = rate_of(better_explored, of_explored);
  report.best_better = rate_of(better_best, of_best);
  if (const auto mean = mean_of(gains)) report.explored_gain = mean->mean;
  compare_with_best(seen, report);

  std::map<std::string, std::array<std::vector<double>, 2>> pairs;
  for (const Seen& one : seen) {
    const auto& modelled = one.slot->pool[one.slot->chosen.position].modelled_us;
    if (!modelled) continue;
    auto& [model_says, device_says] = pairs[one.trial->template_name];
    model_says.push_back(*modelled);
    device_says.push_back(one.microseconds);
  }
  for (const auto& [name, both] : pairs)
    if (both[0].size() >= 2) report.correlations.push_back(correlation_of(name, both[0], both[1]));
  return report;
}

}  // namespace evo::session
