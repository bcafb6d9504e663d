// Two variants that were proven correct, timed in turn: what drifts between two trials of a run (clocks,
// heat, where a module and its buffers lie) is the same for both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluators/gates/job_context.hpp"
#include "model/measurement.hpp"

namespace evo::evaluators::gates {

/// How often a comparison is looked at: after paired_rounds rounds, twice and four times as many.
inline constexpr int paired_looks = 3;
/// How sure the interval of a comparison is at each look; together they are wrong at most once in a thousand
/// times. Copies of one kernel come out as faster in at most half of that.
inline constexpr double paired_confidence = 1 - 0.001 / paired_looks;

/// After so many rounds both modules are loaded afresh. Where code lies is the same for the rounds of one
/// load, so that loads are the independent samples: with rounds in their place, copies whose loads differ by
/// 1 % come out as faster in more than 1 % of the comparisons (bench/decision). Even, so that each side
/// begins a load's rounds equally often.
inline constexpr int paired_rounds_a_load = 2;

/// Runs a job that has an opponent: rounds in which each is timed once, on the same buffers, the first of a
/// round in turn; both modules are loaded afresh after every paired_rounds_a_load of them, the first of them
/// in turn too. Afterwards the outputs must be correct. Ends early when the candidate shows no advantage;
/// goes on to more rounds, twice at most, while the interval holds both a gain beyond the resolution and none
/// (bench/decision). One series a timed case. Real devices only. std::logic_error without an opponent that
/// has the same number of timed cases, at least one.
[[nodiscard]] Outcome<std::vector<PairedSeries>> measure_paired(devices::Device& device, const DeviceJob& job,
                                                                oracle::ReferenceCache& cache);

/// The ratio of candidate to opponent over all cases; its interval is over the loads. nullopt if there is no
/// series, they do not fit each other, or there was one load only.
[[nodiscard]] std::optional<model::PairedComparison> compare_series(const std::vector<PairedSeries>& series,
                                                                    const std::string& incumbent);

}  // namespace evo::evaluators::gates
