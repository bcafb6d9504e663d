// Matrix instructions: their registers go to Program::matrix_operands.
#include "evaluators/devices/virtual/ptx/lower.hpp"
#include "evaluators/devices/virtual/semantics/matrix_form.hpp"

namespace evo::evaluators::virtual_device::ptx {

using Kind = AstOperand::Kind;
using semantics::fragment_registers;

/// `count` registers of 32 bits: {a, b, ...}, or one without braces. Appends them.
bool Lowering::bind_fragment(const Frame& frame, const AstOperand& group, unsigned count, bool is_destination,
                             Instruction& out) {
  const bool is_vector = group.kind == Kind::vector;
  if ((is_vector ? group.count : 1) != count) return false;
  const AstOperand* first = is_vector ? &frame.function->operands[group.first] : &group;
  for (unsigned k = 0; k < count; ++k) {
    const AstOperand& element = first[k];
    if (element.kind == Kind::reg && size_of(frame.function->register_types[element.index]) != 4)
      return false;
    Operand bound;
    if (!(is_destination ? bind_destination(frame, element, Type::b32, bound)
                         : bind_source(frame, element, Type::b32, bound))) {
      return false;
    }
    program_.matrix_operands.push_back(bound);
  }
  std::uint8_t& counted = is_destination ? out.matrix_dst : out.matrix_src;
  counted = static_cast<std::uint8_t>(counted + count);
  return true;
}

bool Lowering::lower_matrix(Frame& frame, const AstInstruction& source, Instruction& out) {
  if (out.matrix.a == Type::f64) return lower_matrix_f64(frame, source, out);
  out.matrix_first = static_cast<std::uint32_t>(program_.matrix_operands.size());
  const MatrixForm& form = out.matrix;
  const auto at = [&](std::uint32_t index) -> const AstOperand& { return operand(frame, source, index); };
  const std::uint32_t operands = source.operand_count;
  switch (out.op) {
    case Opcode::mma:
    case Opcode::wmma_mma:
      return operands == 4 &&
             bind_fragment(frame, at(0), fragment_registers(form.shape, MatrixRole::accumulator, form.d),
                           true, out) &&
             bind_fragment(frame, at(1), fragment_registers(form.shape, MatrixRole::a, form.a), false, out) &&
             bind_fragment(frame, at(2), fragment_registers(form.shape, MatrixRole::b, form.b), false, out) &&
             bind_fragment(frame, at(3), fragment_registers(form.shape, MatrixRole::accumulator, form.c),
                           false, out);
    case Opcode::movmatrix:
      return operands == 2 && bind_fragment(frame, at(0), 1, true, out) &&
             bind_fragment(frame, at(1), 1, false, out);
    case Opcode::ldmatrix:
      return operands == 2 && bind_fragment(frame, at(0), form.count, true, out) &&
             bind_address(frame, at(1), out);
    case Opcode::stmatrix:
      return operands == 2 && bind_address(frame, at(0), out) &&
             bind_fragment(frame, at(1), form.count, false, out);
    default:
      break;
  }
  if (operands != 2 && operands != 3) return false;
  const bool loads = out.op == Opcode::wmma_load;
  const unsigned registers = fragment_registers(form.shape, form.role, form.a);
  if (!bind_fragment(frame, at(loads ? 0 : 1), registers, loads, out)) return false;
  if (!bind_address(frame, at(loads ? 1 : 0), out)) return false;
  if (operands == 2) return true;
  out.src_count = 1;
  return bind_source(frame, at(2), Type::u32, out.src[0]);
}

}  // namespace evo::evaluators::virtual_device::ptx
