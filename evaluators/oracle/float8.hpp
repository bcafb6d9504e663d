// The two 8-bit floats, as doubles and back.
#pragma once

#include <cstdint>

namespace evo::evaluators::oracle {

/// Exact. e4m3 has no infinity, and one NaN a sign.
[[nodiscard]] double double_from_e4m3(std::uint8_t bits);
[[nodiscard]] double double_from_e5m2(std::uint8_t bits);
/// To nearest, ties to even, in one step; what lies beyond the largest finite number becomes that number, as
/// CUDA's constructors of these types do. A NaN stays one.
[[nodiscard]] std::uint8_t e4m3_from_double(double value);
[[nodiscard]] std::uint8_t e5m2_from_double(double value);

}  // namespace evo::evaluators::oracle
