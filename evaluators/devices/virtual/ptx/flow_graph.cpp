#include "evaluators/devices/virtual/ptx/flow_graph.hpp"

#include <utility>

namespace evo::evaluators::virtual_device::ptx {
namespace {

bool always(const Instruction& instruction) {
  return instruction.guard.kind == Operand::Kind::none;
}

}  // namespace

FlowGraph::FlowGraph(const Program& program) : starts_(program.block_starts) {
  starts_.push_back(static_cast<std::uint32_t>(program.code.size()));
  std::vector<std::uint32_t> block_of(program.code.size() + 1, 0);
  for (std::uint32_t block = 0; block < blocks(); ++block) {
    for (std::uint32_t i = start(block); i < end(block); ++i) block_of[i] = block;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // to, from
  for (std::uint32_t block = 0; block < blocks(); ++block) {
    const Instruction& last = program.code[end(block) - 1];
    bool falls_through = true;
    switch (last.op) {
      case Opcode::bra:
        edges.emplace_back(block_of[last.target], block);
        falls_through = !always(last);
        break;
      case Opcode::brx:
        for (const std::uint32_t target : program.branch_tables[last.table])
          edges.emplace_back(block_of[target], block);
        falls_through = !always(last);
        break;
      case Opcode::ret:
      case Opcode::exit:
      case Opcode::trap:
        falls_through = !always(last);
        break;
      default:
        break;
    }
    if (falls_through && block + 1 < blocks()) edges.emplace_back(block + 1, block);
  }
  offsets_.assign(blocks() + 1, 0);
  for (const auto& [to, from] : edges) ++offsets_[to + 1];
  for (std::uint32_t block = 0; block < blocks(); ++block) offsets_[block + 1] += offsets_[block];
  sources_.resize(edges.size());
  std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
  for (const auto& [to, from] : edges) sources_[next[to]++] = from;
}

}  // namespace evo::evaluators::virtual_device::ptx
