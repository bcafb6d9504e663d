// The end of a run that no longer gains: budget.stop_if.
#pragma once

#include <optional>
#include <span>

#include "engine/trial.hpp"
#include "model/experiment.hpp"

namespace evo::engine {

/// What the last `trials` trials, or the last `seconds` of the run, gained: the share by which the champion's
/// latency fell. Where champions were timed in turn, that is what counts, since latencies of different
/// moments do not tell 1 %. Of a run that is shorter: nullopt.
[[nodiscard]] std::optional<double> gain_of_last_trials(std::span<const TrialRecord> history,
                                                        std::int64_t trials);
[[nodiscard]] std::optional<double> gain_of_last_seconds(std::span<const TrialRecord> history, double seconds,
                                                         double elapsed_seconds);

/// Part of an event budget_stop: the budget's name when `stop_if` ended the run.
inline constexpr const char* stop_if_budget = "stop_if";

/// The event that ends the run because its last trials gained too little. It follows from the trials alone,
/// so that it does not depend on threads and a resumed run stops at the same trial.
[[nodiscard]] std::optional<EventRecord> stalled_in_trials(const model::StopIf& stop_if,
                                                           std::span<const TrialRecord> history);
/// The same of its last seconds; a clock decides it.
[[nodiscard]] std::optional<EventRecord> stalled_in_time(const model::StopIf& stop_if,
                                                         std::span<const TrialRecord> history,
                                                         double elapsed_seconds);

}  // namespace evo::engine
