// Headers in memory: the prelude that every candidate gets, and the standard headers that NVRTC lacks.
#pragma once

#include <map>
#include <string>

namespace evo::evaluators::compile {

/// Name under which the prelude is pre-included.
inline constexpr const char* prelude_name = "evo_prelude.h";

/// For references, where float and double meet once EVO_REAL is one of them: pow(double, float) and the like,
/// which nvcc takes with --expt-relaxed-constexpr alone.
inline constexpr const char* mixed_math_name = "evo_mixed_math.h";

/// Name -> text; the prelude among them. The same for every NVRTC, so they are part of cache keys.
[[nodiscard]] const std::map<std::string, std::string>& virtual_headers();

}  // namespace evo::evaluators::compile
