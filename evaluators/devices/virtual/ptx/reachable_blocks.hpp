// What of a program its arguments can lead to at all, as far as ranges of integers tell.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluators/devices/virtual/launch.hpp"
#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// By instruction: false where no launch gets to its basic block while the parameters keep to `ranges` and,
/// if it is given, all launches have this block. Follows integers as intervals through the program, with one
/// interval a register, and takes a branch both ways where its condition is not decided by them: what it
/// calls out of reach is so, what it does not may still be (sparse conditional constant propagation, Wegman
/// and Zadeck 1991, over intervals). Memory, floats and what other lanes give can be anything.
[[nodiscard]] std::vector<bool> reachable_code(const Program& program, std::span<const ParameterRange> ranges,
                                               std::optional<std::array<std::uint32_t, 3>> block = {});

}  // namespace evo::evaluators::virtual_device::ptx
