// The instructions that the GPU approximates. Ours are the function computed in f64 and rounded to f32 (ex2:
// within 1.25 ulp), so the distance to the GPU's result is at most the bound that PTX states plus that:
//   ex2 2 ulp; lg2 absolute 2^-22 in (0.5, 2), else 2 ulp; rcp 1 ulp; rsqrt 2^-22.4 relative; sqrt 2^-23
//   relative; div 2 ulp for |b| in [2^-126, 2^126]; sin, cos absolute 2^-20.5 in [-pi, pi]; tanh relative
//   2^-11.
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
  return canonical(static_cast<float>(std::log2(static_cast<double>(x))));
}
[[nodiscard]] inline float rsqrt(float x) {
  return canonical(static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))));
}
[[nodiscard]] inline double rsqrt(double x) {
  return 1.0 / std::sqrt(x);
}
[[nodiscard]] inline float sine(float x) {
  return canonical(static_cast<float>(std::sin(static_cast<double>(x))));
}
[[nodiscard]] inline float cosine(float x) {
  return canonical(static_cast<float>(std::cos(static_cast<double>(x))));
}
[[nodiscard]] inline float hyperbolic_tangent(float x) {
  return canonical(static_cast<float>(std::tanh(static_cast<double>(x))));
}
/// rcp and rsqrt .approx.ftz.f64: only the upper word of operand and result counts.
[[nodiscard]] inline double truncate_to_high_word(double x) {
  return f64_of(bits_of(x) & 0xffffffff00000000ULL);
}

}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
