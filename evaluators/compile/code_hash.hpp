// The identity of a kernel's machine code.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evo::evaluators::compile {

/// SHA-256 over what a launch of `entry` can depend on in a cubin: its code and the functions it refers to,
/// the constant banks, initialised and uninitialised globals, the size of static shared memory, register
/// count and the attributes of .nv.info. Not over line tables, debug and note sections, file names, symbol
/// names and indices, and not over other kernels of the module; so sources that differ in comments or line
/// numbers only are equal. nullopt if the bytes are no cubin or `entry` is not in it.
[[nodiscard]] std::optional<std::string> code_hash(std::string_view cubin, std::string_view entry);

}  // namespace evo::evaluators::compile
