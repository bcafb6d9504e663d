// cp.async: two addresses, a size, and what may follow; policies of caches.
#include "evaluators/devices/virtual/ptx/lower.hpp"

namespace evo::evaluators::virtual_device::ptx {

using Kind = AstOperand::Kind;

bool Lowering::lower_policy(Frame& frame, const AstInstruction& source, Instruction& out) {
  if (source.operand_count != 1 && source.operand_count != 2) return false;
  // The share of the accesses that it is for, a float.
  Operand share;
  if (source.operand_count == 2 && !bind_source(frame, operand(frame, source, 1), Type::f32, share))
    return false;
  out.dst_count = out.src_count = 1;
  out.src[0].kind = Operand::Kind::immediate;
  out.src[0].bits = 0x12F0000000000000;  // as evict_first of all accesses
  return bind_destination(frame, operand(frame, source, 0), Type::b64, out.dst[0]);
}

bool Lowering::lower_async_copy(Frame& frame, const AstInstruction& source, Instruction& out) {
  std::uint32_t count = source.operand_count;
  if (count < 3) return false;
  if (source.opcode.find(".L2::cache_hint") != std::string_view::npos) {
    // The policy says nothing about values: it only has to be one.
    Operand policy;
    if (--count < 3 || !bind_source(frame, operand(frame, source, count), Type::b64, policy)) return false;
  }
  if (count > 4) return false;

  const AstOperand& size = operand(frame, source, 2);
  const bool only_whole = source.opcode.starts_with("cp.async.cg");
  if (size.kind != Kind::integer) return false;
  if (size.value != 16 && (only_whole || (size.value != 4 && size.value != 8))) return false;
  out.type = out.type2 = Type::b32;
  out.vector = static_cast<std::uint8_t>(size.value / 4);

  Instruction from;
  from.space = Space::global;
  if (!bind_address(frame, operand(frame, source, 0), out)) return false;
  if (!bind_address(frame, operand(frame, source, 1), from)) return false;
  out.src[0] = from.base;
  if (from.base.kind == Operand::Kind::none) out.src[0].kind = Operand::Kind::immediate;
  out.immediate = static_cast<std::uint64_t>(from.offset);
  out.src_count = 3;
  if (count == 3) return true;

  const AstOperand& last = operand(frame, source, 3);
  const bool ignores = last.kind == Kind::reg && frame.function->register_types[last.index] == Type::pred;
  return ignores ? bind_source(frame, last, Type::pred, out.src[2])
                 : bind_source(frame, last, Type::u32, out.src[1]);
}

}  // namespace evo::evaluators::virtual_device::ptx
