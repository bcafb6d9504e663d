#include "evaluators/devices/virtual/ptx/fixed_values.hpp"

#include "evaluators/devices/virtual/ptx/liveness.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

bool same_for_all_threads(const Operand& operand) {
  if (operand.kind != Operand::Kind::special) return true;
  switch (static_cast<SpecialRegister>(operand.index)) {
    case SpecialRegister::ntid_x:
    case SpecialRegister::ntid_y:
    case SpecialRegister::ntid_z:
    case SpecialRegister::nctaid_x:
    case SpecialRegister::nctaid_y:
    case SpecialRegister::nctaid_z:
    case SpecialRegister::dynamic_smem_size:
    case SpecialRegister::total_smem_size:
      return true;
    default:
      return false;
  }
}

/// Does the instruction make its result out of its sources alone?
bool computes(const Instruction& instruction) {
  if (instruction.op == Opcode::ld) {
    const bool indexed = instruction.base.kind == Operand::Kind::reg;
    return !indexed && (instruction.space == Space::param || instruction.space == Space::constant);
  }
  return instruction.op >= Opcode::add && instruction.op <= Opcode::isspacep;
}

}  // namespace

std::vector<bool> stores_of_fixed_values(const Program& program) {
  std::vector<bool> varies(program.registers.size(), false);
  const auto reads_what_varies = [&](const Instruction& instruction) {
    bool any = false;
    for (const Operand& source : instruction.src) any = any || !same_for_all_threads(source);
    for_each_read(program, instruction, [&](std::uint32_t r) { any = any || varies[r]; });
    return any;
  };
  for (bool more = true; more;) {
    more = false;
    for (const Instruction& instruction : program.code) {
      if (computes(instruction) && !reads_what_varies(instruction)) continue;
      for_each_write(program, instruction, [&](std::uint32_t r) {
        more = more || !varies[r];
        varies[r] = true;
      });
    }
  }
  std::vector<bool> fixed(program.code.size(), false);
  for (std::size_t at = 0; at < fixed.size(); ++at) {
    const Instruction& instruction = program.code[at];
    if (instruction.op != Opcode::st) continue;
    fixed[at] = true;
    for (const Operand& source : instruction.src) {
      const bool known = source.kind != Operand::Kind::reg || !varies[source.index];
      fixed[at] = fixed[at] && known && same_for_all_threads(source);
    }
  }
  return fixed;
}

}  // namespace evo::evaluators::virtual_device::ptx
