// f32 and f64 arithmetic: nearest-even by the host's instructions, the directed roundings by exact residuals
// (f32) or the host's rounding mode (f64).
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/semantics/bits.hpp"
#include "evaluators/devices/virtual/semantics/isa.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {

/// The neighbour below or above; of an infinity, the largest finite value on that side. Not for NaN.
[[nodiscard]] constexpr float step_down(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t moved = (bits & 0x80000000U) != 0 ? bits + 1 : bits - 1;
  return f32_of(bits == 0 ? 0x80000001U : moved);
}
[[nodiscard]] constexpr float step_up(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t moved = (bits & 0x80000000U) != 0 ? bits - 1 : bits + 1;
  return f32_of(bits == 0x80000000U ? 0x00000001U : moved);
}

/// `value` + `residual` (an exact sum, |residual| at most half an ulp of `value`) rounded to f32. No
/// branches, so that loops over it become vector code.
template <Rounding R>
[[nodiscard]] constexpr float round_to_f32(double value, double residual) {
  const auto nearest = static_cast<float>(value);
  const double back = nearest;
  const bool above = (back > value) | ((back == value) & (residual < 0));
  const bool below = (back < value) | ((back == value) & (residual > 0));
  const bool finite = value - value == 0.0;
  float result = nearest;
  if constexpr (R == Rounding::rm) {
    result = above ? step_down(nearest) : nearest;
  } else if constexpr (R == Rounding::rp) {
    result = below ? step_up(nearest) : nearest;
  } else if constexpr (R == Rounding::rz) {
    const bool positive = (value > 0) | ((value == 0) & (residual > 0));
    const float inward = positive ? step_down(nearest) : step_up(nearest);
    result = (positive ? above : below) ? inward : nearest;
  }
  return canonical(finite ? result : nearest);
}
[[nodiscard]] inline float round_to_f32(double value, double residual, Rounding rounding) {
  switch (rounding) {
    case Rounding::rm:
      return round_to_f32<Rounding::rm>(value, residual);
    case Rounding::rp:
      return round_to_f32<Rounding::rp>(value, residual);
    case Rounding::rz:
      return round_to_f32<Rounding::rz>(value, residual);
    default:
      return round_to_f32<Rounding::rn>(value, residual);
  }
}

/// p + c in the given directed rounding, for a p that is exact in f64. Zero signs as IEEE says.
template <Rounding R>
[[nodiscard]] constexpr float sum_to_f32(double p, double c) {
  const double sum = p + c;
  const double from_c = sum - p;
  const double residual = (p - (sum - from_c)) + (c - from_c);
  const bool cancels = (sum == 0.0) & ((bits_of(p) ^ bits_of(c)) >> 63 != 0);
  const float zero = R == Rounding::rm ? -0.0F : 0.0F;
  const float rounded = round_to_f32<R>(sum, residual);
  return cancels ? zero : rounded;
}

template <Rounding R>
[[nodiscard]] inline float add_f32(float a, float b) {
  if constexpr (R == Rounding::rn || R == Rounding::none) {
    return canonical(a + b);
  } else {
    return sum_to_f32<R>(a, b);
  }
}
template <Rounding R>
[[nodiscard]] inline float mul_f32(float a, float b) {
  if constexpr (R == Rounding::rn || R == Rounding::none) {
    return canonical(a * b);
  } else {
    return round_to_f32<R>(static_cast<double>(a) * b, 0.0);
  }
}
template <Rounding R>
[[nodiscard]] inline float fma_f32(float a, float b, float c) {
  if constexpr (R == Rounding::rn || R == Rounding::none) {
    return canonical(__builtin_fmaf(a, b, c));
  } else {
    return sum_to_f32<R>(static_cast<double>(a) * b, c);
  }
}
/// Quotient; the residual of the f64 quotient says on which side the exact one lies.
[[nodiscard]] inline float div_f32(float a, float b, Rounding rounding) {
  if (rounding == Rounding::rn || rounding == Rounding::none) return canonical(a / b);
  const double quotient = static_cast<double>(a) / b;
  if (!(quotient - quotient == 0.0) || quotient == 0.0) return canonical(static_cast<float>(quotient));
  const double residual = __builtin_fma(-quotient, static_cast<double>(b), static_cast<double>(a));
  return round_to_f32(quotient, std::signbit(b) ? -residual : residual, rounding);
}
[[nodiscard]] inline float sqrt_f32(float a, Rounding rounding) {
  if (rounding == Rounding::rn || rounding == Rounding::none) return canonical(std::sqrt(a));
  const double root = std::sqrt(static_cast<double>(a));
  if (!(root - root == 0.0) || root == 0.0) return canonical(static_cast<float>(root));
  return round_to_f32(root, __builtin_fma(-root, root, static_cast<double>(a)), rounding);
}

/// The other operand for a NaN, -0 below +0; with NanPropagating a NaN wins.
template <bool NanPropagating>
[[nodiscard]] constexpr float max_f32(float a, float b) {
  const bool a_nan = a != a;
  const bool b_nan = b != b;
  const bool take_a = (a > b) | ((a == b) & (bits_of(b) > bits_of(a)));
  float result = take_a ? a : b;
  result = a_nan ? b : result;
  result = b_nan ? a : result;
  if (NanPropagating) result = a_nan ? a : result;
  if (NanPropagating) result = b_nan ? b : result;
  return canonical(result);
}
template <bool NanPropagating>
[[nodiscard]] constexpr float min_f32(float a, float b) {
  const bool a_nan = a != a;
  const bool b_nan = b != b;
  const bool take_a = (a < b) | ((a == b) & (bits_of(a) > bits_of(b)));
  float result = take_a ? a : b;
  result = a_nan ? b : result;
  result = b_nan ? a : result;
  if (NanPropagating) result = a_nan ? a : result;
  if (NanPropagating) result = b_nan ? b : result;
  return canonical(result);
}
[[nodiscard]] constexpr double max_f64(double a, double b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return (bits_of(a) >> 63) != 0 ? b : a;
  return a > b ? a : b;
}
[[nodiscard]] constexpr double min_f64(double a, double b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return (bits_of(a) >> 63) != 0 ? a : b;
  return a < b ? a : b;
}

/// Sets the host's rounding mode for one f64 operation.
class HostRounding {
 public:
  explicit HostRounding(Rounding rounding) : saved_(mode()) {
    set_mode(rounding == Rounding::rz   ? FE_TOWARDZERO
             : rounding == Rounding::rm ? FE_DOWNWARD
             : rounding == Rounding::rp ? FE_UPWARD
                                        : FE_TONEAREST);
  }
  ~HostRounding() { set_mode(saved_); }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;

 private:
#if defined(__x86_64__)
  // Doubles are computed in SSE registers: fesetround(), which asks the x87 unit too, costs ten times as
  // much. FE_* are its bits, three further to the left in MXCSR.
  static int mode() {
    return static_cast<int>(_mm_getcsr() >> 3 & 0xc00U);
  }
  static void set_mode(int mode) {
    _mm_setcsr((_mm_getcsr() & ~0x6000U) | static_cast<unsigned>(mode) << 3);
  }
#else
  static int mode() {
    return std::fegetround();
  }
  static void set_mode(int mode) {
    std::fesetround(mode);
  }
#endif

  int saved_;
};

enum class F64Operation : std::uint8_t { add, sub, mul, fma, div, sqrt };
/// One f64 operation in any rounding. The volatiles keep the compiler from moving it out of the guard.
[[nodiscard]] inline double f64_operation(F64Operation operation, double a, double b, double c,
                                          Rounding rounding) {
  const HostRounding guard(rounding);
  const volatile double x = a;
  const volatile double y = b;
  const volatile double z = c;
  volatile double result = 0;
  switch (operation) {
    case F64Operation::add:
      result = x + y;
      break;
    case F64Operation::sub:
      result = x - y;
      break;
    case F64Operation::mul:
      result = x * y;
      break;
    case F64Operation::fma:
      result = std::fma(x, y, z);
      break;
    case F64Operation::div:
      result = x / y;
      break;
    case F64Operation::sqrt:
      result = std::sqrt(x);
      break;
  }
  return result;
}

}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
