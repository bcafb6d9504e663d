// Compiles the suites' kernels with NVRTC, for the tests that need a GPU.
#pragma once

#include <string>

#include "model/artifact.hpp"

namespace evo::test {

/// The first CUDA device's architecture ("sm_90"), or empty with a reason in `why_not`.
[[nodiscard]] std::string gpu_arch(std::string& why_not);

/// `source` compiled for `arch`; throws std::runtime_error with the compiler's log.
[[nodiscard]] model::Artifact compile_kernel(const std::string& source, const std::string& entry,
                                             const std::string& arch);

}  // namespace evo::test
