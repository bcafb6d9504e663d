// An mbarrier object (PTX ISA, "mbarrier"): counts arrivals and bytes, phase by phase.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/devices/virtual/exact/bulk.hpp"
#include "evaluators/devices/virtual/exact/knowledge.hpp"

namespace evo::evaluators::virtual_device::exact {

/// Where a phase is known to be: what an arrival returns, and test_wait takes. The machine's own form: PTX
/// calls it opaque.
struct MbarrierState {
  static constexpr unsigned count_bits = 20;
  static constexpr std::uint64_t max_count = (std::uint64_t{1} << count_bits) - 1;

  [[nodiscard]] static std::uint64_t pack(std::uint64_t phase, std::uint64_t pending) {
    return phase << count_bits | pending;
  }
  [[nodiscard]] static std::uint64_t phase(std::uint64_t state) { return state >> count_bits; }
  [[nodiscard]] static std::uint64_t pending(std::uint64_t state) { return state & max_count; }
};

/// An arrival that comes when the copies of its thread have landed.
struct CopyArrival {
  std::uint32_t thread = 0;
  std::uint64_t until = 0;  ///< copies of the thread before this number
  std::uint32_t clock = 0;  ///< of the thread, when it asked for it
};

struct Mbarrier {
  std::uint64_t phase = 0;
  std::uint32_t expected = 0, pending = 0;  ///< arrivals: of a phase, and those that the current one lacks
  std::int64_t bytes = 0;                   ///< expected and not there
  std::vector<CopyArrival> copies;          ///< of pending
  std::vector<BulkCopy> bulk;               ///< whose bytes it counts, and that have not landed
  /// What those know that have arrived, at all and until the last phase was complete.
  std::vector<std::uint32_t> joined, completed;
  MeetingKnowledge joined_of_others, completed_of_others;
};

}  // namespace evo::evaluators::virtual_device::exact
