#include "evaluators/devices/virtual/special_value.hpp"

#include "evaluators/devices/virtual/memory_map.hpp"

namespace evo::evaluators::virtual_device {

std::array<std::uint32_t, 3> block_id(const Launch& launch, std::uint64_t block) {
  return {static_cast<std::uint32_t>(block % launch.grid[0]),
          static_cast<std::uint32_t>(block / launch.grid[0] % launch.grid[1]),
          static_cast<std::uint32_t>(block / launch.grid[0] / launch.grid[1])};
}

std::uint64_t special_value(SpecialRegister special, const Launch& launch,
                            const std::array<std::uint32_t, 3>& block, std::uint32_t thread) {
  const auto& b = launch.block;
  const auto& g = launch.grid;
  const std::uint32_t lane = thread % 32;
  switch (special) {
    case SpecialRegister::tid_x:
      return thread % b[0];
    case SpecialRegister::tid_y:
      return thread / b[0] % b[1];
    case SpecialRegister::tid_z:
      return thread / b[0] / b[1];
    case SpecialRegister::ntid_x:
      return b[0];
    case SpecialRegister::ntid_y:
      return b[1];
    case SpecialRegister::ntid_z:
      return b[2];
    case SpecialRegister::ctaid_x:
      return block[0];
    case SpecialRegister::ctaid_y:
      return block[1];
    case SpecialRegister::ctaid_z:
      return block[2];
    case SpecialRegister::nctaid_x:
      return g[0];
    case SpecialRegister::nctaid_y:
      return g[1];
    case SpecialRegister::nctaid_z:
      return g[2];
    case SpecialRegister::laneid:
      return lane;
    case SpecialRegister::warpid:
      return thread / 32;
    case SpecialRegister::nwarpid:
      return (launch.threads_per_block() + 31) / 32;
    case SpecialRegister::nsmid:
      return 1;
    case SpecialRegister::lanemask_eq:
      return 1U << lane;
    case SpecialRegister::lanemask_le:
      return 0xffffffffU >> (31 - lane);
    case SpecialRegister::lanemask_lt:
      return (1U << lane) - 1;
    case SpecialRegister::lanemask_ge:
      return 0xffffffffU << lane;
    case SpecialRegister::lanemask_gt:
      return 0xfffffffeU << lane;
    case SpecialRegister::dynamic_smem_size:
      return launch.dynamic_smem;
    case SpecialRegister::total_smem_size:
      return launch.shared_bytes();
    case SpecialRegister::envreg1:
      return launch.cooperative ? grid_workspace_base >> 32 : 0;
    case SpecialRegister::envreg2:
      return launch.cooperative ? grid_workspace_base & 0xffffffffU : 0;
    default:
      return 0;  // smid, gridid; clocks are refreshed when read
  }
}

}  // namespace evo::evaluators::virtual_device
