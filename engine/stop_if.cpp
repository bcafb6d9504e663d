#include "engine/stop_if.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace evo::engine {
namespace {

/// The trials that became champion, the baseline first.
std::vector<const TrialRecord*> champions_of(std::span<const TrialRecord> history) {
  std::vector<const TrialRecord*> champions;
  for (const TrialRecord& trial : history) {
    const bool first = champions.empty() && trial.correct();
    if ((first || trial.status == model::Status::better) && trial.latency()) champions.push_back(&trial);
  }
  return champions;
}

/// What `next` takes, as a share of what `before` takes.
double ratio_of(const TrialRecord& before, const TrialRecord& next) {
  if (next.paired && next.paired->incumbent == before.variant) return next.paired->ratio;
  return next.latency()->microseconds / before.latency()->microseconds;
}

/// The gain of the champions that are no longer `before`.
template <class Before>
double gain_since(std::span<const TrialRecord> history, const Before& before) {
  const std::vector<const TrialRecord*> champions = champions_of(history);
  double left = 1;
  for (std::size_t i = 1; i < champions.size(); ++i) {
    if (!before(*champions[i])) left *= ratio_of(*champions[i - 1], *champions[i]);
  }
  return 1 - left;
}

std::optional<EventRecord> stalled(const model::StopIf& stop_if, std::optional<double> gain,
                                   std::int64_t trials, const model::StopIf& which) {
  // A gain of exactly 1 % is one: the last digits of a quotient do not end a run.
  constexpr double rounding = 1e-12;
  if (!gain || *gain >= stop_if.gain - rounding) return std::nullopt;
  return EventRecord{event_kinds::budget_stop,
                     trials,
                     {{"budget", stop_if_budget},
                      {"limit", model::text_of(which)},
                      {"used", fmt::format("{:.3g} %", 100 * *gain)}}};
}

}  // namespace

std::optional<double> gain_of_last_trials(std::span<const TrialRecord> history, std::int64_t trials) {
  const auto count = static_cast<std::int64_t>(history.size());
  // The baseline is no attempt at a gain.
  if (trials <= 0 || count - 1 < trials) return std::nullopt;
  return gain_since(history, [&](const TrialRecord& trial) { return trial.index < count - trials; });
}

std::optional<double> gain_of_last_seconds(std::span<const TrialRecord> history, double seconds,
                                           double elapsed_seconds) {
  // Until the baseline is committed nothing is tried: references are computed and caches are filled.
  if (seconds <= 0 || history.empty()) return std::nullopt;
  const double from = elapsed_seconds - seconds;
  if (from < history.front().elapsed_seconds) return std::nullopt;
  return gain_since(history, [&](const TrialRecord& trial) { return trial.elapsed_seconds < from; });
}

std::optional<EventRecord> stalled_in_trials(const model::StopIf& stop_if,
                                             std::span<const TrialRecord> history) {
  return stalled(stop_if, gain_of_last_trials(history, stop_if.trials),
                 static_cast<std::int64_t>(history.size()), {stop_if.gain, stop_if.trials, 0});
}

std::optional<EventRecord> stalled_in_time(const model::StopIf& stop_if, std::span<const TrialRecord> history,
                                           double elapsed_seconds) {
  return stalled(stop_if, gain_of_last_seconds(history, stop_if.seconds, elapsed_seconds),
                 static_cast<std::int64_t>(history.size()), {stop_if.gain, 0, stop_if.seconds});
}

}  // namespace evo::engine
