// PTX whose roundings go down or up instead of to the nearest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace evo::evaluators::reference {

/// `ptx` with each f32 addition, subtraction, product, fused product, quotient and root that its author did
/// not fix rounded towards minus or plus infinity. Draw 0 rounds all down, 1 all up, others each by chance.
/// What is exact stays exact: an answer that no draw changes hangs on no rounding. `__fadd_rn`, `__fmul_rn`
/// and conversions stay as they are: their author means that rounding.
[[nodiscard]] std::string with_directed_roundings(std::string_view ptx, std::uint64_t draw);

}  // namespace evo::evaluators::reference
