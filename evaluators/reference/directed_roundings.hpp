// PTX that rounds to one neighbour or the other instead of to the nearest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace evo::evaluators::reference {

/// `ptx` with each f32 addition, subtraction, product, fused product, quotient and root that its author did
/// not fix rounded to that of the two neighbours of the exact result whose last bit is 0, or to the one where
/// it is 1: in draw 0 all to the first, in draw 1 to the second, in others as drawn for each instruction. So
/// what a loop rounds goes up about as often as down, and a sum does not drift. What is exact stays exact,
/// but for quotients and roots: a kernel may multiply by the reciprocal, which is rounded. Those are one unit
/// in the last place above in draw 0, one below in draw 1, and either in others, unless the divisor is a
/// power of two, or the result is 0. An answer that no draw changes hangs on no rounding. `__fadd_rn`,
/// `__fmul_rn` and conversions stay as they are: their author means that rounding.
[[nodiscard]] std::string with_directed_roundings(std::string_view ptx, std::uint64_t draw);

/// The same of f64, though what is exact stays exact, quotients and roots as well: nobody asks what a kernel
/// might do otherwise, only what the roundings of fp64 have a part in.
[[nodiscard]] std::string with_directed_f64_roundings(std::string_view ptx, std::uint64_t draw);

}  // namespace evo::evaluators::reference
