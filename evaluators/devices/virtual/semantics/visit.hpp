// From an instruction to its operation struct: visit_operation(i, v) calls v.template operator()<Op>() once
// for the matching struct of operations.hpp, and returns false for what is not there (see scalar.hpp for the
// rest).
#pragma once

#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/semantics/isa.hpp"
#include "evaluators/devices/virtual/semantics/operations.hpp"
#include "evaluators/devices/virtual/semantics/visit_families.hpp"
#include "evaluators/devices/virtual/semantics/visit_integer_conversions.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {
namespace detail {

template <class V>
bool visit_float(const Instruction& i, V& v) {
  if (is_half(i.type)) {
    switch (i.op) {
      case Opcode::add:
        return half_flags<op::AddHalf>(i.type, i.ftz, i.saturate, v);
      case Opcode::sub:
        return half_flags<op::SubHalf>(i.type, i.ftz, i.saturate, v);
      case Opcode::mul:
        return half_flags<op::MulHalf>(i.type, i.ftz, i.saturate, v);
      case Opcode::fma:
        return half_fma(i, v);
      case Opcode::min:
        return half_flags<op::MinHalf>(i.type, i.ftz, i.nan_propagating, v);
      case Opcode::max:
        return half_flags<op::MaxHalf>(i.type, i.ftz, i.nan_propagating, v);
      case Opcode::neg:
        return half_unary<op::NegHalf>(i.type, i.ftz, v);
      case Opcode::abs:
        return half_unary<op::AbsHalf>(i.type, i.ftz, v);
      default:
        return false;
    }
  }
  if (i.type == Type::f32) {
    switch (i.op) {
      case Opcode::add:
        return rounded_f32<op::AddF32>(i, v);
      case Opcode::sub:
        return rounded_f32<op::SubF32>(i, v);
      case Opcode::mul:
        return rounded_f32<op::MulF32>(i, v);
      case Opcode::mad:
      case Opcode::fma:
        return rounded_f32<op::FmaF32>(i, v);
      case Opcode::div:
        if (i.approx) return by_ftz<op::DivApproxF32>(i.ftz, v);
        return nearest(i.rounding) && by_ftz<op::DivF32>(i.ftz, v);
      case Opcode::rcp:
        return nearest(i.rounding) && by_ftz<op::RcpF32>(i.ftz, v);
      case Opcode::sqrt:
        return nearest(i.rounding) && by_ftz<op::SqrtF32>(i.ftz, v);
      case Opcode::rsqrt:
        return by_ftz<op::RsqrtF32>(i.ftz, v);
      case Opcode::ex2:
        return by_ftz<op::Ex2F32>(i.ftz, v);
      case Opcode::abs:
        return by_ftz<op::AbsF32>(i.ftz, v);
      case Opcode::neg:
        return by_ftz<op::NegF32>(i.ftz, v);
      case Opcode::min:
        return i.src_count == 2 && by_flags<op::MinF32>(i.ftz, i.nan_propagating, v);
      case Opcode::max:
        return i.src_count == 2 && by_flags<op::MaxF32>(i.ftz, i.nan_propagating, v);
      case Opcode::copysign:
        return v.template operator()<op::CopysignF32>(), true;
      default:
        return false;
    }
  }
  if (i.type != Type::f64) return false;
  switch (i.op) {
    case Opcode::add:
      return nearest(i.rounding) && (v.template operator()<op::AddF64>(), true);
    case Opcode::sub:
      return nearest(i.rounding) && (v.template operator()<op::SubF64>(), true);
    case Opcode::mul:
      return nearest(i.rounding) && (v.template operator()<op::MulF64>(), true);
    case Opcode::mad:
    case Opcode::fma:
      return nearest(i.rounding) && (v.template operator()<op::FmaF64>(), true);
    case Opcode::div:
      return nearest(i.rounding) && (v.template operator()<op::DivF64>(), true);
    case Opcode::rcp:
      return nearest(i.rounding) && !i.approx && (v.template operator()<op::RcpF64>(), true);
    case Opcode::sqrt:
      return nearest(i.rounding) && (v.template operator()<op::SqrtF64>(), true);
    case Opcode::abs:
      return v.template operator()<op::AbsF64>(), true;
    case Opcode::neg:
      return v.template operator()<op::NegF64>(), true;
    case Opcode::min:
      return v.template operator()<op::MinF64>(), true;
    case Opcode::max:
      return v.template operator()<op::MaxF64>(), true;
    case Opcode::copysign:
      return v.template operator()<op::CopysignF64>(), true;
    default:
      return false;
  }
}

template <class V>
bool visit_integer(const Instruction& i, V& v) {
  if (i.carry_out) return false;
  switch (i.op) {
    case Opcode::add:
      return i.saturate ? (v.template operator()<op::AddSat>(), true) : by_width<op::Add>(i.type, v);
    case Opcode::sub:
      return i.saturate ? (v.template operator()<op::SubSat>(), true) : by_width<op::Sub>(i.type, v);
    case Opcode::mul:
      if (i.mul_mode == MulMode::wide) return narrow_only<op::MulWide>(i.type, v);
      if (i.mul_mode == MulMode::hi) return signed_and_unsigned<op::MulHi>(i.type, v);
      return by_width<op::MulLo>(i.type, v);
    case Opcode::mad:
      if (i.mul_mode == MulMode::wide) return narrow_only<op::MadWide>(i.type, v);
      if (i.mul_mode != MulMode::hi) return by_width<op::MadLo>(i.type, v);
      return i.saturate ? (v.template operator()<op::MadHiSat>(), true)
                        : signed_and_unsigned<op::MadHi>(i.type, v);
    case Opcode::sad:
      return signed_and_unsigned<op::Sad>(i.type, v);
    case Opcode::div:
      return signed_and_unsigned<op::Div>(i.type, v);
    case Opcode::rem:
      return signed_and_unsigned<op::Rem>(i.type, v);
    case Opcode::abs:
      return signed_and_unsigned<op::Abs>(i.type, v);
    case Opcode::neg:
      return signed_and_unsigned<op::Neg>(i.type, v);
    case Opcode::min:
      return !i.relu && signed_and_unsigned<op::Min>(i.type, v);
    case Opcode::max:
      return !i.relu && signed_and_unsigned<op::Max>(i.type, v);
    case Opcode::shl:
      return by_width<op::Shl>(i.type, v);
    case Opcode::shr:
      return signed_and_unsigned<op::Shr>(i.type, v);
    case Opcode::shf:
      if (i.right)
        return i.wrap ? (v.template operator()<op::Shf<false, true>>(), true)
                      : (v.template operator()<op::Shf<false, false>>(), true);
      return i.wrap ? (v.template operator()<op::Shf<true, true>>(), true)
                    : (v.template operator()<op::Shf<true, false>>(), true);
    case Opcode::cnot:
      return by_width<op::Cnot>(i.type, v);
    case Opcode::bfe:
      return i.type != Type::u16 && i.type != Type::s16 && signed_and_unsigned<op::Bfe>(i.type, v);
    case Opcode::bfi:
      return i.type == Type::b64 ? (v.template operator()<op::Bfi<std::uint64_t>>(), true)
                                 : (v.template operator()<op::Bfi<std::uint32_t>>(), true);
    default:
      return false;
  }
}

template <class V>
bool visit_convert(const Instruction& i, V& v) {
  const bool plain = !i.ftz && !i.saturate && !i.relu;
  const Type to = i.type;
  const Type from = i.type2;
  const auto narrow = [](Type type) { return type == Type::e4m3x2 || type == Type::e5m2x2; };
  if (narrow(to) || narrow(from)) return false;
  if (i.src_count == 2) {
    if (!plain || i.rounding != Rounding::rn || from != Type::f32) return false;
    if (to == Type::f16x2) return v.template operator()<op::F16x2FromF32>(), true;
    if (to == Type::bf16x2) return v.template operator()<op::Bf16x2FromF32>(), true;
    return false;
  }
  if (to == Type::f32 && from == Type::f32 && !i.relu && !(i.ftz && i.saturate)) {
    if (i.saturate) return nearest(i.rounding) && (v.template operator()<op::SatF32>(), true);
    switch (i.rounding) {
      case Rounding::rni:
        return by_ftz<op::IntegralEven>(i.ftz, v);
      case Rounding::rzi:
        return by_ftz<op::IntegralZero>(i.ftz, v);
      case Rounding::rmi:
        return by_ftz<op::IntegralDown>(i.ftz, v);
      case Rounding::rpi:
        return by_ftz<op::IntegralUp>(i.ftz, v);
      default:
        return false;
    }
  }
  if (!is_float(to) || !is_float(from)) return visit_integer_conversion(i, v);
  if (!plain) return false;
  const bool is_nearest = nearest(i.rounding);
  if (to == Type::f32 && is_nearest) {
    switch (from) {
      case Type::f16:
        return v.template operator()<op::F32FromF16>(), true;
      case Type::bf16:
        return v.template operator()<op::F32FromBf16>(), true;
      case Type::f64:
        return v.template operator()<op::F32FromF64>(), true;
      default:
        return false;
    }
  }
  if (from == Type::f32) {
    if (to == Type::f16 && is_nearest) return v.template operator()<op::F16FromF32>(), true;
    if (to == Type::bf16 && is_nearest) return v.template operator()<op::Bf16FromF32>(), true;
    if (to == Type::f64 && is_nearest) return v.template operator()<op::F64FromF32>(), true;
  }
  return false;
}

/// setp and set compare type2 for set, type for setp (type2 when it is given).
[[nodiscard]] constexpr Type compared_type(const Instruction& i) {
  return i.type2 == Type::none ? i.type : i.type2;
}
template <class V>
bool visit_compare(const Instruction& i, V& v) {
  switch (compared_type(i)) {
    case Type::u16:
    case Type::b16:
      return by_integer_compare<std::uint16_t>(i.compare, v);
    case Type::s16:
      return by_integer_compare<std::int16_t>(i.compare, v);
    case Type::u32:
    case Type::b32:
      return by_integer_compare<std::uint32_t>(i.compare, v);
    case Type::s32:
      return by_integer_compare<std::int32_t>(i.compare, v);
    case Type::u64:
    case Type::b64:
      return by_integer_compare<std::uint64_t>(i.compare, v);
    case Type::s64:
      return by_integer_compare<std::int64_t>(i.compare, v);
    case Type::f32:
      return i.ftz ? by_float_compare<F32Compares<true>::template type>(i.compare, v)
                   : by_float_compare<F32Compares<false>::template type>(i.compare, v);
    case Type::f64:
      return by_float_compare<op::ComparesF64>(i.compare, v);
    case Type::f16:
      return !i.ftz && by_float_compare<HalfCompares<Half>::template type>(i.compare, v);
    case Type::bf16:
      return by_float_compare<HalfCompares<Bfloat>::template type>(i.compare, v);
    default:
      return false;
  }
}

}  // namespace detail

/// Comparisons (set, setp) visit a struct that returns bool and takes src[0] and src[1] only.
template <class V>
bool visit_operation(const Instruction& i, V&& v) {
  using namespace detail;
  switch (i.op) {
    case Opcode::mov:
      return bits_or_predicate<op::Mov>(i.type, v);
    case Opcode::selp:
      return by_width<op::Selp>(i.type, v);
    case Opcode::and_:
      return bits_or_predicate<op::And>(i.type, v);
    case Opcode::or_:
      return bits_or_predicate<op::Or>(i.type, v);
    case Opcode::xor_:
      return bits_or_predicate<op::Xor>(i.type, v);
    case Opcode::not_:
      return bits_or_predicate<op::Not>(i.type, v);
    case Opcode::popc:
      return size_of(i.type) == 8 ? (v.template operator()<op::Popc<std::uint64_t>>(), true)
                                  : (v.template operator()<op::Popc<std::uint32_t>>(), true);
    case Opcode::clz:
      return size_of(i.type) == 8 ? (v.template operator()<op::Clz<std::uint64_t>>(), true)
                                  : (v.template operator()<op::Clz<std::uint32_t>>(), true);
    case Opcode::brev:
      return size_of(i.type) == 8 ? (v.template operator()<op::Brev<std::uint64_t>>(), true)
                                  : (v.template operator()<op::Brev<std::uint32_t>>(), true);
    case Opcode::cvt:
      return visit_convert(i, v);
    case Opcode::setp:
    case Opcode::set:
      return visit_compare(i, v);
    default:
      break;
  }
  if (is_float(i.type) || is_half(i.type)) return visit_float(i, v);
  return visit_integer(i, v);
}

}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
