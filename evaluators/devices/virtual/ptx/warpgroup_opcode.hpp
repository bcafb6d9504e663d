// wgmma.* and setmaxnreg.
#pragma once

#include <string_view>

#include "evaluators/devices/virtual/ptx/opcode.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// As decode_opcode(), of these instructions alone. Sparse wgmma and that of single bits are not known.
[[nodiscard]] Form decode_warpgroup_opcode(std::string_view spelling);

}  // namespace evo::evaluators::virtual_device::ptx
