// Constants of a module that its kernels read and that nothing has filled.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "evaluators/gates/module_names.hpp"

namespace evo::evaluators::gates {

struct UnfilledVariable {
  std::string name;
  const Statement* at = nullptr;  ///< the first statement that names it
};

/// Variables in .const that a statement names, or an address of which a variable holds that one names; that
/// have no initialiser (one of zeros alone is none in PTX); and whose name is none of `filled`, which are
/// names as C++ has them. In their order in the module. Variables in .global may be meant to be zeros.
[[nodiscard]] std::vector<UnfilledVariable> unfilled_variables(const PtxModule& module,
                                                               const ModuleNames& names,
                                                               std::span<const std::string> filled);

}  // namespace evo::evaluators::gates
