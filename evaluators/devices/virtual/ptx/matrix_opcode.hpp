// The opcodes of matrix instructions: their words come in a fixed order and some of them twice, unlike the
// modifiers of the others.
#pragma once

#include <string_view>

#include "evaluators/devices/virtual/ptx/opcode.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// Decodes ldmatrix, stmatrix, movmatrix, mma.sync and wmma. Not known: any other opcode, and the shapes and
/// types that the machine does not have (f64, 4 bits and fewer, 8-bit floats, sparse, Volta's m8n8k4).
[[nodiscard]] Form decode_matrix_opcode(std::string_view spelling);

}  // namespace evo::evaluators::virtual_device::ptx
