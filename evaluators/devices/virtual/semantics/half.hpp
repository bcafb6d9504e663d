// binary16 and bfloat16 arithmetic, one rounding each.
//
// Sums, products, quotients of two binary16 values computed in f32 and rounded again are correctly rounded
// (24 >= 2 * 11 + 2). A fused multiply-add is not, and neither is a bfloat16 sum whose operands lie far
// apart: those go through round-to-odd, which makes the second rounding innocuous.
#pragma once

#include <cstdint>

#include "evaluators/devices/virtual/semantics/bits.hpp"
#include "evaluators/devices/virtual/semantics/floating.hpp"
#include "evaluators/devices/virtual/semantics/isa.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {

/// p + c to f32 by round-to-odd: inexact results get an odd last bit.
[[nodiscard]] constexpr float sum_to_odd(float p, float c) {
  const float sum = p + c;
  const float from_c = sum - p;
  const float residual = (p - (sum - from_c)) + (c - from_c);
  const std::uint32_t bits = bits_of(sum);
  const bool inexact = (residual > 0) | (residual < 0);
  const bool outward = (residual > 0) == (sum > 0);
  const bool finite = (bits & 0x7f800000U) != 0x7f800000U;
  const std::uint32_t moved = outward ? bits + 1 : bits - 1;
  return f32_of((inexact & ((bits & 1U) == 0) & finite) ? moved : bits);
}

template <bool Ftz>
[[nodiscard]] constexpr Half flush_half(Half value) {
  if constexpr (!Ftz) return value;
  return {(value.bits & 0x7c00U) == 0 ? value.bits & 0x8000U : value.bits};
}

// One element of a binary16 instruction.
template <bool Ftz, bool Sat>
[[nodiscard]] constexpr Half finish(float value) {
  const Half rounded = flush_half<Ftz>(to_half(value));
  if constexpr (!Sat) return rounded;
  return to_half(saturate(to_f32(rounded)));
}
template <bool Ftz>
[[nodiscard]] constexpr float widen(Half value) {
  return to_f32(flush_half<Ftz>(value));
}

[[nodiscard]] constexpr Half relu(Half value) {
  const bool nan = (value.bits & 0x7fffU) > 0x7c00U;
  return {nan ? f16_nan_bits : (value.bits & 0x8000U) != 0 ? 0U : value.bits};
}
[[nodiscard]] constexpr Bfloat relu(Bfloat value) {
  const bool nan = (value.bits & 0x7fffU) > 0x7f80U;
  return {nan ? bf16_nan_bits : (value.bits & 0x8000U) != 0 ? 0U : value.bits};
}

struct HalfOps {
  using Element = Half;
  template <bool Ftz, bool Sat>
  [[nodiscard]] static constexpr Half add(Half a, Half b) {
    return finish<Ftz, Sat>(widen<Ftz>(a) + widen<Ftz>(b));
  }
  template <bool Ftz, bool Sat>
  [[nodiscard]] static constexpr Half sub(Half a, Half b) {
    return finish<Ftz, Sat>(widen<Ftz>(a) - widen<Ftz>(b));
  }
  template <bool Ftz, bool Sat>
  [[nodiscard]] static constexpr Half mul(Half a, Half b) {
    return finish<Ftz, Sat>(widen<Ftz>(a) * widen<Ftz>(b));
  }
  template <bool Ftz, bool Sat>
  [[nodiscard]] static constexpr Half fma(Half a, Half b, Half c) {
    // The product is exact in f32.
    return finish<Ftz, Sat>(sum_to_odd(widen<Ftz>(a) * widen<Ftz>(b), widen<Ftz>(c)));
  }
  template <bool Ftz, bool Nan>
  [[nodiscard]] static constexpr Half min(Half a, Half b) {
    return to_half(min_f32<Nan>(widen<Ftz>(a), widen<Ftz>(b)));
  }
  template <bool Ftz, bool Nan>
  [[nodiscard]] static constexpr Half max(Half a, Half b) {
    return to_half(max_f32<Nan>(widen<Ftz>(a), widen<Ftz>(b)));
  }
  template <bool Ftz>
  [[nodiscard]] static constexpr Half neg(Half a) {
    const bool nan = (a.bits & 0x7fffU) > 0x7c00U;
    return {nan ? f16_nan_bits : flush_half<Ftz>(a).bits ^ 0x8000U};
  }
  template <bool Ftz>
  [[nodiscard]] static constexpr Half absolute(Half a) {
    const bool nan = (a.bits & 0x7fffU) > 0x7c00U;
    return {nan ? f16_nan_bits : flush_half<Ftz>(a).bits & 0x7fffU};
  }
};

/// bfloat16 instructions: subnormals are kept; .ftz does not exist, .sat is not taken.
struct BfloatOps {
  using Element = Bfloat;
  /// Sums and products by one fused operation, as the hardware does them: only the last rounding is to bf16.
  template <bool Ftz, bool Sat>
  [[nodiscard]] static constexpr Bfloat add(Bfloat a, Bfloat b) {
    return to_bfloat(sum_to_odd(to_f32(a), to_f32(b)));
  }
  template <bool Ftz, bool Sat>
  [[nodiscard]] static constexpr Bfloat sub(Bfloat a, Bfloat b) {
    return to_bfloat(sum_to_odd(to_f32(a), -to_f32(b)));
  }
  template <bool Ftz, bool Sat>
  [[nodiscard]] static constexpr Bfloat mul(Bfloat a, Bfloat b) {
    return narrow(static_cast<double>(to_f32(a)) * to_f32(b), 0.0);
  }
  template <bool Ftz, bool Sat>
  [[nodiscard]] static constexpr Bfloat fma(Bfloat a, Bfloat b, Bfloat c) {
    const double p = static_cast<double>(to_f32(a)) * to_f32(b);
    const double z = to_f32(c);
    const double sum = p + z;
    const double from_z = sum - p;
    return narrow(sum, (p - (sum - from_z)) + (z - from_z));
  }
  template <bool Ftz, bool Nan>
  [[nodiscard]] static constexpr Bfloat min(Bfloat a, Bfloat b) {
    return to_bfloat(min_f32<Nan>(to_f32(a), to_f32(b)));
  }
  template <bool Ftz, bool Nan>
  [[nodiscard]] static constexpr Bfloat max(Bfloat a, Bfloat b) {
    return to_bfloat(max_f32<Nan>(to_f32(a), to_f32(b)));
  }
  template <bool Ftz>
  [[nodiscard]] static constexpr Bfloat neg(Bfloat a) {
    return {(a.bits & 0x7fffU) > 0x7f80U ? bf16_nan_bits : a.bits ^ 0x8000U};
  }
  template <bool Ftz>
  [[nodiscard]] static constexpr Bfloat absolute(Bfloat a) {
    return {(a.bits & 0x7fffU) > 0x7f80U ? bf16_nan_bits : a.bits & 0x7fffU};
  }

 private:
  /// value + residual to bf16 in one rounding: to f32 by round-to-odd first.
  [[nodiscard]] static constexpr Bfloat narrow(double value, double residual) {
    const auto nearest = static_cast<float>(value);
    const double back = nearest;
    const bool above = back > value || (back == value && residual < 0);
    const bool below = back < value || (back == value && residual > 0);
    const std::uint32_t bits = bits_of(nearest);
    const bool finite = (bits & 0x7f800000U) != 0x7f800000U;
    if ((above || below) && finite && (bits & 1U) == 0) {
      // An exact zero cannot be here: then nothing is above or below, unless the value underflowed.
      if ((bits & 0x7fffffffU) == 0) return to_bfloat(f32_of(value < 0 ? 0x80000001U : 0x00000001U));
      const bool outward = below == (nearest > 0);
      return to_bfloat(f32_of(outward ? bits + 1 : bits - 1));
    }
    return to_bfloat(nearest);
  }
};

/// Applies an element operation to both halves.
template <class Ops, class Pair, class F>
[[nodiscard]] constexpr Pair both(F operation, Pair a) {
  return pair_of(operation(low(a)), operation(high(a)));
}
template <class Ops, class Pair, class F>
[[nodiscard]] constexpr Pair both(F operation, Pair a, Pair b) {
  return pair_of(operation(low(a), low(b)), operation(high(a), high(b)));
}
template <class Ops, class Pair, class F>
[[nodiscard]] constexpr Pair both(F operation, Pair a, Pair b, Pair c) {
  return pair_of(operation(low(a), low(b), low(c)), operation(high(a), high(b), high(c)));
}

}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
