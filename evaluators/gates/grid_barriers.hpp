// Barriers of the whole grid, as cooperative groups make them.
//
// grid.sync() reads from %envreg1 and %envreg2 where the driver keeps a word for the launch, adds to it, and
// waits until its top bit has changed. The word outlives the launch, and where it lies differs from launch to
// launch: a candidate may do with it what grid.sync() does, and nothing else.
#pragma once

#include <set>
#include <string_view>

#include "evaluators/gates/module_names.hpp"
#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {

/// %envreg1, %envreg2.
[[nodiscard]] bool tells_grid_workspace(std::string_view special_register);

/// The statements that move these two registers, of functions in which what they make is put together to one
/// address, compared with 0, and used to add to and to read the word behind it; and in which what is read
/// there decides nothing but how often it is read again.
[[nodiscard]] std::set<const Statement*> reads_of_grid_barriers(const PtxModule& module,
                                                                const ModuleNames& names);

}  // namespace evo::evaluators::gates
