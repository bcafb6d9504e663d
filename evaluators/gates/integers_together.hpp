// Integers with a range that have values at once for which a kernel may have a path of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "model/problem.hpp"
#include "model/random.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

/// Values by the argument's index, for each two integers to which the problem gives a range, two dozen rows
/// at most: what the code asks whether they are equal to (`equal`, equal_integers() of scalar_use.hpp), both
/// at the ends of their ranges, of one number, each other's opposite, and neighbours. One alone with another
/// value is shown anyhow (Matrix::set_other_integers), and so are pairs not that are the other way round than
/// the usual ones, see in_order() (scalar_order.hpp), by which further ones go along.
[[nodiscard]] std::vector<std::map<std::size_t, double>> integers_together(
    const model::Problem& problem, const model::Case& bound,
    const std::map<std::size_t, std::vector<std::int64_t>>& equal, model::RandomStream& stream);

}  // namespace evo::evaluators::gates
