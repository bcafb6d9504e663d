// Which conversions of integers have code of their own. Included by visit.hpp.
#pragma once

#include <cstdint>

#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/semantics/convert.hpp"
#include "evaluators/devices/virtual/semantics/integer_conversions.hpp"
#include "evaluators/devices/virtual/semantics/operations.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {
namespace detail {

/// Calls `visit.operator()<T>()` with the C++ type of an integer of up to 64 bits; false for other types.
template <class Visit>
bool with_integer(Type type, Visit visit) {
  switch (type) {
    case Type::u8:
    case Type::b8:
      return visit.template operator()<std::uint8_t>();
    case Type::s8:
      return visit.template operator()<std::int8_t>();
    case Type::u16:
    case Type::b16:
      return visit.template operator()<std::uint16_t>();
    case Type::s16:
      return visit.template operator()<std::int16_t>();
    case Type::u32:
    case Type::b32:
      return visit.template operator()<std::uint32_t>();
    case Type::s32:
      return visit.template operator()<std::int32_t>();
    case Type::u64:
    case Type::b64:
      return visit.template operator()<std::uint64_t>();
    case Type::s64:
      return visit.template operator()<std::int64_t>();
    default:
      return false;
  }
}

/// rzi and rni are what compilers emit for casts and __float2int_rn; the others for floor and ceil.
template <template <Rounding> class F, class V>
bool by_integral_rounding(Rounding rounding, V& v) {
  switch (rounding) {
    case Rounding::rni:
      return v.template operator()<F<Rounding::rni>>(), true;
    case Rounding::rzi:
      return v.template operator()<F<Rounding::rzi>>(), true;
    case Rounding::rmi:
      return v.template operator()<F<Rounding::rmi>>(), true;
    case Rounding::rpi:
      return v.template operator()<F<Rounding::rpi>>(), true;
    default:
      return false;
  }
}

template <class To>
struct ToInteger {
  // Flushing a subnormal first matters to floor and ceil only.
  template <Rounding R>
  using OfF32 = op::IntegerOfF32<To, R, false>;
  template <Rounding R>
  using OfFlushedF32 = op::IntegerOfF32<To, R, true>;
  template <Rounding R>
  using OfF16 = op::IntegerOfF16<To, R>;
  template <Rounding R>
  using OfF64 = op::IntegerOfF64<To, R>;
};

template <class V>
bool visit_to_integer(const Instruction& i, V& v) {
  return with_integer(i.type, [&]<class To>() {
    const bool directed = i.rounding == Rounding::rmi || i.rounding == Rounding::rpi;
    switch (i.type2) {
      case Type::f32:
        return i.ftz && directed ? by_integral_rounding<ToInteger<To>::template OfFlushedF32>(i.rounding, v)
                                 : by_integral_rounding<ToInteger<To>::template OfF32>(i.rounding, v);
      case Type::f16:
        if constexpr (sizeof(To) == 8)
          return false;
        else
          return by_integral_rounding<ToInteger<To>::template OfF16>(i.rounding, v);
      case Type::f64:
        return by_integral_rounding<ToInteger<To>::template OfF64>(i.rounding, v);
      default:
        return false;
    }
  });
}

template <class V>
bool visit_from_integer(const Instruction& i, V& v) {
  if (i.saturate || i.relu) return false;
  const bool to_nearest = i.rounding == Rounding::rn || i.rounding == Rounding::none;
  return with_integer(i.type2, [&]<class From>() {
    if (i.type == Type::f64 && (sizeof(From) <= 4 || to_nearest))
      return v.template operator()<op::FloatOfInteger<double, From>>(), true;
    if (i.type == Type::f32 && (sizeof(From) <= 2 || to_nearest))
      return v.template operator()<op::FloatOfInteger<float, From>>(), true;
    if constexpr (sizeof(From) <= 2) {
      if (i.type == Type::f16 && to_nearest) return v.template operator()<op::HalfOfInteger<From>>(), true;
    }
    return false;
  });
}

/// .sat for what pixels and samples are narrowed from.
template <class V>
bool visit_saturating(const Instruction& i, V& v) {
  return with_integer(i.type2, [&]<class From>() {
    if constexpr (sizeof(From) != 2 && sizeof(From) != 4) {
      return false;
    } else {
      return with_integer(i.type, [&]<class To>() {
        if constexpr (sizeof(To) > 2)
          return false;
        else
          return v.template operator()<op::Saturated<To, From>>(), true;
      });
    }
  });
}

/// Truncation takes the low bits whatever the signs are; widening goes by the source's.
template <class V>
bool visit_resize(const Instruction& i, V& v) {
  const auto to_width_of = [&]<class From>() {
    switch (size_of(i.type)) {
      case 1:
        return v.template operator()<op::Resize<std::uint8_t, From>>(), true;
      case 2:
        return v.template operator()<op::Resize<std::uint16_t, From>>(), true;
      case 4:
        return v.template operator()<op::Resize<std::uint32_t, From>>(), true;
      default:
        return v.template operator()<op::Resize<std::uint64_t, From>>(), true;
    }
  };
  return with_integer(i.type2, to_width_of);
}

template <class V>
bool visit_integer_conversion(const Instruction& i, V& v) {
  if (!is_float(i.type) && is_float(i.type2)) return visit_to_integer(i, v);
  if (is_float(i.type)) return !is_float(i.type2) && visit_from_integer(i, v);
  return i.saturate ? visit_saturating(i, v) : visit_resize(i, v);
}

}  // namespace detail
}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
