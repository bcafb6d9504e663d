// Registers that may be read before anything has written them: variables without an initial value. PTX says
// nothing of what such a register holds (a real one holds what its last user left).
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::ptx {

struct EntryLive {
  std::uint32_t reg = 0;
  /// The instructions that may be the first to meet the register, in code order. A guarded write is no sure
  /// one, so that reads behind it are among them.
  std::vector<std::uint32_t> reads;
};

/// By register. Empty for most programs, and then it costs what live_intervals() does.
[[nodiscard]] std::vector<EntryLive> live_at_entry(const Program& program);

}  // namespace evo::evaluators::virtual_device::ptx
