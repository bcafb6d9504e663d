#include "evaluators/devices/virtual/ptx/loops.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "evaluators/devices/virtual/ptx/flow_graph.hpp"
#include "evaluators/devices/virtual/ptx/liveness.hpp"
#include "evaluators/devices/virtual/ptx/polling_loads.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

constexpr std::uint32_t no_loop = std::numeric_limits<std::uint32_t>::max();

bool may_end_thread(const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::ret:
    case Opcode::exit:
    case Opcode::trap:
    case Opcode::call_assertfail:
    case Opcode::unsupported:
      return true;
    default:
      return false;
  }
}

bool runs_off_the_end(const Program& program, std::uint32_t block, const FlowGraph& graph) {
  const Instruction& last = program.code[graph.end(block) - 1];
  const bool always = last.guard.kind == Operand::Kind::none;
  if (last.op == Opcode::bra && last.target >= program.code.size()) return true;
  const bool jumps = last.op == Opcode::bra || last.op == Opcode::brx;
  return block + 1 == graph.blocks() && !(jumps && always);
}

/// The loops of a program: blocks that lie on a common cycle have the same number, others have `no_loop`.
std::vector<std::uint32_t> loop_of_blocks(const FlowGraph& graph) {
  const std::uint32_t count = graph.blocks();
  std::vector<std::vector<std::uint32_t>> successors(count);
  for (std::uint32_t block = 0; block < count; ++block) {
    for (const std::uint32_t from : graph.predecessors(block)) successors[from].push_back(block);
  }
  // Kosaraju: first an order in which blocks are finished, then the components against the edges.
  std::vector<std::uint32_t> finished;
  std::vector<bool> seen(count, false);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;
  for (std::uint32_t root = 0; root < count; ++root) {
    if (seen[root]) continue;
    seen[root] = true;
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      if (next == successors[block].size()) {
        finished.push_back(block);
        stack.pop_back();
        continue;
      }
      const std::uint32_t to = successors[block][next++];
      if (!seen[to]) {
        seen[to] = true;
        stack.emplace_back(to, 0);
      }
    }
  }
  std::vector<std::uint32_t> loop(count, no_loop);
  std::vector<bool> placed(count, false);
  for (auto root = finished.rbegin(); root != finished.rend(); ++root) {
    if (placed[*root]) continue;
    std::vector<std::uint32_t> members{*root};
    placed[*root] = true;
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const std::uint32_t from : graph.predecessors(members[i])) {
        if (placed[from]) continue;
        placed[from] = true;
        members.push_back(from);
      }
    }
    const std::span<const std::uint32_t> into = graph.predecessors(*root);
    const bool cyclic = members.size() > 1 || std::find(into.begin(), into.end(), *root) != into.end();
    for (const std::uint32_t member : members) loop[member] = cyclic ? *root : no_loop;
  }
  return loop;
}

/// Marks the loads of one loop that decide whether it goes on.
void mark_polls(const Program& program, const std::vector<std::uint32_t>& code,
                const std::vector<std::uint32_t>& exits, std::vector<bool>& polls) {
  std::vector<bool> decides(program.registers.size(), false);
  for (const std::uint32_t exit : exits) {
    for_each_read(program, program.code[exit], [&](std::uint32_t r) { decides[r] = true; });
  }
  for (bool more = true; more;) {
    more = false;
    for (const std::uint32_t at : code) {
      const Instruction& instruction = program.code[at];
      bool matters = false;
      for_each_write(program, instruction, [&](std::uint32_t r) { matters = matters || decides[r]; });
      if (!matters) continue;
      if (instruction.op == Opcode::ld || instruction.op == Opcode::atom) polls[at] = true;
      for_each_read(program, instruction, [&](std::uint32_t r) {
        more = more || !decides[r];
        decides[r] = true;
      });
    }
  }
}

}  // namespace

std::vector<bool> endless_blocks(const Program& program) {
  if (program.block_starts.empty()) return {};
  const FlowGraph graph(program);
  std::vector<bool> ends(graph.blocks(), false);
  std::vector<std::uint32_t> work;
  for (std::uint32_t block = 0; block < graph.blocks(); ++block) {
    bool end = runs_off_the_end(program, block, graph);
    for (std::uint32_t i = graph.start(block); i < graph.end(block); ++i)
      end |= may_end_thread(program.code[i]);
    if (!end) continue;
    ends[block] = true;
    work.push_back(block);
  }
  while (!work.empty()) {
    const std::uint32_t block = work.back();
    work.pop_back();
    for (const std::uint32_t from : graph.predecessors(block)) {
      if (ends[from]) continue;
      ends[from] = true;
      work.push_back(from);
    }
  }
  ends.flip();
  return ends;
}

std::vector<bool> polling_loads(const Program& program) {
  std::vector<bool> polls(program.code.size(), false);
  if (program.block_starts.empty()) return polls;
  const FlowGraph graph(program);
  const std::vector<std::uint32_t> loop = loop_of_blocks(graph);
  std::vector<std::vector<std::uint32_t>> code(graph.blocks()), exits(graph.blocks());
  for (std::uint32_t block = 0; block < graph.blocks(); ++block) {
    if (loop[block] == no_loop) continue;
    for (std::uint32_t i = graph.start(block); i < graph.end(block); ++i) {
      const Instruction& instruction = program.code[i];
      code[loop[block]].push_back(i);
      // Any branch of the loop may be one that leaves it, by way of another.
      const bool branches = instruction.op == Opcode::brx || may_end_thread(instruction) ||
                            (instruction.op == Opcode::bra && instruction.guard.kind != Operand::Kind::none);
      if (branches) exits[loop[block]].push_back(i);
    }
  }
  for (std::uint32_t block = 0; block < graph.blocks(); ++block) {
    if (!exits[block].empty()) mark_polls(program, code[block], exits[block], polls);
  }
  return polls;
}

}  // namespace evo::evaluators::virtual_device::ptx
