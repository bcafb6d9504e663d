// How many blocks an SM holds at once.
#pragma once

#include <cstdint>
#include <string>

#include "model/artifact.hpp"
#include "model/target.hpp"
#include "model/variant.hpp"

namespace evo::model {

struct Occupancy {
  int blocks_per_sm = 0;  ///< 0: the block does not fit
  int warps_per_sm = 0;
  /// What holds it there: "registers", "shared_memory", "warps" or "blocks".
  std::string limiter;
};

/// After the CUDA occupancy calculator: registers are handed out in units of 256 a warp, warps four at a time
/// (one per scheduler), shared memory in units of 128 bytes.
[[nodiscard]] Occupancy occupancy_of(const ResourceUsage& resources, const LaunchPlan& plan,
                                     const TargetProfile& target);

/// Blocks that are at work at a time on all of the target's SMs; 0: a target that does not say, or a block
/// that does not fit.
[[nodiscard]] std::uint64_t resident_blocks(const ResourceUsage& resources, const LaunchPlan& plan,
                                            const TargetProfile& target);

}  // namespace evo::model
