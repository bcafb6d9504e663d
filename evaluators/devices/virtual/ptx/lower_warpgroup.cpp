// Operands of wgmma.mma_async, wgmma.wait_group and setmaxnreg.
#include "evaluators/devices/virtual/ptx/lower.hpp"

namespace evo::evaluators::virtual_device::ptx {

using Kind = AstOperand::Kind;

namespace {

constexpr unsigned registers_of_a = 4;

/// imm-scale: 1 or -1.
bool scale(const AstOperand& operand, bool& negated) {
  negated = operand.value == ~std::uint64_t{0};
  return operand.kind == Kind::integer && (negated || operand.value == 1);
}
/// imm-trans: 0 or 1.
bool transposition(const AstOperand& operand, bool& transposed) {
  transposed = operand.value == 1;
  return operand.kind == Kind::integer && operand.value <= 1;
}

}  // namespace

bool Lowering::lower_warpgroup(Frame& frame, const AstInstruction& source, Instruction& out) {
  const auto at = [&](std::uint32_t index) -> const AstOperand& { return operand(frame, source, index); };
  const std::uint32_t count = source.operand_count;
  WarpgroupForm& form = out.warpgroup;
  const bool halves = out.matrix.a == Type::f16 || out.matrix.a == Type::bf16;
  const bool integers = out.matrix.d == Type::s32;
  if (count < 4) return false;
  form.a_in_registers = at(1).kind == Kind::vector;
  // Behind scale-d: two signs, and one imm-trans for each operand of 16 bits that has a descriptor.
  const std::uint32_t transpositions = !halves ? 0 : form.a_in_registers ? 1 : 2;
  if (count != (integers ? 4 : 6 + transpositions)) return false;

  const AstOperand& scale_d = at(3);
  if (!bind_source(frame, scale_d, Type::pred, out.src[2])) return false;
  const bool never_adds = out.src[2].kind == Operand::Kind::immediate && out.src[2].bits == 0;
  const unsigned accumulators = form.n * size_of(out.matrix.d) / 8;
  out.matrix_first = static_cast<std::uint32_t>(program_.matrix_operands.size());
  if (!bind_fragment(frame, at(0), accumulators, true, out)) return false;
  if (!never_adds && !bind_fragment(frame, at(0), accumulators, false, out)) return false;
  out.src_count = 3;
  const bool bound = form.a_in_registers ? bind_fragment(frame, at(1), registers_of_a, false, out)
                                         : bind_source(frame, at(1), Type::b64, out.src[0]);
  if (!bound || !bind_source(frame, at(2), Type::b64, out.src[1])) return false;
  if (integers) return true;
  if (!scale(at(4), form.a_negated) || !scale(at(5), form.b_negated)) return false;
  if (transpositions == 2 && !transposition(at(6), form.a_transposed)) return false;
  return transpositions == 0 || transposition(at(5 + transpositions), form.b_transposed);
}

bool Lowering::lower_group_number(Frame& frame, const AstInstruction& source, Instruction& out) {
  if (source.operand_count != 1 || operand(frame, source, 0).kind != Kind::integer) return false;
  out.immediate = operand(frame, source, 0).value;
  // PTX ISA, setmaxnreg: 24 to 256, a multiple of 8.
  return out.op != Opcode::set_max_registers ||
         (out.immediate >= 24 && out.immediate <= 256 && out.immediate % 8 == 0);
}

}  // namespace evo::evaluators::virtual_device::ptx
