// What limits a kernel, in one sentence with the numbers behind it.
#pragma once

#include <string>

#include "model/counters.hpp"

namespace evo::evaluators::profile {

/// A unit counts as the limit from this share of its peak on.
inline constexpr double busy_percent = 60;

struct Limit {
  /// A counter's name ("dram_percent"), "waits" where no unit is busy, "launch" where the model says so, or
  /// "" where the counters do not tell.
  std::string by;
  std::string sentence;
};

/// Of the counters of one kernel; the sentence says whether they are measured or modelled.
[[nodiscard]] Limit limit_of(const model::KernelCounters& kernel, model::CounterBasis basis);

}  // namespace evo::evaluators::profile
