// The steps of late stores and early loads: see late_stores.hpp and early_loads.hpp.
#include <algorithm>
#include <bit>

#include "evaluators/devices/virtual/memory_map.hpp"
#include "evaluators/devices/virtual/warp/handlers.hpp"
#include "evaluators/devices/virtual/warp/state.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

/// Calls visit(lane, address, width) for the running lanes whose access is to global memory.
template <class Visit>
void for_each_global(Warp& warp, const Op* op, Visit visit) {
  const Instruction& instruction = instruction_of(warp, op);
  const unsigned width = size_of(instruction.type) * std::max<unsigned>(1, instruction.vector);
  const auto* bases = reinterpret_cast<const std::uint64_t*>(warp.registers + op->a);
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint64_t address = bases[lane] + static_cast<std::uint64_t>(op->offset);
    if (instruction.space == Space::global || space_of(address) == Space::global) visit(lane, address, width);
  }
}

[[nodiscard]] ThreadOfLaunch who(const Warp& warp, std::uint32_t lane) {
  return {warp.block->index, BlockState::thread_of(warp, lane)};
}

[[nodiscard]] bool reaches_device(const Instruction& instruction) {
  return instruction.scope != Scope::cta && instruction.scope != Scope::cluster;
}

/// What the lanes load from now on is not older than now (`device`), or than what their block knows.
void order_loads(Warp& warp, std::uint32_t which, bool device) {
  BlockState& block = *warp.block;
  if (block.early == nullptr) return;
  const std::uint64_t now = block.early->now();
  if (device) block.most_ordered = now;
  for (; which != 0; which &= which - 1) {
    LoadOrder& order = warp.load_order[static_cast<std::size_t>(std::countr_zero(which))];
    order.block = now;
    order.device = block.most_ordered;
  }
}

/// Notes a strong store or atomic operation that changes `address`; it may be late.
void write(Warp& warp, std::uint32_t lane, std::uint64_t address, unsigned width, bool may_be_late) {
  BlockState& block = *warp.block;
  if (block.early != nullptr) block.early->writes(who(warp, lane), address, width);
  if (may_be_late && block.give_way.late()) {
    block.late->delay(block.index, BlockState::thread_of(warp, lane), address, width);
  } else {
    block.late->settle_at(address);
  }
}

}  // namespace

const Op* late_store_step(Warp& warp, const Op* op) {
  BlockState& block = *warp.block;
  if (block.late == nullptr) return op + 1;
  block.late->acts(block.index);
  for_each_global(warp, op, [&](std::uint32_t lane, std::uint64_t address, unsigned width) {
    write(warp, lane, address, width, true);
  });
  return op + 1;
}

const Op* settle_at_step(Warp& warp, const Op* op) {
  BlockState& block = *warp.block;
  if (block.late == nullptr) return op + 1;
  block.late->acts(block.index);
  for_each_global(warp, op, [&](std::uint32_t lane, std::uint64_t address, unsigned width) {
    write(warp, lane, address, width, false);
  });
  return op + 1;
}

const Op* hide_late_step(Warp& warp, const Op* op) {
  BlockState& block = *warp.block;
  if (block.late == nullptr) return op + 1;
  block.late->acts(block.index);
  bool hidden = false;
  for_each_global(warp, op, [&](std::uint32_t, std::uint64_t address, unsigned width) {
    hidden |= block.late->hide(block.index, address, width);
  });
  if (block.early == nullptr) return op + 1;
  const bool early = op->c != 0 && !hidden && block.give_way.late();
  for_each_global(warp, op, [&](std::uint32_t lane, std::uint64_t address, unsigned width) {
    if (early) {
      block.early->asks(who(warp, lane), warp.load_order[lane], address, width);
    } else {
      block.early->looks(who(warp, lane), address, width);
    }
  });
  if (early) block.early->hide();
  return op + 1;
}

const Op* show_late_step(Warp& warp, const Op* op) {
  if (warp.block->late != nullptr) warp.block->late->show();
  if (warp.block->early != nullptr) warp.block->early->show();
  return op + 1;
}

const Op* settle_step(Warp& warp, const Op* op) {
  LateStores* const late = warp.block->late;
  if (late == nullptr) return op + 1;
  const ThreadsOfWarp threads{warp.block->index, warp.index, warp.mask};
  if (reaches_device(instruction_of(warp, op))) {
    late->settle(threads);
  } else {
    late->tell(threads);
  }
  return op + 1;
}

const Op* acquire_step(Warp& warp, const Op* op) {
  order_loads(warp, warp.mask, reaches_device(instruction_of(warp, op)));
  return op + 1;
}

const Op* fence_step(Warp& warp, const Op* op) {
  LateStores* const late = warp.block->late;
  if (late == nullptr) return op + 1;
  const Instruction& instruction = instruction_of(warp, op);
  const bool device = reaches_device(instruction);
  if (instruction.acquire || !instruction.release) order_loads(warp, warp.mask, device);
  if (instruction.acquire && !instruction.release) return op + 1;
  const ThreadsOfWarp threads{warp.block->index, warp.index, warp.mask};
  if (device) {
    late->fence(threads);
  } else {
    late->tell(threads);
  }
  return op + 1;
}

void note_meeting(Warp& warp, std::uint32_t which) {
  if (warp.block->late == nullptr) return;
  warp.block->late->tell({warp.block->index, warp.index, which});
  order_loads(warp, which, true);
}

}  // namespace evo::evaluators::virtual_device::warp
