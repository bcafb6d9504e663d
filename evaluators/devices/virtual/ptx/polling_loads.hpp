// Loads that wait for other threads.
#pragma once

#include <vector>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// By instruction: a load or atomic inside a loop whose value decides, by way of registers, whether that loop
/// goes on.
[[nodiscard]] std::vector<bool> polling_loads(const Program& program);

}  // namespace evo::evaluators::virtual_device::ptx
