// Branches, tables of them, returns of inlined functions, and the basic blocks that follow from them.
#include <algorithm>

#include "evaluators/devices/virtual/ptx/lower.hpp"

namespace evo::evaluators::virtual_device::ptx {

using Kind = AstOperand::Kind;

bool Lowering::lower_branch(Frame& frame, const AstInstruction& source, Instruction& out) {
  if (source.operand_count != 1 || operand(frame, source, 0).kind != Kind::label) return false;
  out.target = operand(frame, source, 0).index;
  frame.branches.push_back(static_cast<std::uint32_t>(program_.code.size()));
  return true;
}

bool Lowering::lower_table(Frame& frame, const AstInstruction& source, Instruction& out) {
  if (source.operand_count != 2 || operand(frame, source, 1).kind != Kind::label) return false;
  if (!bind_source(frame, operand(frame, source, 0), Type::u32, out.src[0])) return false;
  out.src_count = 1;
  const std::uint32_t label = operand(frame, source, 1).index;
  const auto& tables = frame.function->tables;
  const auto found =
      std::find_if(tables.begin(), tables.end(), [&](const auto& t) { return t.label == label; });
  if (found == tables.end()) return false;
  std::vector<std::uint32_t> targets;
  for (std::uint32_t i = 0; i < found->count; ++i) {
    const AstOperand& target = frame.function->operands[found->first + i];
    if (target.kind != Kind::label) return false;
    targets.push_back(target.index);
  }
  out.table = static_cast<std::uint32_t>(program_.branch_tables.size());
  frame.tables.push_back(out.table);
  program_.branch_tables.push_back(std::move(targets));
  return true;
}

/// In an inlined function: to its end.
void Lowering::lower_return(Frame& frame, const AstInstruction& source, Instruction out) {
  if (&source == &frame.function->instructions.back() && source.guard == no_index) return;
  out.op = Opcode::bra;
  out.uniform = false;
  frame.returns.push_back(static_cast<std::uint32_t>(program_.code.size()));
  emit(out);
}

void Lowering::find_blocks() {
  const std::vector<Instruction>& code = program_.code;
  std::vector<bool> leads(code.size() + 1, false);
  leads[0] = true;
  for (std::size_t i = 0; i < code.size(); ++i) {
    switch (code[i].op) {
      case Opcode::bra:
        leads[code[i].target] = true;
        [[fallthrough]];
      case Opcode::brx:
      case Opcode::ret:
      case Opcode::exit:
      case Opcode::trap:
        leads[i + 1] = true;
        break;
      default:
        break;
    }
  }
  for (const auto& table : program_.branch_tables) {
    for (const std::uint32_t target : table) leads[target] = true;
  }
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (leads[i]) program_.block_starts.push_back(static_cast<std::uint32_t>(i));
  }
}

}  // namespace evo::evaluators::virtual_device::ptx
