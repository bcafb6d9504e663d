// One struct per instruction spelling with a static `apply` on lane values. The machines instantiate their
// loops (or a scalar wrapper) over these through visit.hpp.
//
// Lane value types: bool for predicates, the integers, float, double, and Half, Bfloat, Half2, Bfloat2.
#pragma once

#include <cstdint>
#include <type_traits>

#include "evaluators/devices/virtual/semantics/approximate.hpp"
#include "evaluators/devices/virtual/semantics/convert.hpp"
#include "evaluators/devices/virtual/semantics/floating.hpp"
#include "evaluators/devices/virtual/semantics/half.hpp"
#include "evaluators/devices/virtual/semantics/integer.hpp"
#include "evaluators/devices/virtual/semantics/integer_conversions.hpp"
#include "evaluators/devices/virtual/semantics/integer_operations.hpp"
#include "evaluators/devices/virtual/semantics/isa.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {
namespace op {

// f32.
template <Rounding R, bool Ftz, bool Sat>
struct AddF32 {
  static float apply(float a, float b) {
    const float r = flush_if<Ftz>(add_f32<R>(flush_if<Ftz>(a), flush_if<Ftz>(b)));
    return Sat ? saturate(r) : r;
  }
};
template <Rounding R, bool Ftz, bool Sat>
struct SubF32 {
  static float apply(float a, float b) {
    const float r = flush_if<Ftz>(add_f32<R>(flush_if<Ftz>(a), -flush_if<Ftz>(b)));
    return Sat ? saturate(r) : r;
  }
};
template <Rounding R, bool Ftz, bool Sat>
struct MulF32 {
  static float apply(float a, float b) {
    const float r = flush_if<Ftz>(mul_f32<R>(flush_if<Ftz>(a), flush_if<Ftz>(b)));
    return Sat ? saturate(r) : r;
  }
};
template <Rounding R, bool Ftz, bool Sat>
struct FmaF32 {
  static float apply(float a, float b, float c) {
    const float r = flush_if<Ftz>(fma_f32<R>(flush_if<Ftz>(a), flush_if<Ftz>(b), flush_if<Ftz>(c)));
    return Sat ? saturate(r) : r;
  }
};
template <bool Ftz>
struct DivF32 {
  static float apply(float a, float b) {
    return flush_if<Ftz>(canonical(flush_if<Ftz>(a) / flush_if<Ftz>(b)));
  }
};
/// div.approx: where the reciprocal of a finite b would be subnormal, the GPU multiplies by zero (PTX ISA,
/// div).
template <bool Ftz>
struct DivApproxF32 {
  static float apply(float a, float b) {
    const float divisor = flush_if<Ftz>(b);
    const std::uint32_t magnitude = bits_of(divisor) & 0x7fffffffU;
    const bool huge = magnitude > 0x7e800000U && magnitude < 0x7f800000U;
    const float zero = f32_of(bits_of(divisor) & 0x80000000U);
    const float quotient = huge ? flush_if<Ftz>(a) * zero : flush_if<Ftz>(a) / divisor;
    return flush_if<Ftz>(canonical(quotient));
  }
};
template <bool Ftz>
struct RcpF32 {
  static float apply(float a) { return flush_if<Ftz>(canonical(1.0F / flush_if<Ftz>(a))); }
};
template <bool Ftz>
struct SqrtF32 {
  static float apply(float a) { return flush_if<Ftz>(canonical(__builtin_sqrtf(flush_if<Ftz>(a)))); }
};
template <bool Ftz>
struct RsqrtF32 {
  static float apply(float a) {
    const auto exact = 1.0 / __builtin_sqrt(static_cast<double>(flush_if<Ftz>(a)));
    return flush_if<Ftz>(canonical(static_cast<float>(exact)));
  }
};
template <bool Ftz>
struct Ex2F32 {
  static float apply(float a) { return ex2<Ftz>(a); }
};
template <bool Ftz>
struct AbsF32 {
  static float apply(float a) { return canonical(f32_of(bits_of(flush_if<Ftz>(a)) & 0x7fffffffU)); }
};
template <bool Ftz>
struct NegF32 {
  static float apply(float a) { return canonical(f32_of(bits_of(flush_if<Ftz>(a)) ^ 0x80000000U)); }
};
template <bool Ftz, bool Nan>
struct MinF32 {
  static float apply(float a, float b) { return min_f32<Nan>(flush_if<Ftz>(a), flush_if<Ftz>(b)); }
};
template <bool Ftz, bool Nan>
struct MaxF32 {
  static float apply(float a, float b) { return max_f32<Nan>(flush_if<Ftz>(a), flush_if<Ftz>(b)); }
};
/// copysign d, a, b: the sign of a on the magnitude of b.
struct CopysignF32 {
  static float apply(float a, float b) {
    return f32_of((bits_of(a) & 0x80000000U) | (bits_of(b) & 0x7fffffffU));
  }
};

// f64, nearest-even.
struct AddF64 {
  static double apply(double a, double b) { return a + b; }
};
struct SubF64 {
  static double apply(double a, double b) { return a - b; }
};
struct MulF64 {
  static double apply(double a, double b) { return a * b; }
};
struct FmaF64 {
  static double apply(double a, double b, double c) { return __builtin_fma(a, b, c); }
};
struct DivF64 {
  static double apply(double a, double b) { return a / b; }
};
struct RcpF64 {
  static double apply(double a) { return 1.0 / a; }
};
struct SqrtF64 {
  static double apply(double a) { return __builtin_sqrt(a); }
};
struct AbsF64 {
  static double apply(double a) { return f64_of(bits_of(a) & ~(std::uint64_t{1} << 63)); }
};
struct NegF64 {
  static double apply(double a) { return f64_of(bits_of(a) ^ (std::uint64_t{1} << 63)); }
};
struct MinF64 {
  static double apply(double a, double b) { return min_f64(a, b); }
};
struct MaxF64 {
  static double apply(double a, double b) { return max_f64(a, b); }
};
struct CopysignF64 {
  static double apply(double a, double b) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    return f64_of((bits_of(a) & sign) | (bits_of(b) & ~sign));
  }
};

// binary16 and bfloat16; Ops is HalfOps or BfloatOps. P is the element type, or the pair.
template <class P>
struct Pairwise {
  static constexpr bool value = std::is_same_v<P, Half2> || std::is_same_v<P, Bfloat2>;
};
template <class P, class F, class... A>
constexpr P each(F f, A... a) {
  if constexpr (Pairwise<P>::value) {
    return pair_of(f(low(a)...), f(high(a)...));
  } else {
    return f(a...);
  }
}
template <class Ops, class P, bool Ftz, bool Sat>
struct AddHalf {
  static constexpr P apply(P a, P b) {
    return each<P>([](auto x, auto y) { return Ops::template add<Ftz, Sat>(x, y); }, a, b);
  }
};
template <class Ops, class P, bool Ftz, bool Sat>
struct SubHalf {
  static constexpr P apply(P a, P b) {
    return each<P>([](auto x, auto y) { return Ops::template sub<Ftz, Sat>(x, y); }, a, b);
  }
};
template <class Ops, class P, bool Ftz, bool Sat>
struct MulHalf {
  static constexpr P apply(P a, P b) {
    return each<P>([](auto x, auto y) { return Ops::template mul<Ftz, Sat>(x, y); }, a, b);
  }
};
template <class Ops, class P, bool Ftz, bool Sat, bool Relu>
struct FmaHalf {
  static constexpr P apply(P a, P b, P c) {
    return each<P>(
        [](auto x, auto y, auto z) {
          const auto r = Ops::template fma<Ftz, Sat>(x, y, z);
          return Relu ? relu(r) : r;
        },
        a, b, c);
  }
};
template <class Ops, class P, bool Ftz, bool Nan>
struct MinHalf {
  static constexpr P apply(P a, P b) {
    return each<P>([](auto x, auto y) { return Ops::template min<Ftz, Nan>(x, y); }, a, b);
  }
};
template <class Ops, class P, bool Ftz, bool Nan>
struct MaxHalf {
  static constexpr P apply(P a, P b) {
    return each<P>([](auto x, auto y) { return Ops::template max<Ftz, Nan>(x, y); }, a, b);
  }
};
template <class Ops, class P, bool Ftz>
struct NegHalf {
  static constexpr P apply(P a) {
    return each<P>([](auto x) { return Ops::template neg<Ftz>(x); }, a);
  }
};
template <class Ops, class P, bool Ftz>
struct AbsHalf {
  static constexpr P apply(P a) {
    return each<P>([](auto x) { return Ops::template absolute<Ftz>(x); }, a);
  }
};

// Comparisons; the machines combine the result with setp's third operand themselves.
template <class T, Compare C>
struct Compares {
  static constexpr bool apply(T a, T b) {
    if constexpr (C == Compare::eq) return a == b;
    if constexpr (C == Compare::ne) return a != b;
    if constexpr (C == Compare::lt) return a < b;
    if constexpr (C == Compare::le) return a <= b;
    if constexpr (C == Compare::gt) return a > b;
    if constexpr (C == Compare::ge) return a >= b;
  }
};
/// Ordered comparisons are false on NaN, the `u` forms true.
template <Compare C, class T>
constexpr bool compare_float(T a, T b) {
  if constexpr (C == Compare::eq) return a == b;
  if constexpr (C == Compare::ne) return (a < b) | (a > b);
  if constexpr (C == Compare::lt) return a < b;
  if constexpr (C == Compare::le) return a <= b;
  if constexpr (C == Compare::gt) return a > b;
  if constexpr (C == Compare::ge) return a >= b;
  if constexpr (C == Compare::equ) return !((a < b) | (a > b));
  if constexpr (C == Compare::neu) return a != b;
  if constexpr (C == Compare::ltu) return !(a >= b);
  if constexpr (C == Compare::leu) return !(a > b);
  if constexpr (C == Compare::gtu) return !(a <= b);
  if constexpr (C == Compare::geu) return !(a < b);
  if constexpr (C == Compare::num) return (a == a) & (b == b);
  if constexpr (C == Compare::nan) return (a != a) | (b != b);
}
template <Compare C, bool Ftz>
struct ComparesF32 {
  static constexpr bool apply(float a, float b) {
    return compare_float<C>(flush_if<Ftz>(a), flush_if<Ftz>(b));
  }
};
template <Compare C>
struct ComparesF64 {
  static constexpr bool apply(double a, double b) { return compare_float<C>(a, b); }
};
template <class P, Compare C>
struct ComparesHalf {
  static constexpr bool apply(P a, P b) { return compare_float<C>(to_f32(a), to_f32(b)); }
};

// The common conversions.
struct F32FromF16 {
  static constexpr float apply(Half a) { return to_f32(a); }
};
struct F32FromBf16 {
  static constexpr float apply(Bfloat a) { return f32_of(a.bits << 16); }  // a NaN keeps its payload
};
struct F16FromF32 {
  static constexpr Half apply(float a) { return to_half(a); }
};
struct Bf16FromF32 {
  static constexpr Bfloat apply(float a) { return to_bfloat(a); }
};
/// cvt.rn.f16x2.f32 d, a, b: a becomes the upper half.
struct F16x2FromF32 {
  static constexpr Half2 apply(float a, float b) { return pair_of(to_half(b), to_half(a)); }
};
struct Bf16x2FromF32 {
  static constexpr Bfloat2 apply(float a, float b) { return pair_of(to_bfloat(b), to_bfloat(a)); }
};
struct F64FromF32 {
  static constexpr double apply(float a) { return static_cast<double>(a); }
};
struct F32FromF64 {
  static constexpr float apply(double a) {
    return a == a ? static_cast<float>(a) : f32_of(f32_nan_of_f64(bits_of(a)));
  }
};
/// cvt.sat.f32.f32
struct SatF32 {
  static constexpr float apply(float a) { return saturate(a); }
};
/// cvt.rni.f32.f32 and its like: to an integral value of the same type. The host rounds to nearest even.
template <Rounding R, bool Ftz>
struct IntegralF32 {
  static float apply(float a) { return canonical(integral<R>(flush_if<Ftz>(a))); }
};
template <bool Ftz>
using IntegralEven = IntegralF32<Rounding::rni, Ftz>;
template <bool Ftz>
using IntegralZero = IntegralF32<Rounding::rzi, Ftz>;
template <bool Ftz>
using IntegralDown = IntegralF32<Rounding::rmi, Ftz>;
template <bool Ftz>
using IntegralUp = IntegralF32<Rounding::rpi, Ftz>;

}  // namespace op
}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
