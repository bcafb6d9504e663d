// What loops say about waiting: which end, and what decides it.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// By basic block (index into Program::block_starts): no path leads from it to the end of a thread, so that a
/// thread that enters it never ends, whatever the values.
[[nodiscard]] std::vector<bool> endless_blocks(const Program& program);

}  // namespace evo::evaluators::virtual_device::ptx
