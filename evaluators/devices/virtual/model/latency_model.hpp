// Latency of a launch from what the PTX machine counted: "virtual model v2".
//
//   pipes    = the busiest unit of the busiest SM: its share of the counts / the unit's rate
//   stalls   = the dependent path of a warp in each round of blocks, and what the busiest warp has more
//   SM time  = (pipes^p + stalls^p)^(1/p), p = 2        they overlap, but not perfectly
//   latency  = max(SM time, L2 traffic / L2 rate, DRAM traffic / DRAM rate) + launch
//
// Rates of units are published ones; the constants of Fitted and StallCycles are fitted to 992 variants of
// three attention kernels and 44 of three examples on H100s (docs/results/2026-11-25-model-v2.md, which also
// says how well it ranks kernels that it was not fitted to). It orders variants; it does not tell near-equal
// ones apart. PTX is not machine code: ptxas unrolls, fuses and schedules, and the model does not see it.
//
// Monotone by construction: more of any count, a spill or fewer resident warps never make it smaller.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "evaluators/devices/device.hpp"
#include "evaluators/devices/virtual/model/occupancy.hpp"

namespace evo::evaluators::virtual_device {

inline constexpr const char* latency_model_name = "virtual model v2";

struct ModelledLatency {
  double microseconds = 0;  ///< infinite if a block does not fit on an SM
  std::string method = latency_model_name;
  /// What bounds it: "launch", "latency", "l2", "dram", "does_not_fit" or the name of a pipe ("issue",
  /// "fp32", "fp64", "fp16", "integer", "conversion", "special", "tensor", "load_store", "l2_port").
  std::string bottleneck;
  Occupancy occupancy;
  double waves = 0;  ///< rounds of co-resident blocks that the busiest SM runs
  /// The parts, in microseconds, by the names above: features for a fitted model, and an explanation.
  std::vector<std::pair<std::string, double>> parts;
};

/// `counts` are of the whole launch of `plan`. A pure function.
[[nodiscard]] ModelledLatency model_latency(const devices::LaunchCounts& counts,
                                            const model::ResourceUsage& resources,
                                            const model::LaunchPlan& plan,
                                            const model::TargetProfile& target);

}  // namespace evo::evaluators::virtual_device
