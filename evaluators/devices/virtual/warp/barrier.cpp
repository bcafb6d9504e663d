// Arriving at barriers. Who is released, and when, is decided in block.cpp once no lane of the block can run.
#include <array>
#include <bit>
#include <cstddef>

#include "evaluators/devices/virtual/warp/handlers.hpp"
#include "evaluators/devices/virtual/warp/schedule.hpp"
#include "evaluators/devices/virtual/warp/state.hpp"
#include "evaluators/devices/virtual/warp/warp_group.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

std::uint32_t word_at(const Warp& warp, std::uint32_t offset, std::uint32_t lane) {
  return reinterpret_cast<const std::uint32_t*>(warp.registers + offset)[lane];
}

/// Barrier and thread count of the first running lane; a suspicion if the others have different ones.
struct BarrierOperands {
  std::uint32_t number = 0, threads = 0;
  bool valid = true;
};
BarrierOperands operands_of(Warp& warp, const Op* op) {
  const Wide& wide = warp.wide[op->extra];
  const auto first = static_cast<std::uint32_t>(std::countr_zero(warp.mask));
  BarrierOperands result{word_at(warp, wide.src[0], first),
                         op->c != 0 ? word_at(warp, wide.src[1], first) : 0};
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    if (word_at(warp, wide.src[0], lane) != result.number ||
        (op->c != 0 && word_at(warp, wide.src[1], lane) != result.threads)) {
      suspect(warp, op, SuspicionKind::barrier_divergence, lane);
    }
  }
  std::uint32_t poisoned = 0;
  for (unsigned k = 0; k < wide.src_count; ++k) poisoned |= warp.poison[wide.src_poison[k]];
  if ((poisoned & warp.mask) != 0) suspect(warp, op, SuspicionKind::uninitialized, first);
  if (result.threads % lanes != 0) suspect(warp, op, SuspicionKind::barrier_divergence, first);
  result.valid = result.number < warp.block->barriers.size() && (op->c == 0 || result.threads != 0);
  return result;
}

/// Which lanes each lane waits for.
using Named = std::array<std::uint32_t, lanes>;

void note_named(const Warp& warp, std::uint32_t of, const Wide& wide, Named& named) {
  for (; of != 0; of &= of - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(of));
    named[lane] = word_at(warp, wide.src[0], lane);
  }
}

/// Lanes that wait for each other and for nobody else, each such group for itself.
void order_groups(const Warp& warp, std::uint32_t here, const Named& named) {
  for (std::uint32_t left = here; left != 0;) {
    const std::uint32_t members = named[static_cast<std::size_t>(std::countr_zero(left))];
    std::uint32_t group = 0;
    for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      if (named[lane] == members) group |= 1U << lane;
    }
    left &= ~group;
    if ((members & warp.live) == group) warp.races->lanes_barrier(warp.index, group);
  }
}

}  // namespace

const Op* barrier_step(Warp& warp, const Op* op) {
  const BarrierOperands operands = operands_of(warp, op);
  if (!operands.valid) return stop(warp, op, FaultKind::trap);
  park(warp, op, FragmentState::at_barrier, operands.number, operands.threads);
  return next_fragment(warp);
}

const Op* barrier_arrive_step(Warp& warp, const Op* op) {
  const BarrierOperands operands = operands_of(warp, op);
  if (!operands.valid) return stop(warp, op, FaultKind::trap);
  // A whole warp counts as 32 threads, as the hardware does it.
  const bool whole = warp.mask == warp.live;
  Barrier& barrier = warp.block->barriers[operands.number];
  if (barrier.arrived != 0 && barrier.expected != operands.threads) {
    suspect(warp, op, SuspicionKind::barrier_divergence, 0);
  }
  note_meeting(warp, warp.mask);
  barrier.arrived += whole ? lanes : static_cast<std::uint32_t>(std::popcount(warp.mask));
  barrier.expected = operands.threads;
  // What lanes did that have exited is nobody's to order: they have not come.
  if (warp.mask == warp.began && warp.races != nullptr) warp.races->arrive(warp.index, operands.number);
  // Nobody is released before all have come to rest: more than are asked for is more than one round.
  if (barrier.arrived > barrier.expected) suspect(warp, op, SuspicionKind::barrier_divergence, 0);
  if (!whole) suspect(warp, op, SuspicionKind::barrier_divergence, 0);
  return op + 1;
}

const Op* warp_barrier_step(Warp& warp, const Op* op) {
  const Wide& wide = warp.wide[op->extra];
  const std::uint32_t members = members_of(warp, op, wide, 0);
  std::uint32_t named_by_all = common_members(warp, warp.mask, wide, 0);
  Named named{};
  note_named(warp, warp.mask, wide, named);
  // Lanes may meet here from different places in the code.
  std::uint32_t here = warp.mask;
  for (const Fragment& other : warp.fragments) {
    if (other.state == FragmentState::at_warp_op && other.op->fn == &warp_barrier_step) here |= other.mask;
  }
  if ((members & warp.live & ~here) != 0 && warp.forced != op) {
    park(warp, op, FragmentState::at_warp_op, members);
    return next_fragment(warp);
  }
  check_members(warp, op, members);
  for (std::size_t k = 0; k < warp.fragments.size();) {
    Fragment& other = warp.fragments[k];
    const bool meets = other.state == FragmentState::at_warp_op && other.op->fn == &warp_barrier_step &&
                       (other.detail & warp.live & ~here) == 0;
    if (meets) {
      named_by_all &= common_members(warp, other.mask, warp.wide[other.op->extra], 0);
      note_named(warp, other.mask, warp.wide[other.op->extra], named);
      if (other.detail != members) {
        suspect(warp, op, SuspicionKind::shuffle_mask,
                static_cast<std::uint32_t>(std::countr_zero(other.mask)));
      }
    }
    if (meets && other.op == op) {
      warp.mask |= other.mask;
      other = warp.fragments.back();
      warp.fragments.pop_back();
      continue;
    }
    if (meets) {
      other.state = FragmentState::runnable;
      ++other.op;
    }
    ++k;
  }
  warp.forced = nullptr;
  note_meeting(warp, here);
  if (warp.races == nullptr) return op + 1;
  // A barrier of all lanes needs all, those that have exited, too, and that each waits for all; one of some
  // lanes orders those only.
  if ((named_by_all & warp.live) == warp.live && here == warp.began) {
    warp.races->warp_barrier(warp.index);
  } else {
    order_groups(warp, here, named);
  }
  return op + 1;
}

}  // namespace evo::evaluators::virtual_device::warp
