// Running one block: warps take turns until none can run, then barriers release, until all threads have left.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "evaluators/devices/virtual/warp/handlers.hpp"
#include "evaluators/devices/virtual/warp/random_order.hpp"
#include "evaluators/devices/virtual/warp/schedule.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

/// Warp instructions before another warp gets a turn: long enough to cost nothing, short enough that a warp
/// which polls a flag does not eat the budget.
constexpr std::uint64_t turn_length = 50'000;
/// Rounds of turns before other blocks get one.
constexpr unsigned rounds_at_a_time = 16;
/// What a warp instruction costs at least of the budget, in thread instructions: one lane alone takes almost
/// as long as all.
constexpr std::uint64_t least_charge = 8;

bool runnable(const Warp& warp) {
  return std::any_of(warp.fragments.begin(), warp.fragments.end(),
                     [](const Fragment& f) { return f.state == FragmentState::runnable; });
}

/// Lanes that wait for lanes which have since left need wait no longer.
void wake_satisfied(Warp& warp) {
  for (Fragment& fragment : warp.fragments) {
    if (fragment.state == FragmentState::at_warp_op && (fragment.detail & warp.live & ~fragment.mask) == 0) {
      fragment.state = FragmentState::runnable;
    }
  }
}

void lock_device(Warp& warp) {
  const std::uint64_t before = warp.thread_instructions;
  const std::uint64_t begin = warp.instructions;
  const bool polled = std::exchange(warp.polled, false);
  warp.yield_at = warp.instructions + turn_length;
  const Op* op = polled ? next_after_poll(warp) : next_fragment(warp);
  while (op != nullptr) op = op->fn(warp, op);
  warp.mask = 0;
  const std::uint64_t charge =
      std::max(warp.thread_instructions - before, least_charge * (warp.instructions - begin));
  warp.block->spent += charge;
  if (warp.block->spent_by_all != nullptr)
    warp.block->spent_by_all->fetch_add(charge, std::memory_order_relaxed);
  wake_satisfied(warp);
}

bool all_is_spent(const BlockState& block) {
  return block.spent_by_all != nullptr &&
         block.spent_by_all->load(std::memory_order_relaxed) > block.launch->whole_budget;
}

std::uint32_t live_threads(const BlockState& block) {
  std::uint32_t count = 0;
  for (const Warp& warp : block.warps) count += static_cast<std::uint32_t>(std::popcount(warp.live));
  return count;
}

/// Everyone who waits at barrier `number`.
struct Waiting {
  std::uint32_t threads = 0;   ///< lanes
  std::uint32_t counted = 0;   ///< as the hardware counts: a whole warp as 32
  std::uint32_t expected = 0;  ///< thread count given, 0 = all
  bool diverged = false;       ///< lanes of one warp came apart, or with different operands or steps
  Warp* first_warp = nullptr;
  const Op* first_op = nullptr;
  /// Threads that have exited may have gone past it.
  bool avoidable = false;
};
Waiting waiting_at(BlockState& block, std::uint32_t number) {
  Waiting result;
  for (Warp& warp : block.warps) {
    std::uint32_t here = 0;
    const Op* op = nullptr;
    for (const Fragment& fragment : warp.fragments) {
      if (fragment.state != FragmentState::at_barrier || fragment.detail != number) continue;
      if (result.first_op == nullptr) {
        result.first_op = fragment.op;
        result.first_warp = &warp;
        result.expected = fragment.threads;
      }
      result.avoidable |= warp.wide[fragment.op->extra].avoidable;
      result.diverged |= fragment.threads != result.expected || (op != nullptr && op != fragment.op);
      // Barriers without a count are meant for all, from one place in the source; others pair up freely.
      result.diverged |= fragment.threads == 0 && fragment.op != result.first_op;
      op = fragment.op;
      here |= fragment.mask;
    }
    if (here == 0) continue;
    const auto count = static_cast<std::uint32_t>(std::popcount(here));
    result.threads += count;
    result.counted += here == warp.live ? lanes : count;
    result.diverged |= here != warp.live;
  }
  return result;
}

/// bar.red: the reduction over all who wait, into each of them.
void reduce(BlockState& block, std::uint32_t number) {
  std::uint32_t yes = 0;
  std::uint32_t total = 0;
  std::uint32_t poisoned = 0;
  const auto for_each = [&](auto visit) {
    for (Warp& warp : block.warps) {
      for (Fragment& fragment : warp.fragments) {
        if (fragment.state != FragmentState::at_barrier || fragment.detail != number) continue;
        const Wide& wide = warp.wide[fragment.op->extra];
        if (wide.src_count > 2) visit(warp, fragment, wide);
      }
    }
  };
  for_each([&](Warp& warp, const Fragment& fragment, const Wide& wide) {
    yes += static_cast<std::uint32_t>(std::popcount(warp.predicate(wide.src[2]) & fragment.mask));
    total += static_cast<std::uint32_t>(std::popcount(fragment.mask));
    poisoned |= warp.poison[wide.src_poison[2]] & fragment.mask;
  });
  for_each([&](Warp& warp, const Fragment& fragment, const Wide& wide) {
    const BarrierMode mode = block.code->program->code[fragment.op->instruction].barrier;
    if (mode == BarrierMode::red_popc) {
      auto* out = reinterpret_cast<std::uint32_t*>(warp.registers + wide.dst[0]);
      for (std::uint32_t left = fragment.mask; left != 0; left &= left - 1) out[std::countr_zero(left)] = yes;
    } else {
      const bool value = mode == BarrierMode::red_and ? yes == total : yes != 0;
      std::uint32_t& predicate = warp.predicate(wide.dst[0]);
      predicate = (predicate & ~fragment.mask) | (value ? fragment.mask : 0);
    }
    std::uint32_t& poison = warp.poison[wide.dst_poison[0]];
    poison = (poison & ~fragment.mask) | (poisoned != 0 ? fragment.mask : 0);
  });
}

void release(BlockState& block, std::uint32_t number, const Waiting& waiting) {
  const std::uint32_t live = live_threads(block);
  // A barrier with a count does not wait for those who leave without it.
  const bool everyone = waiting.threads == live && (waiting.expected == 0 || live == block.threads);
  const Barrier& barrier = block.barriers[number];
  // Several rounds at once, or counts that do not agree: the exact machine lets them meet as they come.
  const bool counts_differ = waiting.expected != 0 && waiting.counted + barrier.arrived != waiting.expected;
  const bool arrived_for_another = barrier.arrived != 0 && barrier.expected != waiting.expected;
  if (waiting.diverged || counts_differ || arrived_for_another ||
      (waiting.avoidable && waiting.expected == 0 && live != block.threads)) {
    suspect(*waiting.first_warp, waiting.first_op, SuspicionKind::barrier_divergence, 0);
  }
  if (everyone) ++block.moment;
  SharedRaces* races = block.warps.front().races;
  if (races != nullptr) {
    if (everyone) {
      races->block_barrier(*waiting.first_warp, waiting.first_op);
      races->forget_arrivals(number);
    } else {
      // Orders the warps that came as a whole.
      std::vector<std::uint32_t> warps;
      for (const Warp& warp : block.warps) {
        for (const Fragment& fragment : warp.fragments) {
          const bool here = fragment.state == FragmentState::at_barrier && fragment.detail == number;
          if (here && fragment.mask == warp.began) warps.push_back(warp.index);
        }
      }
      races->group_barrier(warps, number);
    }
  }
  reduce(block, number);
  block.barriers[number].arrived = 0;
  for (Warp& warp : block.warps) {
    Fragment* first = nullptr;
    for (std::size_t k = 0; k < warp.fragments.size();) {
      Fragment& fragment = warp.fragments[k];
      if (fragment.state != FragmentState::at_barrier || fragment.detail != number) {
        ++k;
        continue;
      }
      if (first != nullptr && first->op == fragment.op + 1) {
        note_meeting(warp, fragment.mask);
        first->mask |= fragment.mask;
        fragment = warp.fragments.back();
        warp.fragments.pop_back();
        continue;
      }
      fragment.state = FragmentState::runnable;
      ++fragment.op;
      note_meeting(warp, fragment.mask);
      first = &warp.fragments[k];
      ++k;
    }
  }
}

/// Nothing can run: lets barriers that are complete go. False when there is none.
bool release_barriers(BlockState& block) {
  bool any = false;
  for (std::uint32_t number = 0; number < block.barriers.size(); ++number) {
    const Waiting waiting = waiting_at(block, number);
    Barrier& barrier = block.barriers[number];
    if (waiting.first_op == nullptr) {
      // Complete with nobody to release.
      if (barrier.expected != 0 && barrier.arrived >= barrier.expected) {
        barrier.arrived = 0;
        if (block.warps.front().races != nullptr) block.warps.front().races->forget_arrivals(number);
      }
      continue;
    }
    const bool complete = waiting.expected == 0
                              ? waiting.threads == live_threads(block)
                              : waiting.counted + block.barriers[number].arrived >= waiting.expected;
    if (!complete) continue;
    release(block, number, waiting);
    any = true;
  }
  return any;
}

/// Lanes that wait in a warp operation for lanes that cannot come: they go on without them, which is a
/// suspicion.
bool force_warp_operations(BlockState& block) {
  for (Warp& warp : block.warps) {
    for (Fragment& fragment : warp.fragments) {
      if (fragment.state != FragmentState::at_warp_op) continue;
      fragment.state = FragmentState::runnable;
      warp.forced = fragment.op;
      return true;
    }
  }
  return false;
}

void deadlock(BlockState& block) {
  for (Warp& warp : block.warps) {
    for (const Fragment& fragment : warp.fragments) {
      warp.mask = fragment.mask;
      suspect(warp, fragment.op, SuspicionKind::barrier_divergence,
              static_cast<std::uint32_t>(std::countr_zero(fragment.mask)));
      stop(warp, fragment.op, FaultKind::hang);
      warp.mask = 0;
      return;
    }
  }
}

}  // namespace

void stop_for_hang(BlockState& block) {
  Warp* hanging = nullptr;
  const Fragment* first = nullptr;
  for (Warp& warp : block.warps) {
    for (const Fragment& fragment : warp.fragments) {
      const bool runs = fragment.state == FragmentState::runnable;
      if (first != nullptr && !(runs && first->state != FragmentState::runnable)) continue;
      hanging = &warp;
      first = &fragment;
    }
  }
  if (first == nullptr) return;
  // A turn may end behind the entry of a block; either is inside the loop.
  hanging->mask = first->mask;
  stop(*hanging, first->op, FaultKind::hang);
  hanging->mask = 0;
}

bool run_block(BlockState& block) {
  block.gave_way = block.idle = false;
  for (Warp& warp : block.warps) {
    // Turns that begin alike go on alike, so that a state that comes back is seen to.
    if (!warp.polled) warp.picks = warp.burst = 0;
  }
  for (unsigned round = 0; !block.stopped;) {
    bool ran = false;
    bool only_polls = true;
    for (const std::uint64_t which : block.order) {
      Warp& warp = block.warps[which];
      if (!runnable(warp) || block.stall.holds(warp.index)) continue;
      ran = true;
      if (only_waits(warp)) continue;
      lock_device(warp);
      only_polls &= warp.polled;
      if (block.stopped) return true;
      if (block.spent > block.limit || all_is_spent(block)) {
        stop_for_hang(block);
        return true;
      }
    }
    if (ran && std::any_of(block.warps.begin(), block.warps.end(), runnable)) {
      // What is polled for may come from those who wait at a barrier of some threads that is complete.
      if (only_polls && release_barriers(block)) continue;
      block.idle = only_polls;
      if (only_polls || block.gave_way || ++round == rounds_at_a_time) return false;
      continue;
    }
    if (live_threads(block) == 0) break;
    if (block.stall.holds()) {
      // The others wait for those who stand still, unless it was for a barrier of their own.
      if (release_barriers(block)) continue;
      block.idle = true;
      return false;
    }
    if (release_barriers(block) || force_warp_operations(block)) continue;
    deadlock(block);
    return true;
  }
  SharedRaces* races = block.warps.empty() ? nullptr : block.warps.front().races;
  if (races != nullptr)
    races->block_barrier(block.warps.front(), block.code->ops.data() + block.code->ops.size() - 1);
  return true;
}

}  // namespace evo::evaluators::virtual_device::warp
