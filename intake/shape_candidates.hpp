// Shapes that an array of a kernel may have, from the names of axes and the numbers that the kernel has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "intake/draft.hpp"
#include "intake/probe_run.hpp"

namespace evo::intake {

/// Arrays of more elements are not tried.
constexpr std::int64_t most_probed = std::int64_t{2} << 20;

struct ShapeCandidate {
  std::vector<std::string> shape;
  std::int64_t elements = 0;
};

/// Products of the axes, with small factors, the smallest first; of equal ones the plainest. Sizes are the
/// run's.
[[nodiscard]] std::vector<ShapeCandidate> candidates_of(const Draft& draft, const ProbeRun& run);

/// What lies between two axes: the plainest first.
[[nodiscard]] std::vector<std::string> between_axes(const Draft& draft);

}  // namespace evo::intake
