// The steps of late stores: see late_stores.hpp.
#include <algorithm>
#include <bit>

#include "evaluators/devices/virtual/memory_map.hpp"
#include "evaluators/devices/virtual/warp/handlers.hpp"
#include "evaluators/devices/virtual/warp/state.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

/// Calls visit(address, width) for the running lanes whose access is to global memory.
template <class Visit>
void for_each_global(Warp& warp, const Op* op, Visit visit) {
  const Instruction& instruction = instruction_of(warp, op);
  const unsigned width = size_of(instruction.type) * std::max<unsigned>(1, instruction.vector);
  const auto* bases = reinterpret_cast<const std::uint64_t*>(warp.registers + op->a);
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const std::uint64_t address = bases[std::countr_zero(left)] + static_cast<std::uint64_t>(op->offset);
    if (instruction.space == Space::global || space_of(address) == Space::global) visit(address, width);
  }
}

}  // namespace

const Op* late_store_step(Warp& warp, const Op* op) {
  BlockState& block = *warp.block;
  if (block.late == nullptr) return op + 1;
  block.late->acts(block.index);
  for_each_global(warp, op, [&](std::uint64_t address, unsigned width) {
    if (block.give_way.late()) {
      block.late->delay(block.index, address, width);
    } else {
      block.late->settle_at(address);
    }
  });
  return op + 1;
}

const Op* hide_late_step(Warp& warp, const Op* op) {
  BlockState& block = *warp.block;
  if (block.late == nullptr) return op + 1;
  block.late->acts(block.index);
  for_each_global(warp, op, [&](std::uint64_t address, unsigned width) {
    block.late->hide(block.index, address, width);
  });
  return op + 1;
}

const Op* show_late_step(Warp& warp, const Op* op) {
  if (warp.block->late != nullptr) warp.block->late->show();
  return op + 1;
}

const Op* settle_step(Warp& warp, const Op* op) {
  if (warp.block->late != nullptr) warp.block->late->settle(warp.block->index);
  return op + 1;
}

const Op* fence_step(Warp& warp, const Op* op) {
  if (warp.block->late != nullptr) warp.block->late->fence(warp.block->index);
  return op + 1;
}

const Op* settle_at_step(Warp& warp, const Op* op) {
  if (warp.block->late == nullptr) return op + 1;
  warp.block->late->acts(warp.block->index);
  for_each_global(warp, op, [&](std::uint64_t address, unsigned) { warp.block->late->settle_at(address); });
  return op + 1;
}

}  // namespace evo::evaluators::virtual_device::warp
