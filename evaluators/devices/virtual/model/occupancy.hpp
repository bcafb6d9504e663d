// How many blocks an SM holds at once.
#pragma once

#include <string>

#include "model/artifact.hpp"
#include "model/target.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::virtual_device {

struct Occupancy {
  int blocks_per_sm = 0;  ///< 0: the block does not fit
  int warps_per_sm = 0;
  /// What holds it there: "registers", "shared_memory", "warps" or "blocks".
  std::string limiter;
};

/// After the CUDA occupancy calculator: registers are handed out in units of 256 a warp, warps four at a time
/// (one per scheduler), shared memory in units of 128 bytes.
[[nodiscard]] Occupancy occupancy_of(const model::ResourceUsage& resources, const model::LaunchPlan& plan,
                                     const model::TargetProfile& target);

/// Product of a launch dimension triple.
[[nodiscard]] std::uint64_t count_of(const std::array<std::uint32_t, 3>& extent);

}  // namespace evo::evaluators::virtual_device
