// How long a launch may take on the virtual device.
#pragma once

#include <cstdint>

#include "model/experiment.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

/// Thread instructions before a launch of this case is told to hang: hundreds for each operation and byte of
/// the work model, thousands for each thread, and as many as some seconds of the machine's time in any case;
/// at most what the settings allow. So that a loop that never ends on a small shape ends soon.
[[nodiscard]] std::uint64_t launch_budget(const model::GateSettings& settings, const model::Case& bound);

/// Of a stretched shape, which no kernel has asked for: a few times what a plain kernel of the problem takes.
/// One that takes more (its work grows faster than the work model's) is not held to be hung: it is left out.
[[nodiscard]] std::uint64_t stretched_budget(const model::GateSettings& settings, const model::Case& bound);

}  // namespace evo::evaluators::gates
