// Statistics of samples. All are deterministic; what resamples takes a seed.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace evo::evaluators::measure {

/// The middle value, or the mean of the two middle ones. NaN for no samples.
[[nodiscard]] double median(std::span<const double> samples);

/// The q-quantile, 0 <= q <= 1, interpolated linearly between order statistics. NaN for no samples.
[[nodiscard]] double quantile(std::span<const double> samples, double q);

struct BootstrapSettings {
  int resamples = 2000;
  double confidence = 0.95;
  std::uint64_t seed = 1;
};

/// Percentile bootstrap interval of the median: {low, high}. NaNs for no samples.
[[nodiscard]] std::array<double, 2> median_interval(std::span<const double> samples,
                                                    const BootstrapSettings& settings = {});

/// Spearman's rank correlation, ties get the mean of their ranks. NaN for fewer than two pairs, for different
/// lengths, or if one side is constant.
[[nodiscard]] double spearman(std::span<const double> first, std::span<const double> second);

struct RatioInterval {
  double ratio = 1;
  std::array<double, 2> interval{};
};

/// Geometric mean of the ratios whose logarithms these are, one a round, and Student's t interval of it.
/// Needs two rounds; NaNs otherwise.
[[nodiscard]] RatioInterval ratio_interval(std::span<const double> log_ratios, double confidence);

struct MannWhitney {
  double u =
      0;  ///< of the first sample: how often a value of the first exceeds one of the second, ties as 1/2
  double z = 0;  ///< normal approximation with tie and continuity correction
  double p = 1;  ///< two-sided
};

/// Rank test of whether one sample tends to be larger. p is 1 if a sample is empty or all values are equal.
[[nodiscard]] MannWhitney mann_whitney(std::span<const double> first, std::span<const double> second);

}  // namespace evo::evaluators::measure
