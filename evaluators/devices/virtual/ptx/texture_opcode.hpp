// The opcodes of textures and surfaces: their words come in a fixed order.
#pragma once

#include <string_view>

#include "evaluators/devices/virtual/ptx/opcode.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// Decodes tex (with .level, which is the only one that there is), suld.b and sust.b as the compiler writes
/// them for texture and surface objects. Not known: gathers, gradients, cube maps, multi-sample textures,
/// formatted stores, texture references.
[[nodiscard]] Form decode_texture_opcode(std::string_view spelling);

}  // namespace evo::evaluators::virtual_device::ptx
