// Operands of bulk copies: a place in shared memory, one in global memory or in a tensor, and what may
// follow.
#include "evaluators/devices/virtual/ptx/lower.hpp"

namespace evo::evaluators::virtual_device::ptx {

using Kind = AstOperand::Kind;

/// `[global]`, or `[map, {x, y}]` of a tensor.
bool Lowering::bind_far_side(Frame& frame, const AstOperand& place, Instruction& out) {
  constexpr unsigned first_coordinate = 3;
  Instruction from;
  from.space = out.bulk.dimensions > 0 ? Space::generic : Space::global;
  if (out.bulk.dimensions == 0) {
    if (!bind_address(frame, place, from)) return false;
    out.src_count = first_coordinate + 1;
  } else {
    if (place.kind != Kind::address || place.count != 2) return false;
    const AstOperand& coordinates = frame.function->operands[place.first + 1];
    const bool vector = coordinates.kind == Kind::vector;
    if ((vector ? coordinates.count : 1) != out.bulk.dimensions) return false;
    const AstOperand* each = vector ? &frame.function->operands[coordinates.first] : &coordinates;
    for (unsigned k = 0; k < out.bulk.dimensions; ++k) {
      if (!bind_source(frame, each[k], Type::s32, out.src[first_coordinate + k])) return false;
    }
    if (!bind_source(frame, frame.function->operands[place.first], Type::b64, from.base)) return false;
    from.offset = static_cast<std::int64_t>(place.value);
    out.src_count = static_cast<std::uint8_t>(first_coordinate + out.bulk.dimensions);
  }
  out.src[0] = from.base;
  if (from.base.kind == Operand::Kind::none) out.src[0].kind = Operand::Kind::immediate;
  out.immediate = static_cast<std::uint64_t>(from.offset);
  return true;
}

bool Lowering::lower_bulk_copy(Frame& frame, const AstInstruction& source, Instruction& out) {
  // What a fence between proxies names says how far it reaches: nothing that a thread computes.
  if (out.op == Opcode::proxy_fence) return true;
  std::uint32_t count = source.operand_count;
  if (source.opcode.find(".L2::cache_hint") != std::string_view::npos) {
    // The policy says nothing about values: it only has to be one.
    Operand policy;
    if (count == 0 || !bind_source(frame, operand(frame, source, --count), Type::b64, policy)) return false;
  }
  const bool loads = out.bulk.mode == BulkMode::load, prefetches = out.bulk.mode == BulkMode::prefetch;
  const bool linear = out.bulk.dimensions == 0;
  if (count !=
      (prefetches ? 1U : 2U) + (linear ? 1U : 0U) + (loads ? 1U : 0U) + (out.bulk.multicast ? 1U : 0U))
    return false;
  std::uint32_t next = 0;
  if (loads && !bind_address(frame, operand(frame, source, next++), out)) return false;
  if (!bind_far_side(frame, operand(frame, source, next++), out)) return false;
  if (!loads && !prefetches && !bind_address(frame, operand(frame, source, next++), out)) return false;
  if (linear && !bind_source(frame, operand(frame, source, next++), Type::u32, out.src[3])) return false;
  if (loads) {
    Instruction barrier;
    barrier.space = Space::shared;
    if (!bind_address(frame, operand(frame, source, next++), barrier)) return false;
    out.src[1] = barrier.base;
    if (barrier.base.kind == Operand::Kind::none) out.src[1].kind = Operand::Kind::immediate;
    out.bulk.barrier_offset = barrier.offset;
  }
  return !out.bulk.multicast || bind_source(frame, operand(frame, source, next), Type::b16, out.src[2]);
}

}  // namespace evo::evaluators::virtual_device::ptx
