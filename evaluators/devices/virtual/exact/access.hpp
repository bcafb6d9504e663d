// One access of a thread: what it asks for, where that lies, and how the checks see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "evaluators/devices/virtual/exact/code.hpp"
#include "evaluators/devices/virtual/exact/dependences.hpp"
#include "evaluators/devices/virtual/findings.hpp"
#include "evaluators/devices/virtual/instruction_set.hpp"
#include "evaluators/devices/virtual/memory.hpp"

namespace evo::evaluators::virtual_device::exact {

/// An access as the checks see it, besides what it touches.
struct Order {
  Strength strength = Strength::weak;
  bool is_volatile = false;  ///< in shared memory, without more
  bool polls = false, non_coherent = false;
  bool of_wgmma = false;     ///< a read that is remembered with its warpgroup
  bool fixed_value = false;  ///< a store of what every thread knows (ptx/fixed_values.hpp)
  std::uint32_t read = 0;    ///< as in Access
  Dependences::Id depends = 0;
};

/// First address of an instruction for the thread that ran it last and the one before: gives the lane
/// stride.
struct LaneTrace {
  std::uint32_t thread = ~0U, previous_thread = ~0U;
  std::uint64_t address = 0, previous_address = 0;
};

/// What an access asks for.
struct Target {
  std::uint64_t address = 0;
  Space space = Space::none;
  std::uint32_t base = 0;  ///< slot whose poison makes the address a bad one
  std::uint32_t width = 0, alignment = 0;
  std::uint32_t trace = 0;  ///< index into the block's traces
};

/// A checked access: host memory and what to tell about it.
struct Place {
  std::uint8_t* data = nullptr;
  std::uint8_t* shadow = nullptr;  ///< null: all written
  Space space = Space::none;
  std::uint64_t address = 0;  ///< offset in the space, or the global address
  const Region* region = nullptr;
  std::uint32_t width = 0;           ///< bytes
  const LaneTrace* trace = nullptr;  ///< of the addresses that led here
};

/// Do two places of one space have a byte in common?
[[nodiscard]] inline bool overlap(const Place& a, const Place& b) {
  return a.region == b.region && a.address < b.address + b.width && b.address < a.address + a.width;
}

/// Where a value came from that nothing has written: from memory, from a register, or from a lane that took
/// no part in a shuffle.
struct Origin {
  Site site;
  Space space = Space::none;
  std::uint64_t address = 0;
  std::uint32_t width = 0;
  std::uint32_t unset = none;       ///< register: index into Code::unset; the site is then each thread's own
  std::string shuffle = {};         ///< lane: what was read from where
  std::optional<Site> absent = {};  ///< lane: the one that took no part
  static constexpr std::uint32_t none = 0xffffffff;
};

/// Shadow of a shared or local byte that holds an uninitialised value that was stored there.
constexpr std::uint8_t shadow_poisoned = 1;

}  // namespace evo::evaluators::virtual_device::exact
