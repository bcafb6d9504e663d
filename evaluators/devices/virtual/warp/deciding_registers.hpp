// Which registers the course of a loop depends on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "evaluators/devices/virtual/warp/code.hpp"

namespace evo::evaluators::virtual_device::warp {

/// Registers whose values decide what the basic blocks marked in `ran` do beyond registers: branches,
/// addresses, what is stored, who takes part in warp operations. Nullopt if a clock is among what decides.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> deciding_registers(const Code& code,
                                                                           const std::vector<bool>& ran);

/// Index into Code::blocks.
[[nodiscard]] std::uint32_t block_of(const Code& code, std::uint32_t instruction);

}  // namespace evo::evaluators::virtual_device::warp
