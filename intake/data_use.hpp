// Integers that a kernel gets by value and does nothing with but to compare and combine them with data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evaluators/code/ptx_statements.hpp"

namespace evo::intake {

/// Of each of the entry's `count` parameters: does its code compare, divide or otherwise combine it with what
/// it loads from memory, and neither with indices, counters or other parameters nor for an address? Such a
/// number, a threshold or a divisor, says no size. False where the code does something with it that is not
/// known, where it is a member of a struct, or beyond 64 parameters.
[[nodiscard]] std::vector<bool> meets_data_alone(const evaluators::code::PtxModule& module,
                                                 const std::string& entry, std::size_t count);

}  // namespace evo::intake
