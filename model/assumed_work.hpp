// What a workload costs where problem.yaml has no `work`: for planning checks, not for reports.
#pragma once

#include <vector>

#include "model/variant.hpp"

namespace evo::model {

struct AssumedWork {
  double operations = 0;  ///< a guess: checks are planned by it, nothing is judged or reported by it
  double bytes = 0;       ///< each input and output once
};

/// Where all arrays have one shape, an operation an element; otherwise the root of the product of the three
/// largest arrays' sizes, which is m n k for a product of matrices and m n for one with a vector.
[[nodiscard]] AssumedWork assumed_work(const Problem& problem, const std::vector<BoundArgument>& arguments);

}  // namespace evo::model
