// Floating-point scalars with which whole numbers lie halfway between two others.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

/// The power of two nearest to each floating-point scalar that is a number and may be another, by the
/// argument's index; none where it is one. Whole numbers times it are exact, and one in so many is a tie of a
/// rounding, while the products stay as large as they usually are: a clamp leaves them alone. Empty where no
/// input or no output is of integers.
[[nodiscard]] std::map<std::size_t, std::vector<double>> scalars_of_ties(const model::Problem& problem,
                                                                         const model::Case& bound);

}  // namespace evo::evaluators::gates
