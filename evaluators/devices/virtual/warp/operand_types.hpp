// What an instruction's operands are, by place.
#pragma once

#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/semantics/visit.hpp"

namespace evo::evaluators::virtual_device::warp {

/// Bytes of a lane: 0 for predicates, 4 or 8.
[[nodiscard]] inline unsigned class_of(Type type) {
  return type == Type::pred ? 0 : size_of(type) == 8 ? 8 : 4;
}

/// The type of a source operand, by place.
[[nodiscard]] inline Type source_type(const Instruction& i, unsigned place) {
  switch (i.op) {
    case Opcode::cvt:
      return i.type2;
    case Opcode::setp:
    case Opcode::set:
      return place == 2 ? Type::pred : semantics::detail::compared_type(i);
    case Opcode::selp:
      return place == 2 ? Type::pred : i.type;
    case Opcode::slct:
      return place == 2 ? i.type2 : i.type;
    case Opcode::shl:
    case Opcode::shr:
      return place == 1 ? Type::u32 : i.type;
    case Opcode::bfe:
      return place >= 1 ? Type::u32 : i.type;
    case Opcode::bfi:
      return place >= 2 ? Type::u32 : i.type;
    case Opcode::mad:
      if (i.mul_mode == MulMode::wide && place == 2) return size_of(i.type) == 4 ? Type::u64 : Type::u32;
      return i.type;
    case Opcode::vote:
      return place == 0 ? Type::pred : Type::u32;
    case Opcode::shfl:
    case Opcode::match:
    case Opcode::redux:
      return place == 0 ? i.type : Type::u32;
    default:
      return i.type;
  }
}
/// The type that the instruction writes.
[[nodiscard]] inline Type result_type(const Instruction& i) {
  switch (i.op) {
    case Opcode::mul:
    case Opcode::mad:
      if (i.mul_mode != MulMode::wide || semantics::is_float(i.type)) return i.type;
      if (semantics::is_signed(i.type)) return size_of(i.type) == 4 ? Type::s64 : Type::s32;
      return size_of(i.type) == 4 ? Type::u64 : Type::u32;
    case Opcode::popc:
    case Opcode::clz:
    case Opcode::bfind:
      return Type::u32;
    case Opcode::setp:
    case Opcode::testp:
      return Type::pred;
    default:
      return i.type;
  }
}

}  // namespace evo::evaluators::virtual_device::warp
