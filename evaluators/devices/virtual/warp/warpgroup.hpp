// Operands of wgmma steps, and the step.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/devices/virtual/semantics/warpgroup_multiply.hpp"

namespace evo::evaluators::virtual_device::warp {

struct Warp;
struct Op;

/// Byte offsets of the slots of a wgmma's registers, and their poison masks.
struct WarpgroupStep {
  std::vector<std::uint32_t> d, d_poison;
  std::uint32_t a[semantics::tiles_of_a] = {};  ///< if A is in registers
  semantics::WarpgroupMultiply multiply;
};

/// a, b the descriptors, c whether to add, extra the index into Code::warpgroups. For unchecked runs: the
/// exact machine checks programs that have them. The four warps multiply when all have come; sums are there
/// at once, which nobody may look at before it has waited.
const Op* wgmma_step(Warp& warp, const Op* op);

}  // namespace evo::evaluators::virtual_device::warp
