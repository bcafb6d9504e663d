// cvt between all tier-1 types with all roundings. The common pairs have branch-free code of their own
// elsewhere; this is the general case: the source as an exact real number, one rounding, one encoding.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/semantics/bits.hpp"
#include "evaluators/devices/virtual/semantics/isa.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {

[[nodiscard]] constexpr bool is_float(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::tf32 ||
         type == Type::f64;
}
[[nodiscard]] constexpr bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

/// Rounds an exact value to an integer.
[[nodiscard]] inline long double round_to_integer(long double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::rz:
    case Rounding::rzi:
      return std::trunc(value);
    case Rounding::rm:
    case Rounding::rmi:
      return std::floor(value);
    case Rounding::rp:
    case Rounding::rpi:
      return std::ceil(value);
    case Rounding::rna:
      return std::round(value);
    default: {
      // Nearest even, without the host's rounding mode.
      const long double below = std::floor(value);
      const long double rest = value - below;
      if (rest != 0.5L) return rest < 0.5L ? below : below + 1;
      return std::fmod(below, 2.0L) == 0 ? below : below + 1;
    }
  }
}

struct FloatFormat {
  int precision;  ///< significand bits with the hidden one
  int lowest;     ///< exponent of the smallest subnormal
  long double largest;
};
[[nodiscard]] constexpr FloatFormat format_of(Type type) {
  switch (type) {
    case Type::f16:
      return {11, -24, 65504.0L};
    case Type::bf16:
      return {8, -133, 0x1.fep127L};
    case Type::tf32:
      return {11, -136, 0x1.ffcp127L};
    case Type::f32:
      return {24, -149, 0x1.fffffep127L};
    default:
      return {53, -1074, static_cast<long double>(std::numeric_limits<double>::max())};
  }
}

/// Nearest representable value in the given direction; overflow as IEEE says.
[[nodiscard]] inline long double round_to_format(long double value, const FloatFormat& format,
                                                 Rounding rounding) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int ulp = std::max(std::ilogb(value) - (format.precision - 1), format.lowest);
  const long double rounded =
      std::copysign(std::ldexp(round_to_integer(std::ldexp(value, -ulp), rounding), ulp), value);
  if (std::fabs(rounded) <= format.largest) return rounded;
  const bool toward_zero = rounding == Rounding::rz || (rounding == Rounding::rm && value > 0) ||
                           (rounding == Rounding::rp && value < 0);
  return std::copysign(toward_zero ? format.largest : std::numeric_limits<long double>::infinity(), value);
}

/// The value of a floating pattern, exact; f32 subnormals are flushed first when `ftz`.
[[nodiscard]] inline long double decode(std::uint64_t bits, Type type, bool ftz) {
  switch (type) {
    case Type::f16:
      return to_f32(Half{static_cast<std::uint32_t>(bits & 0xffff)});
    case Type::bf16:
      return to_f32(Bfloat{static_cast<std::uint32_t>(bits & 0xffff)});
    case Type::f64:
      return f64_of(bits);
    default: {
      const float value = f32_of(static_cast<std::uint32_t>(bits));
      return ftz ? flush(value) : value;
    }
  }
}

/// The pattern of a value that `type` represents exactly (or NaN, or infinity).
[[nodiscard]] inline std::uint64_t encode(long double value, Type type, bool ftz) {
  switch (type) {
    case Type::f16:
      return to_half(static_cast<float>(value)).bits;
    case Type::bf16:
      return to_bfloat(static_cast<float>(value)).bits;
    case Type::f64:
      return std::isnan(value) ? 0x7ff8000000000000ULL : bits_of(static_cast<double>(value));
    default: {
      const float result = canonical(static_cast<float>(value));
      return bits_of(ftz ? flush(result) : result);
    }
  }
}

/// Integer to integer: truncation or sign extension, or clamping to the destination's range when
/// `saturating`.
[[nodiscard]] constexpr std::uint64_t convert_integer(std::uint64_t bits, Type to, Type from,
                                                      bool saturating) {
  const unsigned from_width = 8 * size_of(from);
  const unsigned to_width = 8 * size_of(to);
  std::uint64_t value = from_width == 64 ? bits : bits & ((std::uint64_t{1} << from_width) - 1);
  if (is_signed(from) && from_width < 64 && (value >> (from_width - 1) & 1) != 0) {
    value |= ~std::uint64_t{0} << from_width;
  }
  const bool negative = is_signed(from) && static_cast<std::int64_t>(value) < 0;
  if (saturating) {
    const std::uint64_t highest = ~std::uint64_t{0} >> (64 - to_width + (is_signed(to) ? 1 : 0));
    if (negative) {
      if (!is_signed(to)) {
        value = 0;
      } else {
        const std::int64_t lowest = -static_cast<std::int64_t>(highest) - 1;
        if (static_cast<std::int64_t>(value) < lowest) value = static_cast<std::uint64_t>(lowest);
      }
    } else if (value > highest) {
      value = highest;
    }
  }
  return to_width == 64 ? value : value & ((std::uint64_t{1} << to_width) - 1);
}

/// Float to integer: rounds, clamps to the destination's range. NaN gives 0, or the top bit alone when the
/// source is f64 or the destination has 64 bits (PTX ISA, cvt).
[[nodiscard]] inline std::uint64_t convert_to_integer(long double value, Type to, Type from,
                                                      Rounding rounding) {
  const unsigned width = 8 * size_of(to);
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if (std::isnan(value)) return from == Type::f64 || width == 64 ? std::uint64_t{1} << (width - 1) : 0;
  const long double rounded = round_to_integer(value, rounding);
  if (is_signed(to)) {
    const long double limit = std::ldexp(1.0L, static_cast<int>(width) - 1);
    if (rounded < -limit) return std::uint64_t{1} << (width - 1);
    if (rounded >= limit) return mask >> 1;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(rounded)) & mask;
  }
  if (rounded < 0) return 0;
  if (rounded >= std::ldexp(1.0L, static_cast<int>(width))) return mask;
  return static_cast<std::uint64_t>(rounded);
}

/// NaN that a conversion keeps: sign and upper payload go along, as an H200 does it (bench/agreement).
[[nodiscard]] constexpr std::uint32_t f32_nan_of_f64(std::uint64_t bits) {
  return static_cast<std::uint32_t>(bits >> 32 & 0x80000000U) | 0x7fc00000U |
         static_cast<std::uint32_t>(bits >> 29 & 0x7fffffU);
}
/// An H200 drops the low bits and does not quieten: a NaN with no other bits becomes an infinity.
[[nodiscard]] constexpr std::uint32_t tf32_nan_of_f32(std::uint32_t bits) {
  return bits & 0xffffe000U;
}

struct ConvertFlags {
  Rounding rounding = Rounding::none;
  bool ftz = false, saturate = false, relu = false;
};

/// cvt.`to`.`from` on raw bits; the result has size_of(to) bytes, the rest zero. Untyped (.bN) counts as
/// unsigned.
[[nodiscard]] inline std::uint64_t convert(std::uint64_t bits, Type to, Type from,
                                           const ConvertFlags& flags) {
  if (!is_float(to) && !is_float(from)) return convert_integer(bits, to, from, flags.saturate);
  if (!is_float(to)) return convert_to_integer(decode(bits, from, flags.ftz), to, from, flags.rounding);
  long double value = 0;
  if (is_float(from)) {
    value = decode(bits, from, flags.ftz);
  } else {
    const std::uint64_t wide = convert_integer(bits, is_signed(from) ? Type::s64 : Type::u64, from, false);
    value = is_signed(from) ? static_cast<long double>(static_cast<std::int64_t>(wide))
                            : static_cast<long double>(wide);
  }
  const bool to_integral = flags.rounding == Rounding::rni || flags.rounding == Rounding::rzi ||
                           flags.rounding == Rounding::rmi || flags.rounding == Rounding::rpi;
  if (std::isnan(value)) {
    if (flags.saturate) return 0;
    if (to == Type::f32 && from == Type::f64) return f32_nan_of_f64(bits);
    if (to == Type::tf32 && from == Type::f32) return tf32_nan_of_f32(static_cast<std::uint32_t>(bits));
    return encode(value, to, flags.ftz);
  }
  if (to_integral) value = std::copysign(round_to_integer(value, flags.rounding), value);
  value = round_to_format(value, format_of(to), to_integral ? Rounding::rn : flags.rounding);
  if (flags.saturate) value = value > 0 ? (value < 1 ? value : 1.0L) : 0.0L;
  if (flags.relu && !(value > 0)) value = 0;
  return encode(value, to, flags.ftz);
}

}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
