// How large a difference between two samples is, and what is odd about a sample.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace evo::evaluators::measure {

/// Difference of the means (second - first) in pooled standard deviations, corrected for small samples.
/// 0 where both are constant and equal; NaN for fewer than two values on a side; infinite where both are
/// constant and differ.
[[nodiscard]] double hedges_g(std::span<const double> first, std::span<const double> second);

/// How often a value of the second exceeds one of the first less how often it falls below, as a share of all
/// pairs: -1 to 1. NaN where a side is empty.
[[nodiscard]] double cliffs_delta(std::span<const double> first, std::span<const double> second);

/// What makes a series of latencies, in the order in which they were taken, unusual: "bimodal" (two clusters
/// far apart, each of a fifth of the samples or more), "drifting" (the rank of a sample follows its time),
/// "few_distinct" (fewer than a tenth of the values differ: the clock is too coarse). Empty for fewer than 16
/// samples, which show nothing.
[[nodiscard]] std::vector<std::string> oddities(std::span<const double> samples);

}  // namespace evo::evaluators::measure
