// Which variables of a module a launch may write if it puts them back.
#pragma once

#include <vector>

#include "model/artifact.hpp"

namespace evo::evaluators::gates {

/// Variables that the code may write and whose address stays within the launch (global_writes.hpp). Devices
/// hold each launch to leaving them as it found them, so that none can know of another; check_module()
/// refuses what is not among them. A variable that the host can see (.managed) and constant memory are none.
[[nodiscard]] std::vector<model::KeptVariable> kept_variables(const model::Artifact& artifact);

}  // namespace evo::evaluators::gates
