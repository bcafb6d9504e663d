// What a warp and a thread block are while they run.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "evaluators/devices/virtual/early_loads.hpp"
#include "evaluators/devices/virtual/give_way.hpp"
#include "evaluators/devices/virtual/late_stores.hpp"
#include "evaluators/devices/virtual/launch.hpp"
#include "evaluators/devices/virtual/stall.hpp"
#include "evaluators/devices/virtual/warp/async_queue.hpp"
#include "evaluators/devices/virtual/warp/code.hpp"
#include "evaluators/devices/virtual/warp/counts.hpp"
#include "evaluators/devices/virtual/warp/findings.hpp"
#include "evaluators/devices/virtual/warp/global_races.hpp"
#include "evaluators/devices/virtual/warp/shared_races.hpp"
#include "evaluators/devices/virtual/warp/spinning.hpp"

namespace evo::evaluators::virtual_device::warp {

struct BlockState;

enum class FragmentState : std::uint8_t {
  runnable,
  at_barrier,    ///< of the block; Fragment::detail is its number
  at_warp_op,    ///< waits for the lanes named in Fragment::detail
  at_warpgroup,  ///< a whole warp, waits for the other three
};

/// Lanes of a warp that are at the same step and not running now.
struct Fragment {
  const Op* op = nullptr;
  std::uint32_t mask = 0;
  FragmentState state = FragmentState::runnable;
  std::uint32_t detail = 0;
  std::uint32_t threads = 0;  ///< at_barrier: the thread count given, 0 = all
};

struct Warp {
  std::byte* registers = nullptr;
  std::uint32_t* poison = nullptr;
  std::uint32_t mask = 0;   ///< lanes that run now
  std::uint32_t live = 0;   ///< lanes that have not exited
  std::uint32_t began = 0;  ///< lanes that the launch gave it
  std::uint32_t carry = 0;  ///< CC.CF of each lane
  std::uint32_t index = 0;
  const Op* ops = nullptr;
  const Wide* wide = nullptr;
  BlockState* block = nullptr;
  std::vector<Fragment> fragments;  ///< all but the running one
  std::uint64_t instructions = 0;   ///< warp instructions
  std::uint64_t thread_instructions = 0;
  std::uint64_t yield_at = 0;        ///< warp instructions after which other warps get a turn
  std::uint32_t picks = 0;           ///< block entries while diverged
  std::uint32_t burst = 0;           ///< entries for which the running fragment keeps its turn
  std::uint32_t polls = 0;           ///< since it last gave way for them
  std::uint32_t in_vain = 0;         ///< turns that polls have ended, modulo 32, since something came on
  bool polled = false;               ///< the last turn ended so
  const Op* forced = nullptr;        ///< warp operation that has to go on without the lanes it waits for
  std::uint64_t* entries = nullptr;  ///< runs of each basic block, of this host thread
  std::uint64_t* lane_entries = nullptr;
  std::byte* local = nullptr;  ///< local_bytes per lane, one lane after the other
  std::uint8_t* local_shadow = nullptr;
  std::byte* shared = nullptr;
  std::uint8_t* shared_shadow = nullptr;
  std::uint32_t shared_bytes = 0;
  AccessCounts* counts = nullptr;  ///< null unless this block is a counted one
  SharedRaces* races = nullptr;    ///< null unless checked
  AsyncQueue* copies = nullptr;    ///< null without cp.async
  std::array<LoadOrder, lanes> load_order{};
  std::vector<SpinningLanes> spinning;

  [[nodiscard]] std::uint32_t& predicate(std::uint32_t offset) {
    return *reinterpret_cast<std::uint32_t*>(registers + offset);
  }
};

struct Barrier {
  std::uint32_t arrived = 0;   ///< threads that arrived without waiting (bar.arrive)
  std::uint32_t expected = 0;  ///< what they gave as the thread count
};

struct BlockState {
  const Launch* launch = nullptr;
  const Code* code = nullptr;
  std::uint64_t index = 0;  ///< linear
  std::array<std::uint32_t, 3> id{};
  std::vector<Warp> warps;
  std::array<Barrier, 16> barriers;
  std::map<std::uint64_t, std::int64_t> mbarrier_bytes;  ///< that an mbarrier still expects, by address
  std::uint32_t threads = 0;
  std::uint32_t shared_top = 0;  ///< highest shared byte touched + 1
  bool stopped = false;          ///< by a fault that ends the block, or where a sample needs the others
  bool independent = true;       ///< of what other blocks do
  bool stored = false;           ///< anything to global memory
  std::uint64_t moment = 0;      ///< barriers that all its threads have passed
  std::uint64_t limit = 0;       ///< thread instructions
  std::uint64_t spent = 0;       ///< by finished turns; see charge() in block.cpp
  std::atomic<std::uint64_t>* spent_by_all = nullptr;  ///< with Launch::whole_budget: of the launch's blocks
  std::vector<std::uint64_t> order;                    ///< of the warps
  Findings findings;
  GlobalRaces* global_races = nullptr;
  GiveWay give_way, change_warps;
  LateStores* late = nullptr;      ///< null in natural order
  EarlyLoads* early = nullptr;     ///< null in natural order, and without loads that may be early
  std::uint64_t most_ordered = 0;  ///< LoadOrder::device of the lane that knows most
  Stall stall;
  bool gave_way = false;         ///< in front of a strong access, since its turn began
  std::uint64_t polls_left = 0;  ///< of lanes, before those that see the same again wait for a change
  bool idle = false;             ///< all that could run only polled, in the last turn

  /// Linear thread number of a lane.
  [[nodiscard]] static std::uint32_t thread_of(const Warp& warp, std::uint32_t lane) {
    return warp.index * lanes + lane;
  }
};

/// Saves the running lanes as a fragment at `op`.
inline void park(Warp& warp, const Op* op, FragmentState state, std::uint32_t detail,
                 std::uint32_t threads = 0) {
  warp.fragments.push_back({op, warp.mask, state, detail, threads});
  warp.mask = 0;
}

inline void suspect(Warp& warp, const Op* op, SuspicionKind kind, std::uint32_t lane,
                    std::uint64_t address = 0) {
  BlockState& block = *warp.block;
  block.findings.add({kind, block.index, op->instruction, BlockState::thread_of(warp, lane), address});
}

/// Suspicion when a running lane's operand depends on what nothing wrote.
inline void check_operands(Warp& warp, const Op* op, const Wide& wide) {
  std::uint32_t poisoned = 0;
  for (unsigned source = 0; source < wide.src_count; ++source)
    poisoned |= warp.poison[wide.src_poison[source]];
  poisoned &= warp.mask;
  if (poisoned != 0) {
    suspect(warp, op, SuspicionKind::uninitialized, static_cast<std::uint32_t>(std::countr_zero(poisoned)));
  }
}

[[nodiscard]] inline const Instruction& instruction_of(const Warp& warp, const Op* op) {
  return warp.block->code->program->code[op->instruction];
}

inline void fail(Warp& warp, const Op* op, const Fault& fault) {
  Fault complete = fault;
  complete.instruction = op->instruction;
  complete.block = warp.block->index;
  warp.block->findings.add(complete);
  if (!warp.block->launch->stop_at_fault) return;
  // At the next label.
  warp.block->stopped = true;
  warp.yield_at = 0;
}

/// The block depends on others. If those do not run it ends, at the next label.
inline void depend_on_others(Warp& warp) {
  warp.block->independent = false;
  if (!warp.block->launch->sampled()) return;
  warp.block->stopped = true;
  warp.yield_at = 0;
}

/// Lane 0 of the warp now, for GlobalRaces; the lane's number is added.
[[nodiscard]] inline std::uint64_t mark_of(const Warp& warp) {
  return mark::own(warp.block->index, warp.block->moment, BlockState::thread_of(warp, 0));
}

/// A checked load from `region`, by the running block.
[[gnu::always_inline]] inline void note_source(Warp& warp, const Region& region, std::uint64_t address,
                                               unsigned width) {
  if (region.input || !warp.block->independent) return;
  const BlockState& block = *warp.block;
  if (!block.global_races->stored_by(region, address, width, block.index)) depend_on_others(warp);
}

/// Tells a store of one lane that stays inside `region`, if it may not be made there. It is made all the
/// same.
inline void check_trespass(Warp& warp, const Op* op, const Region& region, std::uint32_t lane,
                           std::uint64_t address, unsigned width) {
  const Trespass trespass = region.trespass(address, width);
  if (trespass == Trespass::none) return;
  Fault fault;
  fault.kind = trespass == Trespass::input ? FaultKind::input_written : FaultKind::gap_written;
  fault.space = Space::global;
  fault.write = true;
  fault.thread = BlockState::thread_of(warp, lane);
  fault.address = address;
  fault.width = width;
  fail(warp, op, fault);
}

/// A fault that ends the block. Returns null for the handler to return.
inline const Op* stop(Warp& warp, const Op* op, FaultKind kind) {
  Fault fault;
  fault.kind = kind;
  const std::uint32_t active = warp.mask != 0 ? warp.mask : 1;
  fault.thread = BlockState::thread_of(warp, static_cast<std::uint32_t>(std::countr_zero(active)));
  fail(warp, op, fault);
  warp.block->stopped = true;
  return nullptr;
}

}  // namespace evo::evaluators::virtual_device::warp
