#include "evaluators/devices/virtual/warp/deciding_registers.hpp"

#include <algorithm>
#include <span>

#include "evaluators/devices/virtual/ptx/liveness.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

/// Does the instruction only make registers out of registers and memory?
bool is_data(Opcode op) {
  switch (op) {
    case Opcode::unsupported:
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::cp_async:
    case Opcode::cp_async_commit:
    case Opcode::cp_async_wait:
    case Opcode::mbarrier:
    case Opcode::bulk_copy:
    case Opcode::bulk_commit:
    case Opcode::bulk_wait:
    case Opcode::bra:
    case Opcode::brx:
    case Opcode::ret:
    case Opcode::exit:
    case Opcode::trap:
    case Opcode::call_assertfail:
    case Opcode::bar:
    case Opcode::bar_red:
    case Opcode::bar_warp:
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect:
    case Opcode::activemask:
      return false;
    default:
      if (is_warpgroup(op)) return false;
      return !is_matrix(op) || op == Opcode::mma || op == Opcode::wmma_mma;
  }
}

/// What an instruction of no effect reads does not matter.
bool is_idle(Opcode op) {
  return op == Opcode::nanosleep || op == Opcode::membar || op == Opcode::proxy_fence ||
         op == Opcode::prefetch || op == Opcode::call_vprintf;
}

bool reads_clock(const Instruction& instruction) {
  return std::ranges::any_of(instruction.src, [](const Operand& source) {
    if (source.kind != Operand::Kind::special) return false;
    const auto which = static_cast<SpecialRegister>(source.index);
    return which >= SpecialRegister::clock && which <= SpecialRegister::globaltimer_hi;
  });
}

}  // namespace

std::uint32_t block_of(const Code& code, std::uint32_t instruction) {
  const auto after = std::upper_bound(
      code.blocks.begin(), code.blocks.end(), instruction,
      [](std::uint32_t wanted, const BasicBlock& block) { return wanted < block.instruction; });
  return after == code.blocks.begin() ? 0 : static_cast<std::uint32_t>(after - code.blocks.begin() - 1);
}

std::optional<std::vector<std::uint32_t>> deciding_registers(const Code& code, const std::vector<bool>& ran) {
  const Program& program = *code.program;
  std::vector<bool> decides(program.registers.size(), false);
  std::vector<const Instruction*> data;
  const auto take = [&](const Instruction& instruction) {
    bool more = false;
    ptx::for_each_read(program, instruction, [&](std::uint32_t r) {
      more = more || !decides[r];
      decides[r] = true;
    });
    return more;
  };
  bool clock = false;
  for (std::size_t b = 0; b < ran.size(); ++b) {
    if (!ran[b]) continue;
    const BasicBlock& block = code.blocks[b];
    for (const Instruction& i : std::span(program.code).subspan(block.instruction, block.length)) {
      if (is_idle(i.op)) continue;
      if (is_data(i.op)) {
        data.push_back(&i);
        // An address matters whatever becomes of the value: it may fault.
        if (i.op == Opcode::ld && i.base.kind == Operand::Kind::reg) decides[i.base.index] = true;
      } else {
        take(i);
        clock |= reads_clock(i);
      }
    }
  }
  for (bool more = true; more && !clock;) {
    more = false;
    for (const Instruction* i : data) {
      bool matters = false;
      ptx::for_each_write(program, *i, [&](std::uint32_t r) { matters = matters || decides[r]; });
      if (!matters) continue;
      clock |= reads_clock(*i);
      more = take(*i) || more;
    }
  }
  if (clock) return std::nullopt;
  std::vector<std::uint32_t> result;
  for (std::uint32_t r = 0; r < decides.size(); ++r) {
    if (decides[r] && r < code.registers.size() && code.registers[r].used) result.push_back(r);
  }
  return result;
}

}  // namespace evo::evaluators::virtual_device::warp
