// The few distributions that insights need.
#pragma once

#include <cstdint>
#include <span>

namespace evo::engine {

struct Moments {
  std::int64_t n = 0;
  double mean = 0;
  double variance = 0;  ///< of the sample (n - 1); 0 for n < 2
};
[[nodiscard]] Moments moments(std::span<const double> values);

/// The 97.5 % quantile of Student's t with `degrees` degrees of freedom (any positive real number).
[[nodiscard]] double student_t_975(double degrees);

/// Half-width of Welch's 95 % interval for the difference of two means. Both need n >= 2.
[[nodiscard]] double welch_half_width(const Moments& a, const Moments& b);

/// Spearman's rank correlation of so many pairs, ties get the mean of their ranks; 0 for fewer than two, or
/// where one side is constant.
[[nodiscard]] double rank_correlation(std::span<const double> first, std::span<const double> second);

/// Lower end of Wilson's 95 % interval for a rate of `count` in `of`; 0 when of = 0.
[[nodiscard]] double wilson_lower(std::int64_t count, std::int64_t of);

}  // namespace evo::engine
