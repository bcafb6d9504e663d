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
  block_of_.assign(program.code.size() + 1, 0);
  for (std::uint32_t block = 0; block < blocks(); ++block) {
    for (std::uint32_t i = start(block); i < end(block); ++i) block_of_[i] = block;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // to, from
  for (std::uint32_t block = 0; block < blocks(); ++block) {
    const Instruction& last = program.code[end(block) - 1];
    bool falls_through = true;
    switch (last.op) {
      case Opcode::bra:
        edges.emplace_back(block_of_[last.target], block);
        falls_through = !always(last);
        break;
      case Opcode::brx:
        for (const std::uint32_t target : program.branch_tables[last.table])
          edges.emplace_back(block_of_[target], block);
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
  const auto adjacency = [&](std::vector<std::uint32_t>& offsets, std::vector<std::uint32_t>& ends, auto key,
                             auto end) {
    offsets.assign(blocks() + 1, 0);
    for (const auto& edge : edges) ++offsets[key(edge) + 1];
    for (std::uint32_t block = 0; block < blocks(); ++block) offsets[block + 1] += offsets[block];
    ends.resize(edges.size());
    std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
    for (const auto& edge : edges) ends[next[key(edge)]++] = end(edge);
  };
  const auto to = [](const auto& edge) { return edge.first; };
  const auto from = [](const auto& edge) { return edge.second; };
  adjacency(offsets_, sources_, to, from);
  adjacency(exits_, targets_, from, to);
}

}  // namespace evo::evaluators::virtual_device::ptx
