// Which bits of a result are undefined, where some bits of the operands are.
#pragma once

#include <cstdint>

#include "evaluators/devices/virtual/exact/code.hpp"

namespace evo::evaluators::virtual_device::exact {

constexpr Word all_undefined = ~Word{0};

/// Bits of the (first) result of an arithmetic step, from those of its sources (values, and masks of
/// undefined bits). Exact for moves, logic, shifts, fields, permutations, truncation and extension, by halves
/// for packed halves, from the lowest undefined bit up for sums of integers. All bits of anything else: no
/// NaN and no zero decides a float.
///
/// Compilers fill what a program leaves open with such registers: the other half of a pair, the upper bytes
/// of a word that is put together piece by piece, a condition that counts only where another one holds.
[[nodiscard]] Word undefined_result(const Step& step, const Word* sources, const Word* undefined);

/// Of the second predicate of a setp; all bits of the second result of anything else.
[[nodiscard]] Word undefined_second(const Step& step, const Word* sources, const Word* undefined);

}  // namespace evo::evaluators::virtual_device::exact
