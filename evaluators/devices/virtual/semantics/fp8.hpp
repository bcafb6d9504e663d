// The 8-bit floats e4m3 and e5m2 (PTX ISA, "Alternate Floating-Point Data Formats", and cvt): e4m3 has no
// infinity and one NaN, S.1111.111; e5m2 is the upper half of f16.
#pragma once

#include <cmath>
#include <cstdint>

#include "evaluators/devices/virtual/semantics/convert.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {

[[nodiscard]] constexpr bool is_fp8_pair(Type type) {
  return type == Type::e4m3x2 || type == Type::e5m2x2;
}

/// Of one element of `type`, which is a pair.
struct Fp8Format {
  FloatFormat values;
  int mantissa_bits, bias;
};
[[nodiscard]] constexpr Fp8Format fp8_format(Type type) {
  if (type == Type::e4m3x2) return {{4, -9, 448.0L}, 3, 7};
  return {{3, -16, 57344.0L}, 2, 15};
}
inline constexpr std::uint32_t fp8_nan_bits = 0x7f;

/// cvt.rn.satfinite of an exact value: what is too large, infinities too, becomes the largest finite value.
[[nodiscard]] inline std::uint32_t to_fp8(long double value, Type type, bool relu) {
  if (std::isnan(value)) return fp8_nan_bits;
  const Fp8Format format = fp8_format(type);
  const std::uint32_t sign = std::signbit(value) ? 0x80U : 0U;
  if (relu && sign != 0) return 0;
  const long double rounded = std::fabs(round_to_format(value, format.values, Rounding::rn));
  const long double magnitude = std::min(rounded, format.values.largest);
  if (magnitude == 0) return sign;
  const int exponent = std::ilogb(magnitude);
  const int lowest = 1 - format.bias;  // of a normal number
  const int scale = format.mantissa_bits - std::max(exponent, lowest);
  const auto mantissa = static_cast<std::uint32_t>(std::ldexp(magnitude, scale));  // with the hidden bit
  if (exponent < lowest) return sign | mantissa;
  const auto biased = static_cast<std::uint32_t>(exponent + format.bias - 1);
  return sign | ((biased << format.mantissa_bits) + mantissa);
}

/// cvt.rn.f16x2 of one element, exact: f16 has all values of both.
[[nodiscard]] inline std::uint32_t half_of_fp8(std::uint32_t code, Type type, bool relu) {
  const std::uint32_t magnitude = code & 0x7f;
  const bool negative = (code & 0x80) != 0;
  const std::uint32_t infinity = type == Type::e4m3x2 ? 0x7e : 0x7c;
  if (magnitude > infinity) return f16_nan_bits;
  if (relu && negative) return 0;
  if (type == Type::e5m2x2) return code << 8;
  const auto biased = static_cast<int>(magnitude >> 3);
  const auto mantissa = static_cast<float>(biased == 0 ? magnitude & 7 : (magnitude & 7) | 8);
  const float value = std::ldexp(mantissa, std::max(biased, 1) - 10);
  return to_half(negative ? -value : value).bits;
}

}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
