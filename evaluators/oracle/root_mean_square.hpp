// How large the numbers of an output are, taken together.
#pragma once

#include <vector>

namespace evo::evaluators::oracle {

/// Of those that are finite; 0 if none is.
[[nodiscard]] double root_mean_square(const std::vector<double>& values);

}  // namespace evo::evaluators::oracle
