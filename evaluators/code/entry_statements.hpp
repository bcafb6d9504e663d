// What one kernel of a module consists of.
#pragma once

#include <string_view>
#include <vector>

#include "evaluators/code/ptx_statements.hpp"

namespace evo::evaluators::code {

/// The statements in the body of the kernel `entry`, directives and labels among them; those of functions
/// that it calls are not. Empty if the module has no such kernel. They point into the module.
[[nodiscard]] std::vector<const Statement*> statements_of_entry(const PtxModule& module,
                                                                std::string_view entry);

}  // namespace evo::evaluators::code
