// What a cubin says of the storage that outlives a launch, beside what the PTX declares.
#pragma once

#include <string>
#include <vector>

#include "evaluators/gates/module_names.hpp"

namespace evo::evaluators::gates {

/// Writable sections of the cubin hold nothing but the variables that the PTX scan has found: each byte of
/// .nv.global and .nv.global.init belongs to a symbol of a known name, and no other section is writable
/// (shared and local memory aside). One message for each that is not so. Empty for what is no ELF file.
[[nodiscard]] std::vector<std::string> undeclared_storage(const std::string& cubin, const ModuleNames& names);

}  // namespace evo::evaluators::gates
