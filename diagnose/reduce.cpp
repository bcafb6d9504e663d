#include "diagnose/reduce.hpp"

namespace evo::diagnose {

std::int64_t shrink(const Range& range, std::int64_t failing,
                    const std::function<bool(std::int64_t)>& fails) {
  if (!range.listed.empty()) {
    for (const std::int64_t value : range.listed) {
      if (value == failing || fails(value)) return value;
    }
    return failing;
  }
  const std::int64_t step = std::max<std::int64_t>(range.step, 1);
  const std::int64_t steps = (failing - range.low) / step;
  if (steps <= 0) return failing;
  std::int64_t passed = -1, failed = steps;  // in steps from the low end
  for (std::int64_t at = 0; at < steps; at = at == 0 ? 1 : 2 * at) {
    if (fails(range.low + at * step)) {
      failed = at;
      break;
    }
    passed = at;
  }
  while (failed - passed > 1) {
    const std::int64_t middle = passed + (failed - passed) / 2;
    if (fails(range.low + middle * step)) {
      failed = middle;
    } else {
      passed = middle;
    }
  }
  return failed == steps ? failing : range.low + failed * step;
}

}  // namespace evo::diagnose
