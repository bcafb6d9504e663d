// The lanes that a warp operation names, and waiting for them.
#pragma once

#include <cstdint>

#include "evaluators/devices/virtual/warp/state.hpp"

namespace evo::evaluators::virtual_device::warp {

/// Union of the member masks (source `which`) of the running lanes. A lane that its own mask leaves
/// out is a suspicion, and so are lanes that name one another with different masks.
[[nodiscard]] std::uint32_t members_of(Warp& warp, const Op* op, const Wide& wide, unsigned which);

/// The lanes that every one of `of` names in its member mask.
[[nodiscard]] std::uint32_t common_members(const Warp& warp, std::uint32_t of, const Wide& wide,
                                           unsigned which);

/// Suspicion when the members include lanes that are not here and may have gone past, or any that is gone
/// where the operation needs all.
void check_members(Warp& warp, const Op* op, std::uint32_t members);

/// Joins the lanes that wait at this step; true when all members are here (or the step was forced to go on
/// without them). Otherwise the running lanes were parked.
[[nodiscard]] bool assemble(Warp& warp, const Op* op, std::uint32_t members);

/// The members that are not here wait at other steps, in the same operation: executes it for all of them,
/// each with the operands of its own step, and returns the step behind `op`. Null if that is not so.
[[nodiscard]] const Op* meet_elsewhere(Warp& warp, const Op* op, std::uint32_t members);

}  // namespace evo::evaluators::virtual_device::warp
