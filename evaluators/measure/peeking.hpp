// Intervals of a mean that stay valid although somebody looks while the samples come in.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "evaluators/measure/statistics.hpp"

namespace evo::evaluators::measure {

/// Who looks at every sample and stops when he likes what he sees is wrong more often than he thinks. Here
/// the numbers of samples at which is looked are fixed beforehand, and each look spends its share of the
/// error: the chance that the interval of any of them misses the true mean is at most `error`, whatever is
/// decided in between (Bonferroni over the looks, Student's t at each).
struct LookPlan {
  double error = 0.01;
  std::vector<std::size_t> looks{6, 8, 12, 16, 24, 32, 48, 64};  ///< ascending numbers of samples, from 2

  [[nodiscard]] std::size_t last() const { return looks.empty() ? 0 : looks.back(); }
  /// Of each interval.
  [[nodiscard]] double confidence() const {
    return looks.empty() ? 1 : 1 - error / static_cast<double>(looks.size());
  }
};

/// The interval of exp(mean) where a look is due after so many samples; nullopt between two looks.
[[nodiscard]] std::optional<RatioInterval> look(const LookPlan& plan, std::span<const double> log_ratios);

}  // namespace evo::evaluators::measure
