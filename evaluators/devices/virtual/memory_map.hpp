// The address space of the PTX machine.
//
// A generic (64-bit) address is slot << 36 | position. Slot 0 is the null page: nothing is ever there. Slots
// 1 to 4 are the windows of the shared, local, constant and parameter spaces; slot 14 holds the word that the
// blocks of a cooperative launch meet at; slot 15 holds the module's own
// .global data; slots from `first_buffer_slot` on hold one global buffer each, whose byte 0 stands in the
// middle of its slot. So an index that runs off a buffer, in either direction and by up to 32 GiB, stays in
// the buffer's own slot, is told as an overrun of that buffer and can never land in a neighbour. A buffer in
// parts that lie 64 GiB or more apart has a slot for each of them.
//
// A global address is its generic address. Shared, local, constant and parameter addresses are offsets from
// 0; the generic form adds the base of the window.
#pragma once

#include <cstdint>
#include <optional>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device {

constexpr unsigned slot_shift = 36;
constexpr std::uint64_t slot_bytes = std::uint64_t{1} << slot_shift;
constexpr std::uint32_t grid_workspace_slot = 14;
constexpr std::uint32_t first_buffer_slot = 16;
constexpr std::uint32_t max_slots = 1U << 20;  ///< so that an address never uses the top byte

constexpr std::uint64_t shared_window = 1 * slot_bytes;
constexpr std::uint64_t local_window = 2 * slot_bytes;
constexpr std::uint64_t constant_window = 3 * slot_bytes;
constexpr std::uint64_t param_window = 4 * slot_bytes;

static_assert(global_image_slot < first_buffer_slot && global_image_slot > 4);
static_assert(global_image_base == global_image_slot * slot_bytes + slot_bytes / 2);

/// Largest buffer, so that overruns stay in the slot.
constexpr std::uint64_t max_buffer_bytes = slot_bytes / 4;

[[nodiscard]] constexpr std::uint64_t slot_of(std::uint64_t address) {
  return address >> slot_shift;
}

/// Address of byte 0 of the buffer in `slot`: ≡ position (mod 256).
[[nodiscard]] constexpr std::uint64_t buffer_base(std::uint32_t slot, std::uint64_t position) {
  return slot * slot_bytes + slot_bytes / 2 + position;
}

/// Base of the generic window of a space; 0 for global and generic.
[[nodiscard]] constexpr std::uint64_t window_of(Space space) {
  switch (space) {
    case Space::shared:
      return shared_window;
    case Space::local:
      return local_window;
    case Space::constant:
      return constant_window;
    case Space::param:
      return param_window;
    default:
      return 0;
  }
}

/// What %envreg1 (its upper half) and %envreg2 say in a cooperative launch; grid.sync() of cooperative groups
/// counts arrivals in the word behind the first.
constexpr std::uint64_t grid_workspace_base = buffer_base(grid_workspace_slot, 0);
constexpr std::uint64_t grid_workspace_bytes = 8;

/// cvta.SPACE: offset in a space to generic address.
[[nodiscard]] constexpr std::uint64_t to_generic(Space space, std::uint64_t address) {
  return window_of(space) + address;
}

/// cvta.to.SPACE: generic address to offset in a space (meaningless, but harmless, for an address of another
/// space).
[[nodiscard]] constexpr std::uint64_t from_generic(Space space, std::uint64_t address) {
  return address - window_of(space);
}

/// Which space a generic address is in: shared, local, constant, param, else global. A small negative offset
/// from a window falls into the slot below and is unmapped there. Used by isspacep and by generic loads and
/// stores.
[[nodiscard]] constexpr Space space_of(std::uint64_t generic_address) {
  switch (slot_of(generic_address)) {
    case slot_of(shared_window):
      return Space::shared;
    case slot_of(local_window):
      return Space::local;
    case slot_of(constant_window):
      return Space::constant;
    case slot_of(param_window):
      return Space::param;
    default:
      return Space::global;
  }
}

}  // namespace evo::evaluators::virtual_device
