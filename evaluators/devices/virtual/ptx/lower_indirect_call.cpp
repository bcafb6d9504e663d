// Calls through a register. Everything is inlined, so that such a call becomes a comparison with the address
// of each function that a program lets somebody hold, and whose parameters and results fit, in front of its
// body.
#include <utility>

#include "evaluators/devices/virtual/ptx/lower.hpp"

namespace evo::evaluators::virtual_device::ptx {

using Kind = AstOperand::Kind;

/// `call{.uni} {(results),} register{, (arguments)}, prototype`. False: nothing was emitted, since no
/// function fits. `call` has guard and place.
bool Lowering::lower_indirect_call(Frame& frame, const AstInstruction& source, std::uint32_t next,
                                   const std::vector<std::uint32_t>& results, const Instruction& call) {
  std::vector<std::uint32_t> arguments;
  Operand pointer;
  if (!bind_source(frame, operand(frame, source, next - 1), Type::u64, pointer)) return false;
  if (next < source.operand_count && operand(frame, source, next).kind == Kind::list) {
    if (!read_list(frame, operand(frame, source, next++), arguments)) return false;
  }
  if (next + 1 < source.operand_count) return false;
  std::vector<const Function*> callees;
  for (const std::uint32_t index : layout_.pointed_to) {
    const Function& callee = module_.functions[index];
    if (can_inline(frame, callee, results, arguments)) callees.push_back(&callee);
  }
  const bool recursion = std::exchange(too_deep_, false);
  if (callees.empty()) {
    too_deep_ = recursion;
    return false;
  }

  std::vector<std::uint32_t> to_end;
  const auto jump = [&](const Operand& guard) {
    Instruction around = call;
    around.op = Opcode::bra;
    around.guard = guard;
    emit(around);
    return static_cast<std::uint32_t>(program_.code.size() - 1);
  };
  if (call.guard.kind != Operand::Kind::none) {
    Operand guard = call.guard;
    guard.negated = !guard.negated;
    to_end.push_back(jump(guard));
  }
  Instruction unguarded = call;
  unguarded.guard = Operand{};
  Operand equal;
  equal.kind = Operand::Kind::reg;
  equal.index = static_cast<std::uint32_t>(program_.registers.size());
  program_.registers.push_back(Type::pred);
  program_.register_names.emplace_back("callee");
  for (const Function* callee : callees) {
    Instruction compare = unguarded;
    compare.op = Opcode::setp;
    compare.type = compare.type2 = Type::u64;
    compare.compare = Compare::eq;
    compare.dst[0] = equal;
    compare.dst_count = 1;
    compare.src[0] = pointer;
    compare.src[1].kind = Operand::Kind::immediate;
    compare.src[1].bits = function_address(static_cast<std::uint32_t>(callee - module_.functions.data()));
    compare.src_count = 2;
    emit(compare);
    Operand differs = equal;
    differs.negated = true;
    const std::uint32_t past = jump(differs);
    inline_call(frame, *callee, results, arguments, unguarded);
    to_end.push_back(jump(Operand{}));
    program_.code[past].target = static_cast<std::uint32_t>(program_.code.size());
  }
  // No function, or one whose parameters are others: a fault of the kernel. A recursion we do not follow
  // further.
  Instruction elsewhere;
  elsewhere.source = call.source;
  elsewhere.ptx_line = call.ptx_line;
  if (!recursion) elsewhere.op = Opcode::trap;
  too_deep_ = recursion;
  emit_unknown(source, elsewhere);
  for (const std::uint32_t at : to_end)
    program_.code[at].target = static_cast<std::uint32_t>(program_.code.size());
  return true;
}

}  // namespace evo::evaluators::virtual_device::ptx
