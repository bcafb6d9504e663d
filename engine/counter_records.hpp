// What a run's profile gate counted of its trials, as events of the ledger.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "engine/trial.hpp"
#include "model/counters.hpp"

namespace evo::engine {

/// Kind; trial = its index; details: basis, method, device, kernels (JSON). Of every trial that was counted,
/// also of one that a bound refused: without those, what a gene does to a counter would seem smaller than it
/// is. In no lineage.
inline constexpr const char* counted_event = "counted";

/// The reading without its source lines.
[[nodiscard]] EventRecord counted_event_of(std::int64_t trial, const model::CounterReading& reading);

/// By the trial's index.
using CountedTrials = std::map<std::int64_t, model::CounterReading>;
/// Of all events. One that cannot be read, of a later evo for instance, is left out.
[[nodiscard]] CountedTrials counted_trials(std::span<const EventRecord> events);

}  // namespace evo::engine
