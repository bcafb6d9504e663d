#include "evaluators/devices/virtual/ptx/liveness.hpp"

#include <algorithm>
#include <queue>
#include <utility>

#include "evaluators/devices/virtual/ptx/flow_graph.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

constexpr std::uint32_t nobody = 0xffffffff;

/// (register, block) facts grouped by register.
using Facts = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

void extend(LiveInterval& interval, std::uint32_t position) {
  if (!interval.used()) {
    interval = {position, position};
  } else {
    interval.first = std::min(interval.first, position);
    interval.last = std::max(interval.last, position);
  }
}

/// Blocks in which a register is read before it is surely written, and blocks that surely write it. A guarded
/// write leaves the other lanes' old values, so it is no sure write and keeps them alive.
void collect(const Program& program, const FlowGraph& graph, std::vector<LiveInterval>& intervals,
             Facts& exposed, Facts& killed) {
  std::vector<std::uint32_t> written_in(program.registers.size(), nobody);
  std::vector<std::uint32_t> exposed_in(program.registers.size(), nobody);
  for (std::uint32_t block = 0; block < graph.blocks(); ++block) {
    for (std::uint32_t i = graph.start(block); i < graph.end(block); ++i) {
      const Instruction& instruction = program.code[i];
      const auto read = [&](std::uint32_t r) {
        extend(intervals[r], i);
        if (written_in[r] == block || exposed_in[r] == block) return;
        exposed_in[r] = block;
        exposed.emplace_back(r, block);
      };
      for_each_read(program, instruction, read);
      const bool guarded = instruction.guard.kind != Operand::Kind::none;
      for_each_write(program, instruction, [&](std::uint32_t r) {
        extend(intervals[r], i);
        if (guarded || written_in[r] == block) return;
        written_in[r] = block;
        killed.emplace_back(r, block);
      });
    }
  }
  std::sort(exposed.begin(), exposed.end());
  std::sort(killed.begin(), killed.end());
}

}  // namespace

std::vector<LiveInterval> live_intervals(const Program& program) {
  std::vector<LiveInterval> intervals(program.registers.size());
  if (program.code.empty()) return intervals;
  const FlowGraph graph(program);
  Facts exposed;
  Facts killed;
  collect(program, graph, intervals, exposed, killed);

  // One register at a time, backwards from the exposed reads until a sure write.
  std::vector<std::uint32_t> kills(graph.blocks(), nobody);
  std::vector<std::uint32_t> live_in(graph.blocks(), nobody);
  std::vector<std::uint32_t> work;
  auto kill = killed.begin();
  for (auto fact = exposed.begin(); fact != exposed.end();) {
    const std::uint32_t r = fact->first;
    while (kill != killed.end() && kill->first < r) ++kill;
    for (; kill != killed.end() && kill->first == r; ++kill) kills[kill->second] = r;
    for (; fact != exposed.end() && fact->first == r; ++fact) {
      live_in[fact->second] = r;
      work.push_back(fact->second);
    }
    while (!work.empty()) {
      const std::uint32_t block = work.back();
      work.pop_back();
      extend(intervals[r], graph.start(block));
      for (const std::uint32_t before : graph.predecessors(block)) {
        extend(intervals[r], graph.end(before) - 1);
        if (kills[before] == r || live_in[before] == r) continue;
        live_in[before] = r;
        work.push_back(before);
      }
    }
  }
  return intervals;
}

SlotAssignment assign_slots(const Program& program) {
  const std::vector<LiveInterval> intervals = live_intervals(program);
  SlotAssignment assignment;
  assignment.slot.assign(intervals.size(), SlotAssignment::no_slot);
  std::vector<std::uint32_t> order;
  for (std::uint32_t r = 0; r < intervals.size(); ++r) {
    if (intervals[r].used()) order.push_back(r);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return intervals[a].first < intervals[b].first; });
  struct ClassState {
    std::vector<std::uint32_t> free;
    std::uint32_t count = 0;
    /// (last instruction, slot) of the intervals not yet over, the earliest on top
    std::priority_queue<std::pair<std::uint32_t, std::uint32_t>,
                        std::vector<std::pair<std::uint32_t, std::uint32_t>>, std::greater<>>
        active;
  };
  ClassState classes[3];
  for (const std::uint32_t r : order) {
    ClassState& state = classes[static_cast<unsigned>(slot_class(program.registers[r]))];
    while (!state.active.empty() && state.active.top().first < intervals[r].first) {
      state.free.push_back(state.active.top().second);
      state.active.pop();
    }
    std::uint32_t slot = state.count;
    if (state.free.empty()) {
      ++state.count;
    } else {
      slot = state.free.back();
      state.free.pop_back();
    }
    assignment.slot[r] = slot;
    state.active.emplace(intervals[r].last, slot);
  }
  assignment.predicates = classes[static_cast<unsigned>(SlotClass::predicate)].count;
  assignment.words = classes[static_cast<unsigned>(SlotClass::word)].count;
  assignment.wides = classes[static_cast<unsigned>(SlotClass::wide)].count;
  return assignment;
}

}  // namespace evo::evaluators::virtual_device::ptx
