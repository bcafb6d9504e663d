// From what an evaluator says to the fields of a trial. Used by the campaign and by replay.
#pragma once

#include <functional>

#include "engine/strategy.hpp"
#include "engine/trial.hpp"
#include "evaluators/evaluator.hpp"

namespace evo::engine {

/// A trial with the fields that a proposal decides.
[[nodiscard]] TrialRecord trial_of(const Proposal& proposal, const SlotId& slot,
                                   const model::Variant& variant);

/// Gates, resources and identity; status, gate, reason and evidence when a gate failed.
void record_prepared(TrialRecord& trial, const evaluators::Prepared& prepared);

/// The rest of the ladder. A correct trial's status is `proven` until compare_with_champion().
void record_evaluation(TrialRecord& trial, const evaluators::Evaluation& evaluation);
/// What the ledger keeps of a farm's part in a trial: who did it, and the cost of what workers took since the
/// last one. `evaluation` may be null. Nothing where no worker did it and none has a price.
void record_work(TrialRecord& trial, const evaluators::Evaluation* evaluation, const model::Budget& budget,
                 double farm_cost);

/// Makes the trial a duplicate of `original`; reason "same_genome" or "same_code". The original's latencies
/// are reused.
void record_duplicate(TrialRecord& trial, const TrialRecord& original, const char* reason);

/// What measurements of different moments cannot tell apart, as a share of a latency: between them clocks and
/// the place of code and buffers change. Copies of one kernel differed by up to 1.6 % (docs/results).
inline constexpr double drift = 0.02;

/// better, tie or correct_slower from two latencies alone. Modelled ones are exact numbers. Measured ones
/// were taken at different moments: such a trial is never better, and slower only by more than `drift`.
[[nodiscard]] model::Status compare_latency(const model::Latency& candidate, const model::Latency& incumbent);

/// better, tie or correct_slower from timing in turn: the whole interval lies on one side, by more than
/// `resolution`.
[[nodiscard]] model::Status compare_paired(const model::PairedComparison& paired, double resolution);

/// A trial that was measured to take this share of the champion's latency, or less, is timed in turn with it.
/// Without the limit every variant that is as fast as the champion would be timed again; a small gain that
/// drift hides is lost.
inline constexpr double promising = 0.998;

/// True if the trial is correct, measured, and promising.
[[nodiscard]] bool needs_pairing(const TrialRecord& trial, const TrialRecord& champion);

/// Settles the status of a trial that passed every gate: by its paired comparison if it has one.
void compare_with_champion(TrialRecord& trial, const TrialRecord& champion, double resolution);

/// Reason of a trial that was quarantined because timing it in turn with the champion failed.
inline constexpr const char* comparison_failed = "comparison_failed";

/// Keeps what came of timing the trial and the champion in turn in the trial: the comparison, or the evidence
/// why there is none. Nothing where latencies are exact numbers (nullopt). The raw samples are returned.
std::vector<model::SampleSeries> keep_pairing(TrialRecord& trial, std::optional<evaluators::Paired> paired);

/// What a ledger keeps of samples (model::kept_samples()): the trial's own, then those of its comparison.
[[nodiscard]] std::vector<model::SampleSeries> samples_to_keep(const evaluators::Evaluation* evaluation,
                                                               std::vector<model::SampleSeries> compared);

/// Times the trial and the champion in turn if that is needed, and keeps what came of it. `error`:
/// PromotionError::next().
void pair_with_champion(TrialRecord& trial, const TrialRecord& champion, evaluators::Evaluator& evaluator,
                        const model::Variant& candidate, const std::function<model::Variant()>& incumbent,
                        double error);

/// The event that tells replay to take this trial's verdict as it is: a compile time-out, or a time-out on a
/// real device (the virtual one counts instructions). nullopt when no clock had a part in it.
[[nodiscard]] std::optional<EventRecord> clock_event(const TrialRecord& trial,
                                                     const std::string& device_kind);

}  // namespace evo::engine
