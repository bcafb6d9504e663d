// How many blocks an SM holds at once, as the latency model asks.
#pragma once

#include <array>
#include <cstdint>

#include "model/occupancy.hpp"

namespace evo::evaluators::virtual_device {

using model::Occupancy;
using model::occupancy_of;

/// Product of a launch dimension triple.
[[nodiscard]] std::uint64_t count_of(const std::array<std::uint32_t, 3>& extent);

}  // namespace evo::evaluators::virtual_device
