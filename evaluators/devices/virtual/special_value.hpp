// What special registers hold, in both machines.
#pragma once

#include <array>
#include <cstdint>

#include "evaluators/devices/virtual/launch.hpp"
#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device {

/// ctaid of a block by its linear number.
[[nodiscard]] std::array<std::uint32_t, 3> block_id(const Launch& launch, std::uint64_t block);

/// Of the thread with this linear number in the block with this ctaid. 0 for what differs from run to run
/// (smid, gridid) and for clocks, which a machine sets when they are read.
[[nodiscard]] std::uint64_t special_value(SpecialRegister special, const Launch& launch,
                                          const std::array<std::uint32_t, 3>& block, std::uint32_t thread);

/// False for what all threads of a warp read alike.
[[nodiscard]] constexpr bool differs_by_lane(SpecialRegister special) {
  using enum SpecialRegister;
  return special <= tid_z || special == laneid || (special >= lanemask_eq && special <= lanemask_gt);
}

}  // namespace evo::evaluators::virtual_device
