#include "model/occupancy.hpp"

#include <algorithm>
#include <limits>

namespace evo::model {
namespace {

constexpr std::int64_t warp_size = 32;
constexpr std::int64_t register_unit = 256;  // registers, per warp
constexpr std::int64_t schedulers = 4;
constexpr std::int64_t shared_unit = 128;  // bytes

constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

Occupancy occupancy_of(const ResourceUsage& resources, const LaunchPlan& plan, const TargetProfile& target) {
  const auto threads = std::int64_t{plan.block[0]} * plan.block[1] * plan.block[2];
  const std::int64_t warps = std::max<std::int64_t>(1, round_up(threads, warp_size) / warp_size);
  std::int64_t by_registers = std::numeric_limits<std::int64_t>::max();
  if (resources.registers > 0) {
    const std::int64_t per_warp = round_up(resources.registers * warp_size, register_unit);
    const std::int64_t warps_per_scheduler = target.registers_per_sm / schedulers / per_warp;
    by_registers = warps_per_scheduler * schedulers / warps;
  }
  const std::int64_t shared = resources.static_smem_bytes + plan.dynamic_smem;
  const std::int64_t per_block = round_up(shared + target.smem_reserved_per_block, shared_unit);
  const std::int64_t by_shared =
      shared > target.smem_per_block_optin ? 0 : target.smem_per_sm / std::max<std::int64_t>(per_block, 1);
  const std::int64_t by_warps = threads > target.max_threads_per_block ? 0 : target.max_warps_per_sm / warps;
  const std::int64_t by_blocks = target.max_blocks_per_sm;

  Occupancy occupancy;
  const std::int64_t blocks = std::min({by_registers, by_shared, by_warps, by_blocks});
  occupancy.blocks_per_sm = static_cast<int>(blocks);
  occupancy.warps_per_sm = static_cast<int>(blocks * warps);
  occupancy.limiter = blocks == by_warps       ? "warps"
                      : blocks == by_registers ? "registers"
                      : blocks == by_shared    ? "shared_memory"
                                               : "blocks";
  return occupancy;
}

std::uint64_t resident_blocks(const ResourceUsage& resources, const LaunchPlan& plan,
                              const TargetProfile& target) {
  const int on_each = occupancy_of(resources, plan, target).blocks_per_sm;
  if (target.sm_count <= 0 || on_each <= 0) return 0;
  return static_cast<std::uint64_t>(on_each) * static_cast<std::uint64_t>(target.sm_count);
}

}  // namespace evo::model
