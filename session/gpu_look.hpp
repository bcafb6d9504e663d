// What NVML says of a GPU while something is timed on it.
#pragma once

#include <string>

#include "session/gpu_state.hpp"

namespace evo::session {

/// Looks at the GPU of that UUID; empty without NVML.
[[nodiscard]] GpuWatch::Look nvml_look(const std::string& uuid);

}  // namespace evo::session
