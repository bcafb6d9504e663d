// The spellings of the SIMD video instructions: "vabsdiff4.u32.u32.u32.add", "vset2.s32.s32.lt".
#pragma once

#include <string_view>

#include "evaluators/devices/virtual/ptx/opcode.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// A Form that is not known where the spelling is none of these.
[[nodiscard]] Form decode_video_opcode(std::string_view spelling);

}  // namespace evo::evaluators::virtual_device::ptx
