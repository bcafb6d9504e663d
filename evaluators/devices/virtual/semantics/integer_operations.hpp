// Integers and bits: one struct per instruction spelling with a static `apply` on lane values; see
// operations.hpp.
#pragma once

#include <cstdint>
#include <type_traits>

#include "evaluators/devices/virtual/semantics/integer.hpp"
#include "evaluators/devices/virtual/semantics/isa.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {
namespace op {

template <class T>
struct Add {
  static constexpr T apply(T a, T b) { return add(a, b); }
};
template <class T>
struct Sub {
  static constexpr T apply(T a, T b) { return sub(a, b); }
};
struct AddSat {
  static constexpr std::int32_t apply(std::int32_t a, std::int32_t b) { return add_sat(a, b); }
};
struct SubSat {
  static constexpr std::int32_t apply(std::int32_t a, std::int32_t b) { return sub_sat(a, b); }
};
template <class T>
struct MulLo {
  static constexpr T apply(T a, T b) { return mul_lo(a, b); }
};
template <class T>
struct MulHi {
  static constexpr T apply(T a, T b) { return mul_hi(a, b); }
};
template <class T>
struct MulWide {
  static constexpr auto apply(T a, T b) { return mul_wide(a, b); }
};
template <class T>
struct MadLo {
  static constexpr T apply(T a, T b, T c) { return add(mul_lo(a, b), c); }
};
template <class T>
struct MadHi {
  static constexpr T apply(T a, T b, T c) { return add(mul_hi(a, b), c); }
};
struct MadHiSat {
  static constexpr std::int32_t apply(std::int32_t a, std::int32_t b, std::int32_t c) {
    return add_sat(mul_hi(a, b), c);
  }
};
template <class T>
struct MadWide {
  using W = decltype(mul_wide(T{}, T{}));
  static constexpr W apply(T a, T b, W c) { return add(mul_wide(a, b), c); }
};
template <class T>
struct Sad {
  static constexpr T apply(T a, T b, T c) { return sad(a, b, c); }
};
template <class T>
struct Div {
  static constexpr T apply(T a, T b) { return div(a, b); }
};
template <class T>
struct Rem {
  static constexpr T apply(T a, T b) { return rem(a, b); }
};
template <class T>
struct Abs {
  static constexpr T apply(T a) { return absolute(a); }
};
template <class T>
struct Neg {
  static constexpr T apply(T a) { return neg(a); }
};
template <class T>
struct Min {
  static constexpr T apply(T a, T b) { return a < b ? a : b; }
};
template <class T>
struct Max {
  static constexpr T apply(T a, T b) { return a > b ? a : b; }
};
template <class T>
struct And {
  static constexpr T apply(T a, T b) { return static_cast<T>(a & b); }
};
template <class T>
struct Or {
  static constexpr T apply(T a, T b) { return static_cast<T>(a | b); }
};
template <class T>
struct Xor {
  static constexpr T apply(T a, T b) { return static_cast<T>(a ^ b); }
};
template <class T>
struct Not {
  static constexpr T apply(T a) {
    if constexpr (std::is_same_v<T, bool>) {
      return !a;
    } else {
      return static_cast<T>(~a);
    }
  }
};
template <class T>
struct Cnot {
  static constexpr T apply(T a) { return a == 0 ? T{1} : T{0}; }
};
template <class T>
struct Shl {
  static constexpr T apply(T a, std::uint32_t n) { return shl(a, n); }
};
template <class T>
struct Shr {
  static constexpr T apply(T a, std::uint32_t n) { return shr(a, n); }
};
template <bool Left, bool Wrap>
struct Shf {
  static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return Left ? shf_l(a, b, c, Wrap) : shf_r(a, b, c, Wrap);
  }
};
template <class T>
struct Popc {
  static constexpr std::uint32_t apply(T a) { return static_cast<std::uint32_t>(std::popcount(a)); }
};
template <class T>
struct Clz {
  static constexpr std::uint32_t apply(T a) { return static_cast<std::uint32_t>(std::countl_zero(a)); }
};
template <class T>
struct Brev {
  static constexpr T apply(T a) { return brev(a); }
};
template <class T>
struct Bfe {
  static constexpr T apply(T a, std::uint32_t b, std::uint32_t c) { return bfe(a, b, c); }
};
template <class T>
struct Bfi {
  static constexpr T apply(T a, T b, std::uint32_t c, std::uint32_t d) { return bfi(a, b, c, d); }
};
/// mov and selp do not look at the value.
template <class T>
struct Mov {
  static constexpr T apply(T a) { return a; }
};
template <class T>
struct Selp {
  static constexpr T apply(T a, T b, bool c) { return c ? a : b; }
};
/// slct: a if c >= 0.
template <class T, class C>
struct Slct {
  static constexpr T apply(T a, T b, C c) { return c >= C{0} ? a : b; }
};
/// Widening or truncating move between integer types.
template <class To, class From>
struct Resize {
  static constexpr To apply(From a) { return static_cast<To>(a); }
};

}  // namespace op
}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
