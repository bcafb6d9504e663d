// cvt between integers and floating values, without branches and without wide arithmetic, so that loops over
// lanes vectorise. convert() of convert.hpp says the same of every operand (tests/warp/conversion_test.cpp).
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/semantics/bits.hpp"
#include "evaluators/devices/virtual/semantics/isa.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {

/// Rounds to an integral value of the same type, which NaN and infinities are left as.
template <Rounding R>
[[nodiscard]] inline float integral(float value) {
  if constexpr (R == Rounding::rni) return __builtin_rintf(value);
  if constexpr (R == Rounding::rzi) return __builtin_truncf(value);
  if constexpr (R == Rounding::rmi) return __builtin_floorf(value);
  if constexpr (R == Rounding::rpi) return __builtin_ceilf(value);
}
template <Rounding R>
[[nodiscard]] inline double integral(double value) {
  if constexpr (R == Rounding::rni) return __builtin_rint(value);
  if constexpr (R == Rounding::rzi) return __builtin_trunc(value);
  if constexpr (R == Rounding::rmi) return __builtin_floor(value);
  if constexpr (R == Rounding::rpi) return __builtin_ceil(value);
}

/// An integral value, or NaN, clamped to To; NaN gives `of_nan`.
template <class To, class From>
[[nodiscard]] constexpr To clamped(From integral_value, To of_nan) {
  using Limits = std::numeric_limits<To>;
  const bool nan = integral_value != integral_value;
  if constexpr (sizeof(To) < 4 || (sizeof(To) == 4 && sizeof(From) == 8)) {
    // From holds the bounds themselves.
    constexpr From lowest = static_cast<From>(Limits::min());
    constexpr From highest = static_cast<From>(Limits::max());
    const From low = integral_value > lowest ? integral_value : lowest;
    const From value = low < highest ? low : highest;
    using Wide = std::conditional_t<sizeof(To) == 4, std::int64_t, std::int32_t>;
    return nan ? of_nan : static_cast<To>(static_cast<Wide>(value));
  } else {
    constexpr From end =
        static_cast<From>(std::uint64_t{1} << (8 * sizeof(To) - 1)) * (std::is_signed_v<To> ? 1 : 2);
    constexpr From lowest = std::is_signed_v<To> ? -end : From{0};
    const bool low = integral_value < lowest;
    const bool high = integral_value >= end;
    const From safe = nan | low | high ? From{0} : integral_value;
    To result;
    if constexpr (std::is_signed_v<To> || sizeof(To) == 8) {
      result = static_cast<To>(safe);
    } else {
      // In two halves of the range: there is an instruction for signed values.
      const bool upper = safe >= end / 2;
      const auto half = static_cast<std::int32_t>(upper ? safe - end / 2 : safe);
      result = static_cast<To>(half) ^ (upper ? To{1} << 31 : To{0});
    }
    result = low ? Limits::min() : result;
    result = high ? Limits::max() : result;
    return nan ? of_nan : result;
  }
}

namespace op {

/// From has at most 16 bits, or 32 where To is double: exact, so that no rounding matters.
template <class To, class From>
struct FloatOfInteger {
  static constexpr To apply(From a) { return static_cast<To>(a); }
};
/// To nearest even.
template <class From>
struct HalfOfInteger {
  static_assert(sizeof(From) <= 2, "f32 has to hold it");
  static constexpr Half apply(From a) { return to_half(static_cast<float>(a)); }
};

/// NaN gives 0 in up to 32 bits, and the top bit in 64 or from f64 (PTX ISA, cvt).
template <class To>
constexpr To top_bit = static_cast<To>(static_cast<std::make_unsigned_t<To>>(1) << (8 * sizeof(To) - 1));

template <class To, Rounding R, bool Ftz>
struct IntegerOfF32 {
  static To apply(float a) {
    return clamped<To>(integral<R>(flush_if<Ftz>(a)), sizeof(To) == 8 ? top_bit<To> : To{0});
  }
};
template <class To, Rounding R>
struct IntegerOfF16 {
  static To apply(Half a) { return clamped<To>(integral<R>(to_f32(a)), To{0}); }
};
template <class To, Rounding R>
struct IntegerOfF64 {
  static To apply(double a) { return clamped<To>(integral<R>(a), top_bit<To>); }
};

/// cvt.sat between integers: To is narrower than From, or has other signs.
template <class To, class From>
struct Saturated {
  static constexpr To apply(From a) {
    using Wide = std::int64_t;
    const auto value = static_cast<Wide>(a);
    const auto lowest = static_cast<Wide>(std::numeric_limits<To>::min());
    const auto highest = static_cast<Wide>(std::numeric_limits<To>::max());
    const Wide low = value > lowest ? value : lowest;
    return static_cast<To>(low < highest ? low : highest);
  }
};

}  // namespace op
}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
