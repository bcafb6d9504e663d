// IEEE 754 binary16 as a double.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace evo::model {

/// Exact: every half is a double. Infinities and NaNs stay what they are (a NaN loses its payload).
[[nodiscard]] constexpr double double_from_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const double fraction = bits & 0x3ff;
  double magnitude = 0;
  if (exponent == 31) {
    magnitude =
        fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = fraction * 0x1p-24;
  } else {
    // The power of two is put together from its bits.
    magnitude =
        (1024 + fraction) * std::bit_cast<double>(static_cast<std::uint64_t>(exponent - 25 + 1023) << 52);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace evo::model
