#include "evaluators/devices/virtual/ptx/pass_by.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

/// Blocks that can be entered from those in `work`, without passing through `barred`.
std::vector<bool> closure(const FlowGraph& graph, std::vector<std::uint32_t> work, std::uint32_t barred) {
  std::vector<bool> seen(graph.blocks(), false);
  while (!work.empty()) {
    const std::uint32_t block = work.back();
    work.pop_back();
    if (seen[block]) continue;
    seen[block] = true;
    if (block == barred) continue;
    for (const std::uint32_t next : graph.successors(block)) work.push_back(next);
  }
  return seen;
}

constexpr std::uint32_t no_block = 0xffffffff;

}  // namespace

bool is_visible(const Instruction& instruction) {
  if (is_matrix(instruction.op) || is_warpgroup(instruction.op)) return true;
  switch (instruction.op) {
    case Opcode::st:
      return instruction.space != Space::local && instruction.space != Space::param;
    case Opcode::atom:
    case Opcode::red:
    case Opcode::cp_async:
    case Opcode::mbarrier:
    case Opcode::bulk_copy:
    case Opcode::bar:
    case Opcode::bar_red:
    case Opcode::bar_warp:
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect:
      return true;
    default:
      return false;
  }
}

PassBy::PassBy(const Program& program) : program_(program), graph_(program) {}

const std::vector<bool>& PassBy::beyond(std::uint32_t block) {
  const auto [known, fresh] = beyond_.try_emplace(block);
  if (fresh) {
    const auto next = graph_.successors(block);
    known->second = closure(graph_, {next.begin(), next.end()}, no_block);
  }
  return known->second;
}

bool PassBy::reaches(std::uint32_t from, std::uint32_t to) {
  const std::uint32_t block = graph_.block_of(from);
  const std::uint32_t goal = graph_.block_of(to);
  return (block == goal && from < to) || beyond(block)[goal];
}

bool PassBy::behind(std::uint32_t meeting, std::uint32_t after) {
  return reaches(meeting, after) && !reaches(after, meeting);
}

bool PassBy::avoidable(std::uint32_t meeting) {
  if (program_.code[meeting].guard.kind != Operand::Kind::none) return true;
  const std::uint32_t block = graph_.block_of(meeting);
  const auto [known, fresh] = avoidable_.try_emplace(block, false);
  if (!fresh) return known->second;
  // Without entering the block nobody passes its instructions; guards apart, whoever enters it executes them.
  if (block == 0) return false;
  const std::vector<bool> around = closure(graph_, {0}, block);
  for (std::uint32_t other = 0; other < graph_.blocks() && !known->second; ++other) {
    if (other == block || !around[other] || !beyond(block)[other] || beyond(other)[block]) continue;
    for (std::uint32_t i = graph_.start(other); i < graph_.end(other); ++i) {
      known->second = known->second || is_visible(program_.code[i]);
    }
  }
  return known->second;
}

}  // namespace evo::evaluators::virtual_device::ptx
