// How many elements of an axis one block takes, and how many one turn of a loop: from the launch plan and
// from the numbers of the code, whatever they are written as.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/variant.hpp"

namespace evo::evaluators::gates {

/// Elements of an axis with which an extent of a kernel's grid grows by one block, in steps that are all
/// alike; each once. `at` has the plan where the axis is `i` of its steps (nullopt: no such size), `most` the
/// last i. Steps: elements that its `multiple_of` goes by, so that ceil_div(n, 1024) with multiple_of 4 gives
/// 256.
[[nodiscard]] std::set<std::int64_t> grid_steps(
    const std::function<std::optional<model::LaunchPlan>(std::int64_t i)>& at, std::int64_t most);

/// Numbers from 257 (multiples of fewer are shown anyway) to 16384 that the code divides by, masks,
/// multiplies and shifts with, compares with, or goes on by in a loop: in this order, each once, at most
/// `most`. Of powers of two the mask, the shift. Empty for PTX that evo cannot read.
[[nodiscard]] std::vector<std::int64_t> tile_numbers(const std::string& ptx, std::size_t most = 4);

}  // namespace evo::evaluators::gates
