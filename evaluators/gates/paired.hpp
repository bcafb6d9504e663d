// Two variants that were proven correct, timed in turn: what drifts between two trials of a run (clocks,
// heat, where a module and its buffers lie) is the same for both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluators/gates/clock_watch.hpp"
#include "evaluators/gates/job_context.hpp"
#include "model/measurement.hpp"

namespace evo::evaluators::gates {

/// How often a comparison is looked at: after paired_rounds rounds, twice, four and eight times as many.
inline constexpr int paired_looks = 4;
/// How sure the interval is at each look: its upper ends are wrong with a chance of `error` at most, all
/// looks together. Without a decision (0): 99.9 %.
[[nodiscard]] constexpr double look_confidence(double error) {
  return error > 0 ? 1 - 2 * error / paired_looks : 0.999;
}

/// After so many rounds both modules are loaded afresh. Where code lies is the same for the rounds of one
/// load, so that loads are the independent samples: with rounds in their place, copies whose loads differ by
/// 1 % come out as faster in more than 1 % of the comparisons (bench/decision). Even, so that each side
/// begins a load's rounds equally often.
inline constexpr int paired_rounds_a_load = 2;

/// The rounds that only say whether a comparison is worth its error: who shows no advantage in them is left,
/// and who does is compared on fresh rounds alone. So most copies spend nothing of a run's error.
inline constexpr int screening_rounds = 2 * paired_rounds_a_load;

/// Runs a job that has an opponent: rounds in which each is timed once, on the same buffers, the first of a
/// round in turn; both modules are loaded afresh after every paired_rounds_a_load of them, the first of them
/// in turn too. Afterwards the outputs must be correct. With an error to decide by: ends early when the
/// candidate shows no advantage; goes on to more rounds, eight times paired_rounds at most, while the
/// interval holds both a gain beyond the resolution and none (bench/decision); the rounds of the screening
/// stand before those. Without: paired_rounds rounds. One series a timed case. Real devices only.
/// std::logic_error without an opponent that has the same number of timed cases, at least one. `watch` looks
/// behind each load.
[[nodiscard]] Outcome<std::vector<PairedSeries>> measure_paired(devices::Device& device, const DeviceJob& job,
                                                                oracle::ReferenceCache& cache,
                                                                ClockWatch& watch);

/// The ratio of candidate to opponent over all cases; its interval is over the loads, by the job's error.
/// With one, of the rounds behind the screening, or of the screening where there are no others. An interval
/// that says nothing ends at widest_ratio. nullopt if there is no series, they do not fit each other, or
/// there was one load only.
[[nodiscard]] std::optional<model::PairedComparison> compare_series(const std::vector<PairedSeries>& series,
                                                                    const std::string& incumbent,
                                                                    double error);
inline constexpr double widest_ratio = 1e6;

}  // namespace evo::evaluators::gates
