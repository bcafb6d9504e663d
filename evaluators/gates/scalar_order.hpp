// Scalars that belong together, as the two ends of a clamp.
#pragma once

#include <cstddef>
#include <map>

#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

/// Values of scalars by the argument's index, with `scalar` at `value`, within its range. A scalar that
/// the problem gives as a number, that has a range and that `value` would get past goes along to the end of
/// its own: which of the two is less stays so where their ranges allow. So does no integer beside a
/// floating-point number. Others stay, and are not named.
[[nodiscard]] std::map<std::size_t, double> in_order(const model::Problem& problem, const model::Case& bound,
                                                     std::size_t scalar, double value);

}  // namespace evo::evaluators::gates
