// The words in which the precise level of SharedRaces remembers an access.
#pragma once

#include <cstdint>

namespace evo::evaluators::virtual_device::warp {

// Keys, from the top: block epoch 24, warp 6, warp epoch 26, lane 8 bits.
inline constexpr unsigned warp_at = 34, epoch_at = 8, block_at = 40;
inline constexpr std::uint64_t lane_bits = 0xff, warp_bits = 0x3f, epoch_bits = 0x3ffffff;
inline constexpr std::uint64_t many_lanes = 0xff;   ///< several lanes of the warp
inline constexpr std::uint64_t atomic_lane = 0xfe;  ///< an atomic
/// Some lanes that write the same value as one; and such lanes while they do, whom no single lane's order
/// helps.
inline constexpr std::uint64_t merged_lanes = 0xfd, merging_lanes = 0xfc;
inline constexpr std::uint64_t many_warps = 63;  ///< in place of the warp

}  // namespace evo::evaluators::virtual_device::warp
