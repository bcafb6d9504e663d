// The lanes that a warp operation names, and waiting for them.
#pragma once

#include <cstdint>

#include "evaluators/devices/virtual/warp/state.hpp"

namespace evo::evaluators::virtual_device::warp {

/// Union of the member masks (in the slot at `offset`) of the running lanes. A lane that its own mask leaves
/// out is a suspicion.
[[nodiscard]] std::uint32_t members_of(Warp& warp, const Op* op, std::uint32_t offset);

/// Suspicion when the members include lanes that do not exist any more, or are not here.
void check_members(Warp& warp, const Op* op, std::uint32_t members);

/// Joins the lanes that wait at this step; true when all members are here (or the step was forced to go on
/// without them). Otherwise the running lanes were parked.
[[nodiscard]] bool assemble(Warp& warp, const Op* op, std::uint32_t members);

}  // namespace evo::evaluators::virtual_device::warp
