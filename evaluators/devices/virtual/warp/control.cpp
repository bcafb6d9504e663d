// Branches and the fragments they make. The fragment with the lowest step runs, so that diverged lanes meet
// again at the first label they share; now and then another gets a burst, so that a lane that waits for
// another lane of its warp cannot keep it from running.
#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "evaluators/devices/virtual/warp/handlers.hpp"
#include "evaluators/devices/virtual/warp/schedule.hpp"
#include "evaluators/devices/virtual/warp/state.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

constexpr std::uint32_t turns_before_burst = 1024;
constexpr std::uint32_t burst_length = 64;
/// Polls before other warps, and other blocks, get a turn.
constexpr std::uint32_t polls_a_turn = 64;

/// Takes it out of those that wait, to run.
const Op* resume(Warp& warp, Fragment& fragment) {
  const Op* op = fragment.op;
  warp.mask = fragment.mask;
  fragment = warp.fragments.back();
  warp.fragments.pop_back();
  return op;
}

/// A diverged warp at a label: the running lanes join whoever waits there, then the turn goes to the lowest
/// step.
const Op* reschedule(Warp& warp, const Op* op) {
  for (std::size_t k = 0; k < warp.fragments.size();) {
    Fragment& other = warp.fragments[k];
    if (other.op == op && other.state == FragmentState::runnable) {
      warp.mask |= other.mask;
      other = warp.fragments.back();
      warp.fragments.pop_back();
    } else {
      ++k;
    }
  }
  if (warp.burst > 0) {
    --warp.burst;
    return op;
  }
  ++warp.picks;
  const bool burst = warp.picks % turns_before_burst == 0;
  Fragment* lowest = nullptr;
  for (Fragment& other : warp.fragments) {
    if (other.state != FragmentState::runnable || waits(warp, other)) continue;
    // A burst goes to the highest: the lanes that min-pc order starves.
    if (lowest == nullptr || (burst ? other.op > lowest->op : other.op < lowest->op)) lowest = &other;
  }
  if (lowest == nullptr || (!burst && op < lowest->op)) return op;
  if (burst) warp.burst = burst_length;
  const Op* next = lowest->op;
  const std::uint32_t mask = lowest->mask;
  *lowest = {op, warp.mask, FragmentState::runnable, 0, 0};
  warp.mask = mask;
  return next;
}

}  // namespace

const Op* next_fragment(Warp& warp) {
  Fragment* lowest = nullptr;
  for (Fragment& other : warp.fragments) {
    if (other.state != FragmentState::runnable || waits(warp, other)) continue;
    if (lowest == nullptr || other.op < lowest->op) lowest = &other;
  }
  return lowest == nullptr ? nullptr : resume(warp, *lowest);
}

const Op* next_after_poll(Warp& warp) {
  std::array<Fragment*, lanes> runnable{};
  std::size_t count = 0;
  for (Fragment& other : warp.fragments) {
    if (other.state == FragmentState::runnable && !waits(warp, other)) runnable[count++] = &other;
  }
  if (count == 0) return nullptr;
  std::ranges::sort(std::span(runnable).first(count), {}, &Fragment::op);
  warp.burst = burst_length;
  return resume(warp, *runnable[(warp.in_vain + lanes - 1) % lanes % count]);
}

const Op* enter_step(Warp& warp, const Op* op) {
  if (!warp.fragments.empty()) [[unlikely]] {
    op = reschedule(warp, op);
    if (op->fn != &enter_step) return op;
  }
  const auto active = static_cast<std::uint32_t>(std::popcount(warp.mask));
  warp.instructions += op->a;
  warp.thread_instructions += std::uint64_t{op->a} * active;
  ++warp.entries[op->extra];
  warp.lane_entries[op->extra] += active;
  if (warp.instructions >= warp.yield_at) [[unlikely]] {
    // The entry was counted, so the turn resumes behind it.
    park(warp, op + 1, FragmentState::runnable, 0);
    return nullptr;
  }
  return op + 1;
}

const Op* endless_step(Warp& warp, const Op* op) {
  return stop(warp, op, FaultKind::hang);
}

namespace {

/// Ends the turn of a warp whose lanes only poll, in front of the step.
const Op* end_turn_of_polls(Warp& warp, const Op* op) {
  warp.polls = 0;
  warp.polled = true;
  warp.burst = 0;
  warp.in_vain = (warp.in_vain + 1) % lanes;
  park(warp, op, FragmentState::runnable, 0);
  return nullptr;
}

}  // namespace

const Op* poll_step(Warp& warp, const Op* op) {
  if (warp.block->code->orders_blocks && warp.block->stall.slows()) {
    warp.block->gave_way = true;
    park(warp, op + 1, FragmentState::runnable, 0);
    return nullptr;
  }
  std::uint64_t& in_full = warp.block->polls_left;
  const auto polls = static_cast<std::uint64_t>(std::popcount(warp.mask));
  in_full -= std::min(in_full, polls);
  if (in_full == 0 && spins(warp, op)) {
    park(warp, op + 1, FragmentState::runnable, 0);
    warp.burst = 0;
    // Whom they wait for may be a lane of the same warp.
    if (const Op* next = next_fragment(warp); next != nullptr) return next;
    warp.polls = 0;
    warp.polled = true;
    return nullptr;
  }
  return ++warp.polls < polls_a_turn ? op + 1 : end_turn_of_polls(warp, op + 1);
}

const Op* give_way_step(Warp& warp, const Op* op) {
  BlockState& block = *warp.block;
  const bool stops = block.stall.begins(warp.index) || block.stall.slows();
  if (!stops && !block.give_way.now()) return op + 1;
  block.gave_way = true;
  park(warp, op + 1, FragmentState::runnable, 0);
  return nullptr;
}

const Op* change_warps_step(Warp& warp, const Op* op) {
  if (!warp.block->change_warps.now()) return op + 1;
  park(warp, op + 1, FragmentState::runnable, 0);
  return nullptr;
}

const Op* guarded_step(Warp& warp, const Op* op) {
  const std::uint32_t all = warp.mask;
  const std::uint32_t taken = (warp.predicate(op->a) ^ op->c) & all;
  if (warp.block->code->checked) check_guard(warp, op);
  const Op* const end = op + 1 + op->extra;
  if (taken == 0) return end;
  warp.mask = taken;
  const Op* next = op + 1;
  while (next != nullptr && next != end) next = next->fn(warp, next);
  warp.mask = all;
  return next;
}

const Op* branch_step(Warp& warp, const Op* op) {
  return warp.ops + op->extra;
}

const Op* branch_if_step(Warp& warp, const Op* op) {
  const std::uint32_t taken = (warp.predicate(op->a) ^ op->c) & warp.mask;
  if (warp.block->code->checked) check_guard(warp, op);
  if (taken == warp.mask) return warp.ops + op->extra;
  if (taken == 0) return op + 1;
  // The other side waits at its label; whichever is lower will be picked at the next one.
  warp.fragments.push_back({warp.ops + op->extra, taken, FragmentState::runnable, 0, 0});
  warp.mask &= ~taken;
  return op + 1;
}

const Op* branch_table_step(Warp& warp, const Op* op) {
  const Wide& wide = warp.wide[op->extra];
  const auto* indices = reinterpret_cast<const std::uint32_t*>(warp.registers + wide.src[0]);
  if (warp.block->code->checked && (warp.poison[wide.src_poison[0]] & warp.mask) != 0) {
    suspect(warp, op, SuspicionKind::uninitialized, 0);
  }
  std::uint32_t left = warp.mask;
  while (left != 0) {
    const std::uint32_t index = indices[std::countr_zero(left)];
    std::uint32_t same = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if ((left >> lane & 1U) != 0 && indices[lane] == index) same |= 1U << lane;
    }
    // Past the table the program has no defined target.
    if (index >= wide.targets.size()) return stop(warp, op, FaultKind::unsupported);
    warp.fragments.push_back({warp.ops + wide.targets[index], same, FragmentState::runnable, 0, 0});
    left &= ~same;
  }
  warp.mask = 0;
  return next_fragment(warp);
}

const Op* exit_step(Warp& warp, const Op*) {
  warp.live &= ~warp.mask;
  warp.mask = 0;
  return next_fragment(warp);
}

const Op* trap_step(Warp& warp, const Op* op) {
  return stop(warp, op, FaultKind::trap);
}
const Op* assert_step(Warp& warp, const Op* op) {
  return stop(warp, op, FaultKind::assert_failed);
}
const Op* unsupported_step(Warp& warp, const Op* op) {
  return stop(warp, op, FaultKind::unsupported);
}
const Op* nothing_step(Warp&, const Op* op) {
  return op + 1;
}

}  // namespace evo::evaluators::virtual_device::warp
