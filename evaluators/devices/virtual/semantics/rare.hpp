// The instructions that are too rare for a struct of their own: dispatched at run time, on raw bits.
#pragma once

#include <cstdint>

#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/semantics/scalar.hpp"

namespace evo::evaluators::virtual_device::semantics {

/// A comparison's result with setp's third operand.
[[nodiscard]] constexpr bool combine(BoolOp operation, bool result, bool third) {
  switch (operation) {
    case BoolOp::and_:
      return result && third;
    case BoolOp::or_:
      return result || third;
    case BoolOp::xor_:
      return result != third;
    default:
      return result;
  }
}

/// What set writes for true: 1.0 in a floating type, all ones in an integer one.
[[nodiscard]] constexpr std::uint64_t set_value(Type type) {
  switch (type) {
    case Type::f32:
      return 0x3f800000U;
    case Type::f16:
      return 0x3c00U;
    case Type::bf16:
      return 0x3f80U;
    case Type::u16:
    case Type::s16:
      return 0xffffU;
    default:
      return 0xffffffffU;
  }
}

/// Null when it is not known here either.
[[nodiscard]] ScalarFunction rare_function(const Instruction& instruction);
/// Of those, arithmetic on f64, f32, f16 and bf16.
[[nodiscard]] ScalarFunction rare_float_function(const Instruction& instruction);

}  // namespace evo::evaluators::virtual_device::semantics
