// Which kernels wait for their whole grid.
#pragma once

#include <string>

namespace evo::evaluators::code {

/// Does `entry`, or a function that it reaches, read %envreg1 or %envreg2, as grid.sync() of cooperative
/// groups does? Its launch has to be a cooperative one, which gives them a meaning and has all blocks there
/// at a time.
[[nodiscard]] bool waits_for_grid(const std::string& ptx, const std::string& entry);

}  // namespace evo::evaluators::code
