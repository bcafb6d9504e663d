#include "evaluators/devices/virtual/ptx/entry_live.hpp"

#include <algorithm>

#include "evaluators/devices/virtual/ptx/flow_graph.hpp"
#include "evaluators/devices/virtual/ptx/liveness.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

/// Reads of `reg` in instructions [first, last), until a sure write. True if there was none.
bool read_through(const Program& program, std::uint32_t reg, std::uint32_t first, std::uint32_t last,
                  std::vector<std::uint32_t>& reads) {
  for (std::uint32_t i = first; i < last; ++i) {
    const Instruction& instruction = program.code[i];
    bool reads_it = false;
    for_each_read(program, instruction, [&](std::uint32_t r) { reads_it |= r == reg; });
    if (reads_it) reads.push_back(i);
    bool writes_it = false;
    for_each_write(program, instruction, [&](std::uint32_t r) { writes_it |= r == reg; });
    if (writes_it && instruction.guard.kind == Operand::Kind::none) return false;
  }
  return true;
}

/// Forwards from the entry, through the blocks that do not surely write the register.
std::vector<std::uint32_t> first_reads(const Program& program, const FlowGraph& graph, std::uint32_t reg) {
  std::vector<std::uint32_t> reads;
  std::vector<bool> seen(graph.blocks(), false);
  std::vector<std::uint32_t> work{0};
  seen[0] = true;
  while (!work.empty()) {
    const std::uint32_t block = work.back();
    work.pop_back();
    if (!read_through(program, reg, graph.start(block), graph.end(block), reads)) continue;
    for (const std::uint32_t next : graph.successors(block)) {
      if (seen[next]) continue;
      seen[next] = true;
      work.push_back(next);
    }
  }
  std::sort(reads.begin(), reads.end());
  return reads;
}

}  // namespace

std::vector<EntryLive> live_at_entry(const Program& program) {
  std::vector<EntryLive> result;
  if (program.code.empty()) return result;
  const std::vector<LiveInterval> intervals = live_intervals(program);
  const FlowGraph graph(program);
  for (std::uint32_t reg = 0; reg < intervals.size(); ++reg) {
    // Live at the first instruction, or written there.
    if (!intervals[reg].used() || intervals[reg].first != 0) continue;
    std::vector<std::uint32_t> reads = first_reads(program, graph, reg);
    if (!reads.empty()) result.push_back({reg, std::move(reads)});
  }
  return result;
}

}  // namespace evo::evaluators::virtual_device::ptx
