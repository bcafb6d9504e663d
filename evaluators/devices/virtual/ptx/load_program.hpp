// The front end of the PTX machine: PTX text, as NVRTC and nvcc emit it, to a Program.
#pragma once

#include <string_view>

#include <tl/expected.hpp>

#include "evaluators/devices/virtual/program.hpp"
#include "model/verdict.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// Parses a module and lowers the kernel `entry`; calls are inlined. Takes time linear in the text.
///
/// What the machine does not know (an opcode, a modifier, a recursion that goes deeper than it was followed)
/// becomes an Opcode::unsupported instruction in its place: only executing it matters. Failures, all
/// Status::unsupported with one Evidence of kind "ptx" whose message names the PTX line: "ptx_parse" (broken
/// text), "ptx_entry" (no such kernel), "ptx_size" (inlining would exceed the limits of instructions or local
/// memory).
[[nodiscard]] tl::expected<Program, model::Failure> load_program(std::string_view ptx,
                                                                 std::string_view entry);

}  // namespace evo::evaluators::virtual_device::ptx
