// Bit patterns of the PTX types, and the conversions between the narrow floating formats and f32.
//
// Everything in this folder is a pure function of its arguments and independent of the host's rounding mode
// (which is taken to be the default, nearest-even), written so that g++ turns a loop over 32 lanes into
// vector code. Where the GPU gives one NaN for all (0x7fffffff for f32, 0x7fff for f16 and bf16), so do we.
#pragma once

#include <bit>
#include <cstdint>

#include "evaluators/devices/virtual/semantics/isa.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {

constexpr std::uint32_t f32_nan_bits = 0x7fffffffU;
constexpr std::uint32_t f16_nan_bits = 0x7fffU;
constexpr std::uint32_t bf16_nan_bits = 0x7fffU;

[[nodiscard]] constexpr std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
[[nodiscard]] constexpr std::uint64_t bits_of(double value) {
  return std::bit_cast<std::uint64_t>(value);
}
[[nodiscard]] constexpr float f32_of(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}
[[nodiscard]] constexpr double f64_of(std::uint64_t bits) {
  return std::bit_cast<double>(bits);
}

/// The GPU's NaN in place of any NaN.
[[nodiscard]] constexpr float canonical(float value) {
  return value == value ? value : f32_of(f32_nan_bits);
}

/// Subnormals to zero of the same sign (.ftz).
[[nodiscard]] constexpr float flush(float value) {
  const std::uint32_t bits = bits_of(value);
  return f32_of((bits & 0x7f800000U) == 0 ? bits & 0x80000000U : bits);
}
template <bool Ftz>
[[nodiscard]] constexpr float flush_if(float value) {
  return Ftz ? flush(value) : value;
}

/// .sat: [0, 1], NaN and -0 to +0.
[[nodiscard]] constexpr float saturate(float value) {
  const float low = value > 0.0F ? value : 0.0F;
  return low < 1.0F ? low : 1.0F;
}
[[nodiscard]] constexpr double saturate(double value) {
  const double low = value > 0.0 ? value : 0.0;
  return low < 1.0 ? low : 1.0;
}

/// binary16 in the low half of a word, the rest zero: so that 16-bit lanes vectorise as 32-bit ones.
struct Half {
  std::uint32_t bits = 0;
};
/// bfloat16, likewise.
struct Bfloat {
  std::uint32_t bits = 0;
};
/// Two of them in a word, element 0 low.
struct Half2 {
  std::uint32_t bits = 0;
};
struct Bfloat2 {
  std::uint32_t bits = 0;
};

/// Exact. NaN becomes the f32 NaN.
[[nodiscard]] constexpr float to_f32(Half half) {
  const std::uint32_t shifted = (half.bits & 0x7fffU) << 13;
  // Rebias by a multiplication: correct for subnormals too.
  const std::uint32_t finite = bits_of(f32_of(shifted) * 0x1p112F);
  const std::uint32_t special = (half.bits & 0x3ffU) != 0 ? f32_nan_bits : 0x7f800000U;
  const bool is_special = (half.bits & 0x7c00U) == 0x7c00U;
  const bool is_nan = is_special && (half.bits & 0x3ffU) != 0;
  const std::uint32_t sign = is_nan ? 0U : (half.bits & 0x8000U) << 16;
  return f32_of((is_special ? special : finite) | sign);
}
[[nodiscard]] constexpr float to_f32(Bfloat value) {
  return canonical(f32_of(value.bits << 16));
}

/// Round to nearest even, overflow to infinity, subnormals kept.
[[nodiscard]] constexpr Half to_half(float value) {
  const std::uint32_t all = bits_of(value);
  const std::uint32_t sign = (all >> 16) & 0x8000U;
  const std::uint32_t magnitude = all & 0x7fffffffU;
  // Normal: drop 13 bits with the nearest-even carry, after rebiasing by -112.
  const std::uint32_t odd = (magnitude >> 13) & 1U;
  const std::uint32_t normal = (magnitude - (112U << 23) + 0xfffU + odd) >> 13;
  // Subnormal: the addition of 0.5 aligns the mantissa to 2^-24 and rounds it.
  const std::uint32_t subnormal = bits_of(f32_of(magnitude) + 0.5F) - bits_of(0.5F);
  std::uint32_t result = magnitude < (113U << 23) ? subnormal : normal;
  result = magnitude >= 0x477ff000U ? 0x7c00U : result;
  result |= sign;
  return {magnitude > 0x7f800000U ? f16_nan_bits : result};
}
/// Round to nearest even.
[[nodiscard]] constexpr Bfloat to_bfloat(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  return {(bits & 0x7fffffffU) > 0x7f800000U ? bf16_nan_bits : rounded};
}
/// Toward zero; overflow to the largest finite value.
[[nodiscard]] constexpr Half to_half_rz(float value) {
  const std::uint32_t all = bits_of(value);
  const std::uint32_t sign = (all >> 16) & 0x8000U;
  const std::uint32_t magnitude = all & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return {f16_nan_bits};
  if (magnitude == 0x7f800000U) return {sign | 0x7c00U};
  if (magnitude >= 0x47800000U) return {sign | 0x7bffU};
  if (magnitude >= (113U << 23)) return {sign | ((magnitude - (112U << 23)) >> 13)};
  // Subnormal: the product is exact or below one ulp, and the conversion truncates.
  return {sign | static_cast<std::uint32_t>(f32_of(magnitude) * 0x1p24F)};
}
[[nodiscard]] constexpr Bfloat to_bfloat_rz(float value) {
  const std::uint32_t bits = bits_of(value);
  return {(bits & 0x7fffffffU) > 0x7f800000U ? bf16_nan_bits : bits >> 16};
}

[[nodiscard]] constexpr Half low(Half2 pair) {
  return {pair.bits & 0xffffU};
}
[[nodiscard]] constexpr Half high(Half2 pair) {
  return {pair.bits >> 16};
}
[[nodiscard]] constexpr Bfloat low(Bfloat2 pair) {
  return {pair.bits & 0xffffU};
}
[[nodiscard]] constexpr Bfloat high(Bfloat2 pair) {
  return {pair.bits >> 16};
}
[[nodiscard]] constexpr Half2 pair_of(Half low_half, Half high_half) {
  return {low_half.bits | (high_half.bits << 16)};
}
[[nodiscard]] constexpr Bfloat2 pair_of(Bfloat low_half, Bfloat high_half) {
  return {low_half.bits | (high_half.bits << 16)};
}

}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
