#include "evaluators/measure/peeking.hpp"

#include <algorithm>

namespace evo::evaluators::measure {

std::optional<RatioInterval> look(const LookPlan& plan, std::span<const double> log_ratios) {
  const bool due = std::find(plan.looks.begin(), plan.looks.end(), log_ratios.size()) != plan.looks.end();
  if (!due || log_ratios.size() < 2) return std::nullopt;
  return ratio_interval(log_ratios, plan.confidence());
}

}  // namespace evo::evaluators::measure
