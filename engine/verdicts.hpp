// From what an evaluator says to the fields of a trial. Used by the campaign and by replay.
#pragma once

#include "engine/strategy.hpp"
#include "engine/trial.hpp"
#include "evaluators/evaluator.hpp"

namespace evo::engine {

/// A trial with the fields that a proposal decides.
[[nodiscard]] TrialRecord trial_of(const Proposal& proposal, const SlotId& slot,
                                   const model::Variant& variant);

/// Gates, resources and identity; status, gate, reason and evidence when a gate failed.
void record_prepared(TrialRecord& trial, const evaluators::Prepared& prepared);

/// The rest of the ladder. A right trial's status is `proven` until compare_with_champion().
void record_evaluation(TrialRecord& trial, const evaluators::Evaluation& evaluation);

/// Makes the trial a no_op of `original`; reason "same_genome" or "same_code". The original's latencies are
/// reused.
void record_duplicate(TrialRecord& trial, const TrialRecord& original, const char* reason);

/// better, tie or correct_slower. Latencies that both have an interval differ only if the intervals are
/// disjoint; otherwise (modelled) the numbers are compared exactly. Ties keep the incumbent.
[[nodiscard]] model::Status compare_latency(const model::Latency& candidate, const model::Latency& incumbent);

/// Settles the status of a trial that passed every gate.
void compare_with_champion(TrialRecord& trial, const TrialRecord& champion);

/// The event that tells replay to take this trial's verdict as it is: a compile time-out, or a time-out on a
/// real device (the virtual one counts instructions). nullopt when no clock had a part in it.
[[nodiscard]] std::optional<EventRecord> clock_event(const TrialRecord& trial,
                                                     const std::string& device_kind);

}  // namespace evo::engine
