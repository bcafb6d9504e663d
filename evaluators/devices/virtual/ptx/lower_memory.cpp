// ld, st, atom, red, prefetch, and barriers.
#include "evaluators/devices/virtual/ptx/lower.hpp"

namespace evo::evaluators::virtual_device::ptx {

using Kind = AstOperand::Kind;

/// Sets base, offset and, for an address that names a symbol, the space.
bool Lowering::bind_address(Frame& frame, const AstOperand& address, Instruction& out) {
  if (address.kind != Kind::address || address.count != 1) return false;
  const AstOperand& base = frame.function->operands[address.first];
  out.offset = static_cast<std::int64_t>(address.value);
  // In an inlined function the parameters are local memory.
  if (out.space == Space::param && frame.caller != nullptr) out.space = Space::local;
  if (base.kind == Kind::integer) return true;
  if (base.kind == Kind::reg) return bind_source(frame, base, Type::u32, out.base);
  if (base.kind != Kind::variable) return false;
  std::uint64_t symbol = 0;
  Space space = Space::none;
  if (!symbol_address(frame, base.index, symbol, space)) return false;
  if (out.space != space && out.space != Space::generic &&
      !(out.space == Space::param && space == Space::local)) {
    return false;
  }
  out.space = space;
  out.offset += static_cast<std::int64_t>(symbol);
  return true;
}

bool Lowering::bind_vector(Frame& frame, const AstOperand& value, Type type, bool is_destination,
                           Instruction& out) {
  const AstOperand* first = &value;
  std::uint32_t count = 1;
  if (value.kind == Kind::vector) {
    first = &frame.function->operands[value.first];
    count = value.count;
  }
  if (count != out.vector || (count == 1) != (value.kind != Kind::vector)) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool bound = is_destination ? bind_destination(frame, first[i], type, out.dst[i])
                                      : bind_source(frame, first[i], type, out.src[i]);
    if (!bound) return false;
  }
  (is_destination ? out.dst_count : out.src_count) = static_cast<std::uint8_t>(count);
  return true;
}

/// ld.param and st.param of a call parameter that is kept in a register.
bool Lowering::parameter_as_move(Frame& frame, Instruction& out, const AstOperand& address) {
  if (address.kind != Kind::address || address.count != 1) return false;
  const AstOperand& base = frame.function->operands[address.first];
  if (base.kind != Kind::variable) return false;
  const auto place = frame.places.find(base.index);
  if (place == frame.places.end() || !place->second.is_register) return false;
  Operand held;
  held.kind = Operand::Kind::reg;
  held.index = static_cast<std::uint32_t>(place->second.value);
  if (out.op == Opcode::ld) {
    out.src[0] = held;
    out.src_count = 1;
  } else {
    out.dst[0] = held;
    out.dst_count = 1;
  }
  out.op = Opcode::mov;
  out.space = Space::none;
  return true;
}

bool Lowering::lower_memory(Frame& frame, const AstInstruction& source, const Form& form, Instruction& out) {
  const bool returns = form.shape == Shape::load || form.shape == Shape::atomic;
  const std::uint32_t address_at = returns ? 1 : 0;
  if (source.operand_count <= address_at) return false;
  std::uint32_t next = address_at + 1;
  if (form.shape == Shape::load) {
    if (source.operand_count != 2 || !bind_vector(frame, operand(frame, source, 0), out.type, true, out))
      return false;
  } else if (form.shape == Shape::store) {
    if (source.operand_count != 2 || !bind_vector(frame, operand(frame, source, 1), out.type, false, out))
      return false;
    next = 2;
  } else if (form.shape == Shape::atomic) {
    if (!bind_destination(frame, operand(frame, source, 0), out.type, out.dst[0])) return false;
    out.dst_count = 1;
  }
  if (form.shape == Shape::atomic || form.shape == Shape::reduce) {
    for (; next < source.operand_count && out.src_count < form.src_max; ++next) {
      if (!bind_source(frame, operand(frame, source, next), out.type, out.src[out.src_count])) return false;
      ++out.src_count;
    }
    if (out.src_count < form.src_min) return false;
  }
  if (next != source.operand_count) return false;
  const AstOperand& address = operand(frame, source, address_at);
  if (out.space == Space::param && parameter_as_move(frame, out, address)) return true;
  return bind_address(frame, address, out);
}

bool Lowering::lower_barrier(Frame& frame, const AstInstruction& source, const Form& form, Instruction& out) {
  std::uint32_t next = 0;
  std::uint32_t left = source.operand_count;
  if (form.dst_count == 1) {
    if (left-- == 0 || !bind_destination(frame, operand(frame, source, next++), form.dst[0], out.dst[0]))
      return false;
    out.dst_count = 1;
    // The predicate stands last.
    if (left-- == 0) return false;
    const AstOperand& predicate = operand(frame, source, source.operand_count - 1);
    if (!bind_source(frame, predicate, Type::pred, out.src[2])) return false;
  }
  if (left == 0 || left > 2) return false;
  for (std::uint32_t i = 0; i < left; ++i) {
    if (!bind_source(frame, operand(frame, source, next + i), Type::u32, out.src[i])) return false;
  }
  if (out.barrier == BarrierMode::arrive && left != 2) return false;
  out.src_count = static_cast<std::uint8_t>(form.dst_count == 1 ? 3 : left);
  return true;
}

}  // namespace evo::evaluators::virtual_device::ptx
