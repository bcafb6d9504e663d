#include "evaluators/devices/virtual/semantics/rare.hpp"

#include <cmath>

#include "evaluators/devices/virtual/semantics/approximate.hpp"
#include "evaluators/devices/virtual/semantics/convert.hpp"
#include "evaluators/devices/virtual/semantics/floating.hpp"
#include "evaluators/devices/virtual/semantics/fp8.hpp"
#include "evaluators/devices/virtual/semantics/half.hpp"
#include "evaluators/devices/virtual/semantics/integer.hpp"
#include "evaluators/devices/virtual/semantics/video.hpp"
#include "evaluators/devices/virtual/semantics/visit.hpp"

namespace evo::evaluators::virtual_device::semantics {
namespace {

using Sources = const std::uint64_t*;

std::uint32_t word(std::uint64_t bits) {
  return static_cast<std::uint32_t>(bits);
}
std::uint64_t width_mask(Type type) {
  return size_of(type) == 8 ? ~std::uint64_t{0} : 0xffffffffU;
}

ScalarResult bit_find(const Instruction& i, Sources s) {
  switch (i.type) {
    case Type::s32:
      return {bfind(static_cast<std::int32_t>(word(s[0])), i.shift_amount)};
    case Type::u64:
      return {bfind(s[0], i.shift_amount)};
    case Type::s64:
      return {bfind(static_cast<std::int64_t>(s[0]), i.shift_amount)};
    default:
      return {bfind(word(s[0]), i.shift_amount)};
  }
}
ScalarResult nth_set(const Instruction&, Sources s) {
  return {fns(word(s[0]), word(s[1]), static_cast<std::int32_t>(word(s[2])))};
}
ScalarResult permute(const Instruction& i, Sources s) {
  const auto mode = static_cast<PermuteMode>(i.immediate);
  return {prmt(word(s[0]), word(s[1]), permute_selector(mode, word(s[2])))};
}
ScalarResult logic3(const Instruction& i, Sources s) {
  return {lop3(word(s[0]), word(s[1]), word(s[2]), word(i.immediate))};
}
ScalarResult dot4(const Instruction& i, Sources s) {
  return {dp4a(word(s[0]), word(s[1]), word(s[2]), i.type == Type::s32, i.type2 == Type::s32)};
}
ScalarResult dot2(const Instruction& i, Sources s) {
  return {dp2a(word(s[0]), word(s[1]), word(s[2]), i.type == Type::s32, i.type2 == Type::s32,
               i.mul_mode == MulMode::hi)};
}
ScalarResult video_lanes(const Instruction& i, Sources s) {
  return {video(video_form(i.immediate), i.compare, i.saturate, word(s[0]), word(s[1]), word(s[2]))};
}
ScalarResult multiply24(const Instruction& i, Sources s) {
  const bool high = i.mul_mode == MulMode::hi;
  if (i.type == Type::u32) {
    const std::uint32_t product = mul24(word(s[0]), word(s[1]), high);
    return {i.op == Opcode::mad24 ? add(product, word(s[2])) : product};
  }
  const auto product =
      mul24(static_cast<std::int32_t>(word(s[0])), static_cast<std::int32_t>(word(s[1])), high);
  if (i.op != Opcode::mad24) return {word(static_cast<std::uint64_t>(product))};
  const auto addend = static_cast<std::int32_t>(word(s[2]));
  return {static_cast<std::uint32_t>(i.saturate ? add_sat(product, addend) : add(product, addend))};
}

/// addc, subc, madc and the .cc forms, on 32 or 64 bits.
ScalarResult with_carry(const Instruction& i, Sources s) {
  __extension__ using Sum = unsigned __int128;
  const std::uint64_t mask = width_mask(i.type);
  const unsigned width = 8 * size_of(i.type);
  const bool takes = i.op == Opcode::addc || i.op == Opcode::subc || i.op == Opcode::madc;
  const std::uint64_t carry = takes ? s[carry_source] & 1 : 0;
  std::uint64_t a = s[0] & mask;
  std::uint64_t b = s[1] & mask;
  if (i.op == Opcode::sub || i.op == Opcode::subc) {
    // The flag is a borrow.
    const Sum difference = Sum{a} - b - carry;
    return {static_cast<std::uint64_t>(difference) & mask, (difference >> width & 1) != 0};
  }
  if (i.op == Opcode::mad || i.op == Opcode::madc) {
    if (i.mul_mode == MulMode::hi) {
      if (width == 64) {
        a = is_signed(i.type) ? static_cast<std::uint64_t>(
                                    mul_hi(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)))
                              : mul_hi(a, b);
      } else {
        a = is_signed(i.type) ? static_cast<std::uint32_t>(mul_hi(static_cast<std::int32_t>(word(a)),
                                                                  static_cast<std::int32_t>(word(b))))
                              : mul_hi(word(a), word(b));
      }
    } else {
      a = a * b & mask;
    }
    b = s[2] & mask;
  }
  const Sum sum = Sum{a} + b + carry;
  return {static_cast<std::uint64_t>(sum) & mask, (sum >> width & 1) != 0};
}

ScalarResult convert_one(const Instruction& i, Sources s) {
  return {convert(s[0], i.type, i.type2, {i.rounding, i.ftz, i.saturate, i.relu})};
}
ScalarResult convert_pair(const Instruction& i, Sources s) {
  const Type element = i.type == Type::f16x2 ? Type::f16 : Type::bf16;
  const ConvertFlags flags{i.rounding, i.ftz, i.saturate, i.relu};
  return {convert(s[1], element, i.type2, flags) | convert(s[0], element, i.type2, flags) << 16};
}
/// Pairs of 8-bit floats, from two f32 (the first becomes the upper one) or a pair of f16.
ScalarResult convert_to_fp8(const Instruction& i, Sources s) {
  const bool halves = i.type2 == Type::f16x2;
  const long double upper = halves ? decode(s[0] >> 16, Type::f16, false) : decode(s[0], Type::f32, false);
  const long double lower = decode(halves ? s[0] : s[1], halves ? Type::f16 : Type::f32, false);
  return {to_fp8(lower, i.type, i.relu) | to_fp8(upper, i.type, i.relu) << 8};
}
ScalarResult convert_from_fp8(const Instruction& i, Sources s) {
  return {half_of_fp8(word(s[0]) & 0xff, i.type2, i.relu) |
          half_of_fp8(word(s[0]) >> 8 & 0xff, i.type2, i.relu) << 16};
}
/// A value to itself: cvt.f16.f16 and the like keep the bits.
bool convertible(Type type) {
  return size_of(type) != 0 && type != Type::f16x2 && type != Type::bf16x2;
}

ScalarResult test_property(const Instruction& i, Sources s) {
  const double x = i.type == Type::f64 ? f64_of(s[0]) : f32_of(word(s[0]));
  const bool subnormal = i.type == Type::f64 ? std::fpclassify(x) == FP_SUBNORMAL
                                             : std::fpclassify(f32_of(word(s[0]))) == FP_SUBNORMAL;
  switch (i.test) {
    case TestClass::finite:
      return {std::isfinite(x)};
    case TestClass::infinite:
      return {std::isinf(x)};
    case TestClass::number:
      return {!std::isnan(x)};
    case TestClass::notanumber:
      return {std::isnan(x)};
    // PTX counts zero as normal.
    case TestClass::normal:
      return {std::isfinite(x) && !subnormal};
    default:
      return {subnormal};
  }
}

ScalarResult select_by_sign(const Instruction& i, Sources s) {
  const float f = f32_of(word(s[2]));
  const bool first =
      i.type2 == Type::f32 ? (i.ftz ? flush(f) : f) >= 0.0F : static_cast<std::int32_t>(word(s[2])) >= 0;
  const std::uint64_t value = first ? s[0] : s[1];
  return {size_of(i.type) == 2 ? value & 0xffff : value & width_mask(i.type)};
}

/// setp and set on packed halves, and on f16 with .ftz: element by element. setp writes low and high.
ScalarResult compare_halves(const Instruction& i, Sources s) {
  const Type type = detail::compared_type(i);
  const bool brain = type == Type::bf16 || type == Type::bf16x2;
  const auto element = [&](int k, bool upper) {
    const std::uint32_t bits = upper ? word(s[k]) >> 16 : word(s[k]) & 0xffffU;
    if (brain) return to_f32(Bfloat{bits});
    return i.ftz ? to_f32(flush_half<true>(Half{bits})) : to_f32(Half{bits});
  };
  const auto one = [&](bool upper) {
    const float a = element(0, upper);
    const float b = element(1, upper);
    bool result = false;
    const auto compare = [&]<class Op>() { result = Op::apply(a, b); };
    detail::by_float_compare<detail::F32Compares<false>::template type>(i.compare, compare);
    return result;
  };
  const bool third = (s[2] & 1) != 0;
  const bool packed = size_of(type) == 4;
  const bool low_result = combine(i.bool_op, one(false), third);
  if (i.op == Opcode::setp) {
    if (packed) return {low_result, combine(i.bool_op, one(true), third)};
    return {low_result, combine(i.bool_op, !one(false), third)};
  }
  if (!packed) return {low_result ? set_value(i.type) : 0};
  const bool high_result = combine(i.bool_op, one(true), third);
  const std::uint64_t unit = i.type == Type::f16x2 ? 0x3c00 : i.type == Type::bf16x2 ? 0x3f80 : 0xffff;
  return {(low_result ? unit : 0) | (high_result ? unit << 16 : 0)};
}

}  // namespace

ScalarFunction rare_function(const Instruction& i) {
  switch (i.op) {
    case Opcode::bfind:
      return &bit_find;
    case Opcode::fns:
      return &nth_set;
    case Opcode::prmt:
      return &permute;
    case Opcode::lop3:
      return &logic3;
    case Opcode::dp4a:
      return &dot4;
    case Opcode::dp2a:
      return &dot2;
    case Opcode::video:
      return &video_lanes;
    case Opcode::mul24:
    case Opcode::mad24:
      return &multiply24;
    case Opcode::testp:
      return &test_property;
    case Opcode::slct:
      return &select_by_sign;
    case Opcode::setp:
    case Opcode::set:
      return detail::is_half(detail::compared_type(i)) ? &compare_halves : nullptr;
    case Opcode::cvt:
      if (is_fp8_pair(i.type)) return &convert_to_fp8;
      if (is_fp8_pair(i.type2)) return i.type == Type::f16x2 ? &convert_from_fp8 : nullptr;
      if (i.src_count == 2) return i.type == Type::f16x2 || i.type == Type::bf16x2 ? &convert_pair : nullptr;
      return convertible(i.type) && convertible(i.type2) ? &convert_one : nullptr;
    case Opcode::addc:
    case Opcode::subc:
    case Opcode::madc:
      return size_of(i.type) >= 4 ? &with_carry : nullptr;
    default:
      break;
  }
  if (is_float(i.type) || detail::is_half(i.type)) return rare_float_function(i);
  const bool additive = i.op == Opcode::add || i.op == Opcode::sub || i.op == Opcode::mad;
  return additive && i.carry_out && size_of(i.type) >= 4 ? &with_carry : nullptr;
}

}  // namespace evo::evaluators::virtual_device::semantics
