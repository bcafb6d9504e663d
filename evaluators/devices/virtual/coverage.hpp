// Which parts of a kernel a run has not reached.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluators/devices/virtual/launch.hpp"
#include "evaluators/devices/virtual/program.hpp"
#include "model/verdict.hpp"

namespace evo::evaluators::virtual_device {

/// One evidence of kind "unexecuted" per memory access or barrier of the source (line and opcode) that ran in
/// no basic block. A copy that the compiler made of one that did run does not count: some copies are reached
/// by no launch at all. Nor does what no value within `ranges`, or no thread of `block`, leads to
/// (ptx/reachable_blocks.hpp).
/// `executed` has an entry per Program::block_starts.
[[nodiscard]] std::vector<model::Evidence> unexecuted(const Program& program,
                                                      std::span<const std::uint8_t> executed,
                                                      std::span<const ParameterRange> ranges = {},
                                                      std::optional<std::array<std::uint32_t, 3>> block = {});

}  // namespace evo::evaluators::virtual_device
