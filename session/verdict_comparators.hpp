// What else computes a run's problem, beside its champion at the end: libraries in turn with it on a GPU,
// kernels everywhere.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/trial.hpp"
#include "model/experiment.hpp"
#include "session/evaluation_stack.hpp"
#include "session/timed_pairs.hpp"

namespace evo::session {

/// The problem's comparators, or what evo brings for the problem, each in turn with the champion, at the L2
/// of the experiment. A kernel is proven by the run's own gates first. What cannot take part has the reason.
[[nodiscard]] std::vector<TimedPairs> comparators_measured(const model::Experiment& experiment,
                                                           EvaluationStack& stack,
                                                           const model::Variant& champion,
                                                           std::uint64_t entropy,
                                                           const std::stop_token& stop);

/// Kernels that pass the run's gates, beside the champion's modelled latencies; nobody models a library,
/// which is said of all of them in one entry.
[[nodiscard]] std::vector<TimedPairs> comparators_modelled(const model::Experiment& experiment,
                                                           EvaluationStack& stack,
                                                           const engine::TrialRecord& champion,
                                                           const std::stop_token& stop);

}  // namespace evo::session
