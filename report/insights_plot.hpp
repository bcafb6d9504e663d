// What a run learnt about its genes, as one picture.
#pragma once

#include <string>
#include <vector>

#include "model/insight.hpp"

namespace evo::report {

/// Whose insights: the name of the run, and how its latencies were obtained.
struct InsightsOf {
  std::string name, latency_kind;  ///< "measured" or "modelled"
  std::string where;               ///< "on NVIDIA H200", "for l4: no GPU has timed this"
};

/// SVG: the last generation's effects with their intervals, the strongest 24 by distance from nothing; those
/// whose interval holds nothing are hollow.
[[nodiscard]] std::string insights_svg(const std::vector<model::Insights>& insights, const InsightsOf& of);

}  // namespace evo::report
