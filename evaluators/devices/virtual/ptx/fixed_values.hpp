// Values that every thread knows without having computed them.
#pragma once

#include <vector>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// By instruction: a store whose values come from constants, the kernel's arguments and the dimensions of the
/// launch alone, such as `found = 1` or `distance[v] = level + 1`. Not from memory, not from the thread's or
/// block's place, not from other threads. Which of several such values it is may depend on anything.
[[nodiscard]] std::vector<bool> stores_of_fixed_values(const Program& program);

}  // namespace evo::evaluators::virtual_device::ptx
