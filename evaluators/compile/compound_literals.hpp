// (float2){a, b}: C's way to make a value, which nvcc takes and NVRTC does not.
#pragma once

#include <string>

namespace evo::evaluators::compile {

/// The text with each compound literal of a named type as C++ has it, float2{a, b}: the same bytes otherwise,
/// so that lines and columns stay. Comments and strings are left alone. Of types in several words (`unsigned
/// char`) there is no such form: those stay.
[[nodiscard]] std::string without_compound_literals(std::string text);

}  // namespace evo::evaluators::compile
