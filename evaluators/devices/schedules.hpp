// Schedules of the virtual device that are no permutation.
#pragma once

#include <cstdint>

namespace evo::evaluators::devices {

/// LaunchOptions::schedule_seed of the natural order in which each block stops in front of this one of its
/// strong accesses to global memory, counted from 1, until all others have ended, wait or stand there; then
/// they go on one by one, the last of them first (devices/virtual/stall.hpp).
[[nodiscard]] constexpr std::uint64_t schedule_where_all_stop(std::uint32_t access) {
  return std::uint64_t{access} << 32;
}

/// That access; 0: of a seed that says nothing of the kind.
[[nodiscard]] constexpr std::uint32_t all_stop_at(std::uint64_t schedule_seed) {
  return static_cast<std::uint32_t>(schedule_seed >> 32);
}

}  // namespace evo::evaluators::devices
