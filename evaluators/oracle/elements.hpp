// Elements of kernel arguments as doubles and back, rounded as the hardware rounds (to nearest, ties to
// even).
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/dtype.hpp"
#include "model/half.hpp"

namespace evo::evaluators::oracle {

/// IEEE 754 binary16, correctly rounded from a double in one step; overflow gives infinity.
[[nodiscard]] std::uint16_t half_from_double(double value);
using model::double_from_half;
/// bfloat16, likewise.
[[nodiscard]] std::uint16_t bfloat16_from_double(double value);
[[nodiscard]] double double_from_bfloat16(std::uint16_t bits);

/// Reads one element; 64-bit integers beyond 2^53 lose their low bits.
[[nodiscard]] double load_element(model::DType dtype, const std::byte* address);
/// Writes one element; integers are rounded to nearest and clamped to the type's range.
void store_element(model::DType dtype, double value, std::byte* address);
using model::is_floating;
/// One of 64 bits, which a double holds to 53 only.
[[nodiscard]] inline bool is_long_integer(model::DType dtype) {
  return dtype == model::DType::i64 || dtype == model::DType::u64;
}

}  // namespace evo::evaluators::oracle
