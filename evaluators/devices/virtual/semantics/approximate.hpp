// The instructions that the GPU approximates.
//
// ex2 (within 1.25 ulp), rcp, rsqrt, sqrt and div are near enough to the function rounded to f32 that no
// tolerance tells them from the GPU's (docs/results/2026-11-20-agreement.md: 2 ulp at most). sin, cos, lg2
// and tanh are not: there PTX ISA grants errors far beyond a rounding, and a kernel that lives on them must
// not look as correct here as one that calls the accurate function. So these lose what they lose on a GPU:
//   sin, cos  the argument is made turns of 2 pi by one multiplication in f32, rounded towards zero (absolute
//             2^-20.5 in [-2 pi, 2 pi], 2^-14.7 in [-100 pi, 100 pi], nothing is promised beyond);
//   lg2       between 1/2 and 2 a multiple of 2^-22 (absolute 2^-22), elsewhere rounded;
//   tanh      11 significant bits (relative 2^-11).
#pragma once

#include <cmath>
#include <cstdint>

#include "evaluators/devices/virtual/semantics/bits.hpp"
#include "evaluators/devices/virtual/semantics/floating.hpp"
#include "evaluators/devices/virtual/semantics/half.hpp"
#include "evaluators/devices/virtual/semantics/isa.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {

/// 2^x. Split x = n + f with |f| <= 1/2; a polynomial for 2^f; the scaling in two steps, so that subnormal
/// results are rounded once. Plain multiplications and additions only: the same bits on every host.
template <bool Ftz>
[[nodiscard]] constexpr float ex2(float argument) {
  const float flushed = flush_if<Ftz>(argument);
  float x = flushed > 130.0F ? 130.0F : flushed;
  x = x < -160.0F ? -160.0F : x;
  x = flushed != flushed ? 0.0F : x;
  constexpr float shift = 0x1.8p23F;
  const float n = (x + shift) - shift;
  const float f = x - n;
  float p = 1.535336035e-4F;
  p = p * f + 1.339887486e-3F;
  p = p * f + 9.618437367e-3F;
  p = p * f + 5.550332470e-2F;
  p = p * f + 2.402264791e-1F;
  p = p * f + 6.931472029e-1F;
  p = p * f + 1.0F;
  const auto exponent = static_cast<std::int32_t>(n);
  const std::int32_t half = exponent >> 1;
  const float first = f32_of(static_cast<std::uint32_t>(half + 127) << 23);
  const float second = f32_of(static_cast<std::uint32_t>(exponent - half + 127) << 23);
  float result = (p * first) * second;
  result = flushed != flushed ? f32_of(f32_nan_bits) : result;
  return flush_if<Ftz>(result);
}

[[nodiscard]] inline float lg2(float x) {
  const double exact = std::log2(static_cast<double>(x));
  const bool near_one = x > 0.5F && x < 2.0F;
  return canonical(static_cast<float>(near_one ? std::nearbyint(exact * 0x1p22) * 0x1p-22 : exact));
}
[[nodiscard]] inline double rsqrt(double x) {
  return 1.0 / std::sqrt(x);
}
/// The angle of sin.approx and cos.approx, within half a turn, in radians: a turn too many is exact, what the
/// multiplication rounded away is lost.
[[nodiscard]] inline double approximate_angle(float x) {
  constexpr float turns_per_radian = 0x1.45f306p-3F;
  constexpr double radians_per_turn = 6.283185307179586;
  return std::remainder(static_cast<double>(mul_f32<Rounding::rz>(x, turns_per_radian)), 1.0) *
         radians_per_turn;
}
[[nodiscard]] inline float sine(float x) {
  // So small that the turns may be subnormal: the sine is the argument.
  if (std::fabs(x) < 0x1p-100F) return x;
  return canonical(static_cast<float>(std::sin(approximate_angle(x))));
}
[[nodiscard]] inline float cosine(float x) {
  return canonical(static_cast<float>(std::cos(approximate_angle(x))));
}
[[nodiscard]] inline float hyperbolic_tangent(float x) {
  const double exact = std::tanh(static_cast<double>(x));
  if (exact == 0 || exact != exact) return canonical(static_cast<float>(exact));
  int exponent = 0;
  const double fraction = std::frexp(exact, &exponent);  // from 1/2 to 1
  return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11));
}
/// rcp and rsqrt .approx.ftz.f64: only the upper word of operand and result counts.
[[nodiscard]] inline double truncate_to_high_word(double x) {
  return f64_of(bits_of(x) & 0xffffffff00000000ULL);
}

}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
