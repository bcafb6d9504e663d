// Families of operation structs that differ in a type, a rounding or a flag: each helper turns the value in
// an instruction into the template's argument and calls v.template operator()<Op>().
#pragma once

#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/semantics/isa.hpp"
#include "evaluators/devices/virtual/semantics/operations.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {
namespace detail {

template <template <class> class Op, class V>
bool signed_and_unsigned(Type type, V& v) {
  switch (type) {
    case Type::u16:
    case Type::b16:
      return v.template operator()<Op<std::uint16_t>>(), true;
    case Type::s16:
      return v.template operator()<Op<std::int16_t>>(), true;
    case Type::u32:
    case Type::b32:
      return v.template operator()<Op<std::uint32_t>>(), true;
    case Type::s32:
      return v.template operator()<Op<std::int32_t>>(), true;
    case Type::u64:
    case Type::b64:
      return v.template operator()<Op<std::uint64_t>>(), true;
    case Type::s64:
      return v.template operator()<Op<std::int64_t>>(), true;
    default:
      return false;
  }
}
/// Where the sign makes no difference.
template <template <class> class Op, class V>
bool by_width(Type type, V& v) {
  switch (size_of(type)) {
    case 2:
      return v.template operator()<Op<std::uint16_t>>(), true;
    case 4:
      return v.template operator()<Op<std::uint32_t>>(), true;
    case 8:
      return v.template operator()<Op<std::uint64_t>>(), true;
    default:
      return false;
  }
}
template <template <class> class Op, class V>
bool narrow_only(Type type, V& v) {
  switch (type) {
    case Type::u16:
      return v.template operator()<Op<std::uint16_t>>(), true;
    case Type::s16:
      return v.template operator()<Op<std::int16_t>>(), true;
    case Type::u32:
      return v.template operator()<Op<std::uint32_t>>(), true;
    case Type::s32:
      return v.template operator()<Op<std::int32_t>>(), true;
    default:
      return false;
  }
}
template <template <class> class Op, class V>
bool bits_or_predicate(Type type, V& v) {
  if (type == Type::pred) return v.template operator()<Op<bool>>(), true;
  return by_width<Op>(type, v);
}

template <template <bool> class Op, class V>
bool by_ftz(bool ftz, V& v) {
  return ftz ? (v.template operator()<Op<true>>(), true) : (v.template operator()<Op<false>>(), true);
}
template <template <bool, bool> class Op, class V>
bool by_flags(bool first, bool second, V& v) {
  if (first)
    return second ? (v.template operator()<Op<true, true>>(), true)
                  : (v.template operator()<Op<true, false>>(), true);
  return second ? (v.template operator()<Op<false, true>>(), true)
                : (v.template operator()<Op<false, false>>(), true);
}
template <template <Rounding, bool, bool> class Op, Rounding R>
struct Rounded {
  template <bool Ftz, bool Sat>
  using type = Op<R, Ftz, Sat>;
};
template <template <Rounding, bool, bool> class Op, class V>
bool rounded_f32(const Instruction& i, V& v) {
  switch (i.rounding) {
    case Rounding::none:
    case Rounding::rn:
      return by_flags<Rounded<Op, Rounding::rn>::template type>(i.ftz, i.saturate, v);
    case Rounding::rz:
      return by_flags<Rounded<Op, Rounding::rz>::template type>(i.ftz, i.saturate, v);
    case Rounding::rm:
      return by_flags<Rounded<Op, Rounding::rm>::template type>(i.ftz, i.saturate, v);
    case Rounding::rp:
      return by_flags<Rounded<Op, Rounding::rp>::template type>(i.ftz, i.saturate, v);
    default:
      return false;
  }
}

template <template <class, class, bool, bool> class Op, class Ops, class P>
struct HalfFlags {
  template <bool First, bool Second>
  using type = Op<Ops, P, First, Second>;
};
template <template <class, class, bool, bool> class Op, class V>
bool half_flags(Type type, bool first, bool second, V& v) {
  switch (type) {
    case Type::f16:
      return by_flags<HalfFlags<Op, HalfOps, Half>::template type>(first, second, v);
    case Type::f16x2:
      return by_flags<HalfFlags<Op, HalfOps, Half2>::template type>(first, second, v);
    case Type::bf16:
      return by_flags<HalfFlags<Op, BfloatOps, Bfloat>::template type>(false, second, v);
    case Type::bf16x2:
      return by_flags<HalfFlags<Op, BfloatOps, Bfloat2>::template type>(false, second, v);
    default:
      return false;
  }
}
template <template <class, class, bool> class Op, class V>
bool half_unary(Type type, bool ftz, V& v) {
  switch (type) {
    case Type::f16:
      return ftz ? (v.template operator()<Op<HalfOps, Half, true>>(), true)
                 : (v.template operator()<Op<HalfOps, Half, false>>(), true);
    case Type::f16x2:
      return ftz ? (v.template operator()<Op<HalfOps, Half2, true>>(), true)
                 : (v.template operator()<Op<HalfOps, Half2, false>>(), true);
    case Type::bf16:
      return v.template operator()<Op<BfloatOps, Bfloat, false>>(), true;
    case Type::bf16x2:
      return v.template operator()<Op<BfloatOps, Bfloat2, false>>(), true;
    default:
      return false;
  }
}
template <class Ops, class P, bool Relu>
struct FmaFlags {
  template <bool Ftz, bool Sat>
  using type = op::FmaHalf<Ops, P, Ftz, Sat, Relu>;
};
template <class V>
bool half_fma(const Instruction& i, V& v) {
  switch (i.type) {
    case Type::f16:
      return i.relu ? by_flags<FmaFlags<HalfOps, Half, true>::template type>(i.ftz, i.saturate, v)
                    : by_flags<FmaFlags<HalfOps, Half, false>::template type>(i.ftz, i.saturate, v);
    case Type::f16x2:
      return i.relu ? by_flags<FmaFlags<HalfOps, Half2, true>::template type>(i.ftz, i.saturate, v)
                    : by_flags<FmaFlags<HalfOps, Half2, false>::template type>(i.ftz, i.saturate, v);
    case Type::bf16:
      if (i.relu) return v.template operator()<op::FmaHalf<BfloatOps, Bfloat, false, false, true>>(), true;
      return v.template operator()<op::FmaHalf<BfloatOps, Bfloat, false, false, false>>(), true;
    case Type::bf16x2:
      if (i.relu) return v.template operator()<op::FmaHalf<BfloatOps, Bfloat2, false, false, true>>(), true;
      return v.template operator()<op::FmaHalf<BfloatOps, Bfloat2, false, false, false>>(), true;
    default:
      return false;
  }
}

[[nodiscard]] constexpr bool is_half(Type type) {
  return type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2;
}
[[nodiscard]] constexpr bool nearest(Rounding rounding) {
  return rounding == Rounding::none || rounding == Rounding::rn;
}

template <template <Compare> class Op, class V>
bool by_float_compare(Compare compare, V& v) {
  switch (compare) {
    case Compare::eq:
      return v.template operator()<Op<Compare::eq>>(), true;
    case Compare::ne:
      return v.template operator()<Op<Compare::ne>>(), true;
    case Compare::lt:
      return v.template operator()<Op<Compare::lt>>(), true;
    case Compare::le:
      return v.template operator()<Op<Compare::le>>(), true;
    case Compare::gt:
      return v.template operator()<Op<Compare::gt>>(), true;
    case Compare::ge:
      return v.template operator()<Op<Compare::ge>>(), true;
    case Compare::equ:
      return v.template operator()<Op<Compare::equ>>(), true;
    case Compare::neu:
      return v.template operator()<Op<Compare::neu>>(), true;
    case Compare::ltu:
      return v.template operator()<Op<Compare::ltu>>(), true;
    case Compare::leu:
      return v.template operator()<Op<Compare::leu>>(), true;
    case Compare::gtu:
      return v.template operator()<Op<Compare::gtu>>(), true;
    case Compare::geu:
      return v.template operator()<Op<Compare::geu>>(), true;
    case Compare::num:
      return v.template operator()<Op<Compare::num>>(), true;
    case Compare::nan:
      return v.template operator()<Op<Compare::nan>>(), true;
    default:
      return false;
  }
}
template <class T, class V>
bool by_integer_compare(Compare compare, V& v) {
  switch (compare) {
    case Compare::eq:
      return v.template operator()<op::Compares<T, Compare::eq>>(), true;
    case Compare::ne:
      return v.template operator()<op::Compares<T, Compare::ne>>(), true;
    case Compare::lt:
    case Compare::lo:
      return v.template operator()<op::Compares<T, Compare::lt>>(), true;
    case Compare::le:
    case Compare::ls:
      return v.template operator()<op::Compares<T, Compare::le>>(), true;
    case Compare::gt:
    case Compare::hi:
      return v.template operator()<op::Compares<T, Compare::gt>>(), true;
    case Compare::ge:
    case Compare::hs:
      return v.template operator()<op::Compares<T, Compare::ge>>(), true;
    default:
      return false;
  }
}
template <bool Ftz>
struct F32Compares {
  template <Compare C>
  using type = op::ComparesF32<C, Ftz>;
};
template <class P>
struct HalfCompares {
  template <Compare C>
  using type = op::ComparesHalf<P, C>;
};

}  // namespace detail
}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
