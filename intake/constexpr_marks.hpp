// constexpr functions without __device__, which nvcc takes in device code (--expt-relaxed-constexpr) and
// NVRTC does not.
#pragma once

#include <string>

namespace evo::intake {

/// The text with "__host__ __device__" in front of each constexpr function that says neither; its lines stay.
[[nodiscard]] std::string with_constexpr_marked(const std::string& source);

}  // namespace evo::intake
