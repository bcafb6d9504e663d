// Integer instructions: wrap-around arithmetic, clamping shifts, division as the GPU does it.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "evaluators/devices/virtual/semantics/isa.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {

template <class T>
using Unsigned = std::make_unsigned_t<T>;
/// At least int, so that products of 16-bit values do not overflow int.
template <class T>
using Wide = std::conditional_t<(sizeof(T) < 4), std::uint32_t, Unsigned<T>>;

template <class T>
[[nodiscard]] constexpr T add(T a, T b) {
  return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
}
template <class T>
[[nodiscard]] constexpr T sub(T a, T b) {
  return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
}
template <class T>
[[nodiscard]] constexpr T mul_lo(T a, T b) {
  return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}

/// The full product, in the type of twice the width.
[[nodiscard]] constexpr std::uint32_t mul_wide(std::uint16_t a, std::uint16_t b) {
  return std::uint32_t{a} * b;
}
[[nodiscard]] constexpr std::int32_t mul_wide(std::int16_t a, std::int16_t b) {
  return std::int32_t{a} * b;
}
[[nodiscard]] constexpr std::uint64_t mul_wide(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{a} * b;
}
[[nodiscard]] constexpr std::int64_t mul_wide(std::int32_t a, std::int32_t b) {
  return std::int64_t{a} * b;
}

template <class T>
[[nodiscard]] constexpr T mul_hi(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    __extension__ using U128 = unsigned __int128;
    __extension__ using S128 = __int128;
    using P = std::conditional_t<std::is_signed_v<T>, S128, U128>;
    return static_cast<T>((static_cast<P>(a) * static_cast<P>(b)) >> 64);
  } else {
    return static_cast<T>(mul_wide(a, b) >> (8 * sizeof(T)));
  }
}

[[nodiscard]] constexpr std::int32_t clamp_to_s32(std::int64_t value) {
  constexpr std::int64_t lowest = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t highest = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(value < lowest ? lowest : value > highest ? highest : value);
}
[[nodiscard]] constexpr std::int32_t add_sat(std::int32_t a, std::int32_t b) {
  return clamp_to_s32(std::int64_t{a} + b);
}
[[nodiscard]] constexpr std::int32_t sub_sat(std::int32_t a, std::int32_t b) {
  return clamp_to_s32(std::int64_t{a} - b);
}

/// PTX leaves x / 0 to the machine: every NVIDIA GPU gives all ones, for the quotient and for the remainder.
template <class T>
[[nodiscard]] constexpr T div(T a, T b) {
  if (b == 0) return static_cast<T>(~Unsigned<T>{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return sub(T{0}, a);
  }
  return static_cast<T>(a / b);
}
template <class T>
[[nodiscard]] constexpr T rem(T a, T b) {
  if (b == 0) return static_cast<T>(~Unsigned<T>{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

template <class T>
[[nodiscard]] constexpr T neg(T a) {
  return sub(T{0}, a);
}
template <class T>
[[nodiscard]] constexpr T absolute(T a) {
  return a < 0 ? neg(a) : a;
}
/// c + |a - b|
template <class T>
[[nodiscard]] constexpr T sad(T a, T b, T c) {
  return add(c, a < b ? sub(b, a) : sub(a, b));
}

/// Shift amounts are .u32 and clamp at the width.
template <class T>
[[nodiscard]] constexpr T shl(T a, std::uint32_t n) {
  constexpr std::uint32_t width = 8 * sizeof(T);
  return n < width ? static_cast<T>(static_cast<Wide<T>>(a) << (n & (width - 1))) : T{0};
}
template <class T>
[[nodiscard]] constexpr T shr(T a, std::uint32_t n) {
  constexpr std::uint32_t width = 8 * sizeof(T);
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(a >> (n < width ? n : width - 1));
  } else {
    return n < width ? static_cast<T>(a >> (n & (width - 1))) : T{0};
  }
}
[[nodiscard]] constexpr std::uint32_t shf_l(std::uint32_t a, std::uint32_t b, std::uint32_t c, bool wrap) {
  const std::uint32_t n = wrap ? c & 31U : (c < 32 ? c : 32U);
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  return static_cast<std::uint32_t>((both << n) >> 32);
}
[[nodiscard]] constexpr std::uint32_t shf_r(std::uint32_t a, std::uint32_t b, std::uint32_t c, bool wrap) {
  const std::uint32_t n = wrap ? c & 31U : (c < 32 ? c : 32U);
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  return static_cast<std::uint32_t>(both >> n);
}

template <class T>
[[nodiscard]] constexpr T brev(T a) {
  T result = 0;
  for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit) result = static_cast<T>(result << 1 | (a >> bit & 1));
  return result;
}

/// Position of the highest bit that differs from the sign; all ones when there is none.
template <class T>
[[nodiscard]] constexpr std::uint32_t bfind(T a, bool shift_amount) {
  using U = Unsigned<T>;
  constexpr int width = 8 * sizeof(T);
  U value = static_cast<U>(a);
  if (std::is_signed_v<T> && a < 0) value = static_cast<U>(~value);
  if (value == 0) return 0xffffffffU;
  const int position = width - 1 - std::countl_zero(value);
  return static_cast<std::uint32_t>(shift_amount ? width - 1 - position : position);
}

/// Bit field of `length` bits at `position`; bits past the end are zero, or the sign when signed.
template <class T>
[[nodiscard]] constexpr T bfe(T a, std::uint32_t b, std::uint32_t c) {
  using U = Unsigned<T>;
  constexpr std::uint32_t width = 8 * sizeof(T);
  const std::uint32_t position = b & 0xffU;
  const std::uint32_t length = c & 0xffU;
  if (length == 0) return 0;
  const U mask = length >= width ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << length) - 1);
  const std::uint64_t last = std::uint64_t{position} + length - 1;
  const U sign = std::is_signed_v<T>
                     ? static_cast<U>(static_cast<U>(a) >> (last < width ? last : width - 1) & 1U)
                     : U{0};
  const U field = position < width ? static_cast<U>(static_cast<U>(a) >> position) : U{0};
  const U available = position < width ? static_cast<U>(static_cast<U>(~U{0}) >> position) : U{0};
  const U fill = sign != 0 ? static_cast<U>(~static_cast<U>(mask & available)) : U{0};
  return static_cast<T>(static_cast<U>((field & mask) | fill));
}
/// a's low `length` bits into b at `position`.
template <class T>
[[nodiscard]] constexpr T bfi(T a, T b, std::uint32_t c, std::uint32_t d) {
  constexpr std::uint32_t width = 8 * sizeof(T);
  const std::uint32_t position = c & 0xffU;
  const std::uint32_t length = d & 0xffU;
  if (position >= width || length == 0) return b;
  const T field = length >= width ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
  const T mask = static_cast<T>(field << position);
  return static_cast<T>((b & ~mask) | ((a << position) & mask));
}

[[nodiscard]] constexpr std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                           std::uint32_t table) {
  std::uint32_t result = 0;
  if (table & 0x01U) result |= ~a & ~b & ~c;
  if (table & 0x02U) result |= ~a & ~b & c;
  if (table & 0x04U) result |= ~a & b & ~c;
  if (table & 0x08U) result |= ~a & b & c;
  if (table & 0x10U) result |= a & ~b & ~c;
  if (table & 0x20U) result |= a & ~b & c;
  if (table & 0x40U) result |= a & b & ~c;
  if (table & 0x80U) result |= a & b & c;
  return result;
}

/// Default mode of prmt: each selector nibble picks one of the eight bytes of b:a, bit 3 replicates its sign.
[[nodiscard]] constexpr std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t nibble = selector >> (4 * i) & 0xfU;
    std::uint32_t byte = static_cast<std::uint32_t>(bytes >> (8 * (nibble & 7U))) & 0xffU;
    if (nibble & 8U) byte = (byte & 0x80U) != 0 ? 0xffU : 0U;
    result |= byte << (8 * i);
  }
  return result;
}
/// The other modes of prmt: turned into a selector of the default mode. `n` is the third operand's low two
/// bits.
enum class PermuteMode : std::uint8_t { standard, f4e, b4e, rc8, ecl, ecr, rc16 };
[[nodiscard]] constexpr std::uint32_t permute_selector(PermuteMode mode, std::uint32_t c) {
  constexpr std::uint32_t f4e[4] = {0x3210, 0x4321, 0x5432, 0x6543};
  constexpr std::uint32_t b4e[4] = {0x5670, 0x6701, 0x7012, 0x0123};
  constexpr std::uint32_t rc8[4] = {0x0000, 0x1111, 0x2222, 0x3333};
  constexpr std::uint32_t ecl[4] = {0x3210, 0x3211, 0x3222, 0x3333};
  constexpr std::uint32_t ecr[4] = {0x0000, 0x1110, 0x2210, 0x3210};
  constexpr std::uint32_t rc16[4] = {0x1010, 0x3232, 0x1010, 0x3232};
  const std::uint32_t n = c & 3U;
  switch (mode) {
    case PermuteMode::f4e:
      return f4e[n];
    case PermuteMode::b4e:
      return b4e[n];
    case PermuteMode::rc8:
      return rc8[n];
    case PermuteMode::ecl:
      return ecl[n];
    case PermuteMode::ecr:
      return ecr[n];
    case PermuteMode::rc16:
      return rc16[n];
    default:
      return c;
  }
}

/// Dot product of bytes, each operand signed or not, onto c (wraps).
[[nodiscard]] constexpr std::uint32_t dp4a(std::uint32_t a, std::uint32_t b, std::uint32_t c, bool a_signed,
                                           bool b_signed) {
  std::int64_t sum = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t x = a >> (8 * i) & 0xffU;
    const std::uint32_t y = b >> (8 * i) & 0xffU;
    const std::int64_t sx = a_signed ? static_cast<std::int8_t>(x) : static_cast<std::int64_t>(x);
    const std::int64_t sy = b_signed ? static_cast<std::int8_t>(y) : static_cast<std::int64_t>(y);
    sum += sx * sy;
  }
  return c + static_cast<std::uint32_t>(sum);
}
/// Two 16-bit elements of a times the low or high two bytes of b.
[[nodiscard]] constexpr std::uint32_t dp2a(std::uint32_t a, std::uint32_t b, std::uint32_t c, bool a_signed,
                                           bool b_signed, bool upper) {
  std::int64_t sum = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const std::uint32_t x = a >> (16 * i) & 0xffffU;
    const std::uint32_t y = b >> (8 * i + (upper ? 16 : 0)) & 0xffU;
    const std::int64_t sx = a_signed ? static_cast<std::int16_t>(x) : static_cast<std::int64_t>(x);
    const std::int64_t sy = b_signed ? static_cast<std::int8_t>(y) : static_cast<std::int64_t>(y);
    sum += sx * sy;
  }
  return c + static_cast<std::uint32_t>(sum);
}

/// 24-bit products of the 48-bit result: low 32 bits, or bits 47..16.
template <class T>
[[nodiscard]] constexpr T mul24(T a, T b, bool high_part) {
  const auto narrow = [](T value) {
    if constexpr (std::is_signed_v<T>) {
      return static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << 8) >>
                                       8);
    } else {
      return static_cast<std::int64_t>(value & 0xffffffU);
    }
  };
  const std::int64_t product = narrow(a) * narrow(b);
  return static_cast<T>(high_part ? product >> 16 : product);
}

/// Position of the n-th set bit of `mask` counted from `base` (upwards for n > 0, downwards for n < 0); all
/// ones when there is none. n = 0 asks whether bit `base` itself is set.
[[nodiscard]] constexpr std::uint32_t fns(std::uint32_t mask, std::uint32_t base, std::int32_t n) {
  if (base > 31) return 0xffffffffU;
  if (n == 0) return (mask >> base & 1U) != 0 ? base : 0xffffffffU;
  const int step = n > 0 ? 1 : -1;
  std::int64_t left = n > 0 ? n : -std::int64_t{n};
  for (int position = static_cast<int>(base); position >= 0 && position < 32; position += step) {
    if ((mask >> position & 1U) != 0 && --left == 0) return static_cast<std::uint32_t>(position);
  }
  return 0xffffffffU;
}

}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
