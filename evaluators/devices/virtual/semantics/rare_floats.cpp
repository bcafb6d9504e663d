#include <cmath>

#include "evaluators/devices/virtual/semantics/approximate.hpp"
#include "evaluators/devices/virtual/semantics/floating.hpp"
#include "evaluators/devices/virtual/semantics/half.hpp"
#include "evaluators/devices/virtual/semantics/rare.hpp"
#include "evaluators/devices/virtual/semantics/visit.hpp"

namespace evo::evaluators::virtual_device::semantics {
namespace {

using Sources = const std::uint64_t*;

ScalarResult unary_f32(const Instruction& i, Sources s) {
  const float raw = f32_of(word(s[0]));
  const float x = i.ftz ? flush(raw) : raw;
  float r = 0;
  switch (i.op) {
    case Opcode::rcp:
      r = div_f32(1.0F, x, i.rounding);
      break;
    case Opcode::sqrt:
      r = sqrt_f32(x, i.rounding);
      break;
    case Opcode::sin:
      r = sine(x);
      break;
    case Opcode::cos:
      r = cosine(x);
      break;
    case Opcode::lg2:
      r = lg2(x);
      break;
    default:
      r = hyperbolic_tangent(x);
      break;
  }
  return {bits_of(i.ftz ? flush(r) : r)};
}
ScalarResult divide_f32(const Instruction& i, Sources s) {
  const float a = f32_of(word(s[0]));
  const float b = f32_of(word(s[1]));
  const float r = div_f32(i.ftz ? flush(a) : a, i.ftz ? flush(b) : b, i.rounding);
  return {bits_of(i.ftz ? flush(r) : r)};
}
/// min and max of three operands (sm_100), and with relu-free halves none other.
ScalarResult extreme3_f32(const Instruction& i, Sources s) {
  const auto value = [&](int k) {
    const float x = f32_of(word(s[k]));
    return i.ftz ? flush(x) : x;
  };
  const auto two = [&](float a, float b) {
    if (i.op == Opcode::min) return i.nan_propagating ? min_f32<true>(a, b) : min_f32<false>(a, b);
    return i.nan_propagating ? max_f32<true>(a, b) : max_f32<false>(a, b);
  };
  return {bits_of(two(two(value(0), value(1)), value(2)))};
}
ScalarResult directed_f64(const Instruction& i, Sources s) {
  const double a = f64_of(s[0]);
  const double b = f64_of(s[1]);
  const double c = f64_of(s[2]);
  double r = 0;
  switch (i.op) {
    case Opcode::add:
      r = f64_operation(F64Operation::add, a, b, 0, i.rounding);
      break;
    case Opcode::sub:
      r = f64_operation(F64Operation::sub, a, b, 0, i.rounding);
      break;
    case Opcode::mul:
      r = f64_operation(F64Operation::mul, a, b, 0, i.rounding);
      break;
    case Opcode::div:
      r = f64_operation(F64Operation::div, a, b, 0, i.rounding);
      break;
    case Opcode::rcp:
      r = i.approx ? truncate_to_high_word(1.0 / truncate_to_high_word(a))
                   : f64_operation(F64Operation::div, 1.0, a, 0, i.rounding);
      break;
    case Opcode::sqrt:
      r = f64_operation(F64Operation::sqrt, a, 0, 0, i.rounding);
      break;
    case Opcode::rsqrt:
      r = i.ftz ? truncate_to_high_word(rsqrt(truncate_to_high_word(a))) : rsqrt(a);
      break;
    default:
      r = f64_operation(F64Operation::fma, a, b, c, i.rounding);
      break;
  }
  return {bits_of(r)};
}

ScalarResult unary_half(const Instruction& i, Sources s) {
  const auto one = [&](std::uint32_t bits) -> std::uint32_t {
    const bool brain = i.type == Type::bf16 || i.type == Type::bf16x2;
    const float x = brain ? to_f32(Bfloat{bits}) : to_f32(Half{bits});
    const float r = i.op == Opcode::ex2 ? ex2<false>(x) : hyperbolic_tangent(x);
    return brain ? to_bfloat(r).bits : to_half(r).bits;
  };
  const std::uint32_t all = word(s[0]);
  if (size_of(i.type) == 4) return {one(all & 0xffffU) | one(all >> 16) << 16};
  return {one(all & 0xffffU)};
}

}  // namespace

ScalarFunction rare_float_function(const Instruction& i) {
  if (i.type == Type::f64) {
    switch (i.op) {
      case Opcode::add:
      case Opcode::sub:
      case Opcode::mul:
      case Opcode::mad:
      case Opcode::fma:
      case Opcode::div:
      case Opcode::rcp:
      case Opcode::sqrt:
      case Opcode::rsqrt:
        return &directed_f64;
      default:
        return nullptr;
    }
  }
  if (i.type == Type::f32) {
    switch (i.op) {
      case Opcode::rcp:
      case Opcode::sqrt:
      case Opcode::sin:
      case Opcode::cos:
      case Opcode::lg2:
      case Opcode::tanh:
        return &unary_f32;
      case Opcode::div:
        return &divide_f32;
      case Opcode::min:
      case Opcode::max:
        return i.src_count == 3 ? &extreme3_f32 : nullptr;
      default:
        return nullptr;
    }
  }
  return i.op == Opcode::ex2 || i.op == Opcode::tanh ? &unary_half : nullptr;
}

}  // namespace evo::evaluators::virtual_device::semantics
