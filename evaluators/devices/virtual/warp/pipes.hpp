// Instruction counts by pipe, from how often each basic block ran.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/devices/device.hpp"
#include "evaluators/devices/virtual/warp/code.hpp"
#include "evaluators/devices/virtual/warp/counts.hpp"

namespace evo::evaluators::virtual_device::warp {

/// `entries`: warps that entered each of code.blocks. Fills the instruction counts of `counts`.
void count_pipes(const Code& code, const std::vector<std::uint64_t>& entries, devices::LaunchCounts& counts);
/// Warp instructions and memory traffic by source line; LaunchReport::lines. `traffic`: of each instruction
/// of the program, in all blocks.
[[nodiscard]] std::vector<model::LineCount> count_lines(const Code& code,
                                                        const std::vector<std::uint64_t>& entries,
                                                        const std::vector<Traffic>& traffic);

/// Does this processor run the AVX2 steps?
[[nodiscard]] bool have_wide_vectors();

}  // namespace evo::evaluators::virtual_device::warp
