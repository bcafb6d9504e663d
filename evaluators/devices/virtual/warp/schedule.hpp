// Which fragment, warp and block runs next.
#pragma once

#include <bit>
#include <cstdint>

#include "evaluators/devices/virtual/warp/state.hpp"

namespace evo::evaluators::virtual_device::warp {

/// Takes the runnable fragment with the lowest step into warp.mask. Null when all wait or have exited.
const Op* next_fragment(Warp& warp);
/// The same for a warp whose last turn ended with a poll: lanes that poll in one place must not keep those in
/// another from going on, so all places get a burst in turn, from the lowest.
const Op* next_after_poll(Warp& warp);

/// A guard that depends on what nothing wrote.
inline void check_guard(Warp& warp, const Op* op) {
  const std::uint32_t poisoned = warp.poison[op->pa] & warp.mask;
  if (poisoned != 0) [[unlikely]] {
    suspect(warp, op, SuspicionKind::uninitialized, static_cast<std::uint32_t>(std::countr_zero(poisoned)));
  }
}

/// Runs a block on, to its end or until a fault stops it (true); or until its warps do nothing but poll, or
/// for some rounds (false): others may run, and whether it comes on at all may be looked at. Everything it
/// found is in block.findings.
[[nodiscard]] bool run_block(BlockState& block);

/// Ends the block as one that hangs.
void stop_for_hang(BlockState& block);

}  // namespace evo::evaluators::virtual_device::warp
