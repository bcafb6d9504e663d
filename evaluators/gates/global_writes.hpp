// Which variables of a module its code can write: their addresses followed through the PTX.
#pragma once

#include <cstddef>
#include <vector>

#include "evaluators/gates/module_names.hpp"

namespace evo::evaluators::gates {

struct GlobalWrite {
  std::size_t variable = 0;  ///< of ModuleNames::variables()
  const Statement* at = nullptr;
  bool leaves = false;  ///< its address is stored where another launch, or the host, could find it
};

/// Addresses are followed through registers, predicates, parameters and results of functions (called by name
/// or through a register), through shared and local memory, and through the initialisers of other variables:
/// what is loaded from a table of addresses may be each of them. No path is left out, and no order is
/// assumed. What an instruction may do to its operands is told by a list of those that only read
/// (PTX ISA, chapter 9.7); each other one with an address counts as a store.
/// Not followed: an address that is put together from branches taken, or that another address overruns into.
[[nodiscard]] std::vector<GlobalWrite> global_writes(const PtxModule& module, const ModuleNames& names);

}  // namespace evo::evaluators::gates
