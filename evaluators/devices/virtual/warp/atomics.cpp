// atom and red: lane by lane in lane order. A program with global atomics runs its blocks one after another,
// so plain reads and writes do.
#include <bit>
#include <cstring>

#include "evaluators/devices/virtual/memory_map.hpp"
#include "evaluators/devices/virtual/semantics/atomic.hpp"
#include "evaluators/devices/virtual/warp/handlers.hpp"
#include "evaluators/devices/virtual/warp/lanes.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

using namespace EVO_ISA;

/// Where one lane's operand is. data is null when it faulted.
struct Place {
  std::byte* data = nullptr;
  std::uint8_t* shadow = nullptr;
  const Region* region = nullptr;  ///< null in shared memory
  std::uint64_t address = 0;       ///< offset in shared memory, or global address
};

Place place_of(Warp& warp, const Op* op, Space space, std::uint64_t address, unsigned width, unsigned lane) {
  if (space == Space::generic || space == Space::none) {
    space = space_of(address);
    address = from_generic(space, address);
  }
  Place place;
  place.address = address;
  bool inside = false;
  if (space == Space::shared) {
    inside = address < warp.shared_bytes && width <= warp.shared_bytes - address;
    if (inside) {
      place.data = warp.shared + address;
      place.shadow = warp.shared_shadow + address;
    }
  } else if (space == Space::global) {
    place.region = warp.block->launch->memory->locate(address, width);
    inside = place.region != nullptr;
    if (inside) {
      place.data = place.region->data + (address - place.region->base);
      place.shadow = place.region->shadow + (address - place.region->base);
    }
  }
  if (inside && (address & (width - 1)) == 0) {
    if (place.region != nullptr && place.region->restricted())
      check_trespass(warp, op, *place.region, lane, address, width);
    return place;
  }
  Fault fault;
  fault.kind = inside ? FaultKind::misaligned : FaultKind::out_of_bounds;
  fault.space = space;
  fault.write = true;
  fault.thread = BlockState::thread_of(warp, lane);
  fault.address = address;
  fault.width = width;
  fail(warp, op, fault);
  place.data = nullptr;
  return place;
}

std::uint64_t operand(const Warp& warp, const Wide& wide, unsigned source, unsigned lane) {
  if (source >= wide.src_count) return 0;
  const std::byte* slot = warp.registers + wide.src[source];
  return wide.src_class[source] == 8 ? read_lane<std::uint64_t>(slot, lane)
                                     : read_lane<std::uint32_t>(slot, lane);
}

void note_access(Warp& warp, const Op* op, const Place& place, unsigned lane, unsigned width, Scope scope) {
  if (place.region != nullptr) {
    // Atomics whose scope is the block do not keep other blocks out.
    GlobalRaces& races = *warp.block->global_races;
    const bool narrow = scope == Scope::cta || scope == Scope::cluster;
    if (narrow ? races.write(*place.region, place.address, width, mark_of(warp) + lane, false)
               : races.atomic(*place.region, place.address, width)) {
      suspect(warp, op, SuspicionKind::race_global, lane, place.address);
    }
    return;
  }
  std::uint32_t addresses[lanes] = {};
  addresses[lane] = static_cast<std::uint32_t>(place.address);
  warp.races->atomic(warp, op, addresses, 1U << lane, width, addresses[lane], addresses[lane] + width);
}

}  // namespace

const Op* atomic_step(Warp& warp, const Op* op) {
  const Wide& wide = warp.wide[op->extra];
  const Instruction& instruction = warp.block->code->program->code[op->instruction];
  const bool checked = warp.block->code->checked;
  const unsigned width = size_of(instruction.type);
  if (checked) check_operands(warp, op, wide);
  std::uint32_t unwritten = 0;
  std::uint64_t addresses[lanes] = {};
  std::uint32_t global = 0;
  const Region* region = nullptr;
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = operand(warp, wide, 0, lane) + static_cast<std::uint64_t>(op->offset);
    const Place place = place_of(warp, op, instruction.space, address, width, lane);
    if (place.data == nullptr) continue;
    std::uint64_t old = 0;
    std::memcpy(&old, place.data, width);
    std::uint64_t updated = 0;
    if (!semantics::atomic_value(instruction.atomic, instruction.type, place.region != nullptr, old,
                                 operand(warp, wide, 1, lane), operand(warp, wide, 2, lane), updated)) {
      return stop(warp, op, FaultKind::unsupported);
    }
    const std::uint64_t bits = width == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * width) - 1;
    if (((updated ^ old) & bits) != 0) warp.polls = warp.in_vain = 0;  // it came on
    if (checked) {
      // First: what is changed here may have to be kept before.
      note_access(warp, op, place, lane, width, instruction.scope);
      const bool replaces = instruction.atomic == AtomicOp::exch;
      for (unsigned byte = 0; byte < width; ++byte) {
        if (place.shadow[byte] != shadow_written && !replaces) unwritten |= 1U << lane;
        place.shadow[byte] = shadow_written;
      }
    }
    std::memcpy(place.data, &updated, width);
    if (place.region != nullptr) {
      warp.block->stored = true;
      depend_on_others(warp);
      global |= 1U << lane;
      addresses[lane] = place.address;
      // Counted as one access of the first lane's buffer; lanes in another are rare enough to leave out.
      if (region == nullptr) region = place.region;
      if (region != place.region) global &= ~(1U << lane);
    } else if (place.address + width > warp.block->shared_top) {
      warp.block->shared_top = static_cast<std::uint32_t>(place.address) + width;
    }
    if (wide.dst_count == 0) continue;
    std::byte* out = warp.registers + wide.dst[0];
    // NOLINTNEXTLINE(bugprone-branch-clone): the branches differ in the width they write
    if (wide.dst_class[0] == 8) {
      write_lane<std::uint64_t>(out, lane, old);
    } else {
      write_lane<std::uint32_t>(out, lane, static_cast<std::uint32_t>(old));
    }
  }
  if (unwritten != 0) {
    // Modifying what nothing wrote leaves a value that depends on it.
    suspect(warp, op, SuspicionKind::uninitialized, static_cast<std::uint32_t>(std::countr_zero(unwritten)));
  }
  if (wide.dst_count > 0) set_poison(warp, wide.dst_poison[0], unwritten);
  if (warp.counts != nullptr && global != 0)
    warp.counts->global(op->instruction, *region, addresses, global, width);
  return op + 1;
}

}  // namespace evo::evaluators::virtual_device::warp
