#include <cmath>
#include <limits>

#include <boost/math/distributions/students_t.hpp>

#include "evaluators/measure/statistics.hpp"

namespace evo::evaluators::measure {

RatioInterval ratio_interval(std::span<const double> log_ratios, double confidence) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  if (log_ratios.size() < 2) return {nothing, {nothing, nothing}};
  const auto n = static_cast<double>(log_ratios.size());
  double mean = 0;
  for (const double value : log_ratios) mean += value / n;
  double squares = 0;
  for (const double value : log_ratios) squares += (value - mean) * (value - mean);
  const double t =
      boost::math::quantile(boost::math::students_t_distribution<double>(n - 1), 1 - (1 - confidence) / 2);
  const double half = t * std::sqrt(squares / (n - 1) / n);
  return {std::exp(mean), {std::exp(mean - half), std::exp(mean + half)}};
}

}  // namespace evo::evaluators::measure
