// Clocks that only decide how long a waiting thread sleeps.
//
// libcu++ waits (cuda::barrier, cuda::pipeline, cuda::latch, cuda::semaphore, atomic waits) by asking again
// and again, and after some time sleeps in between, the longer the longer it has waited: it reads
// %globaltimer. A clock tells a check from a measurement, so that a candidate may read none. Such a wait may:
// what it read can be followed, and ends in nanosleep.
#pragma once

#include <set>

#include "evaluators/gates/module_names.hpp"
#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {

/// The statements that move %globaltimer to a register, of functions in which all that such a value reaches
/// is arithmetic, nanosleep inside a loop that waits for other threads, and branches whose ways do nothing
/// but arithmetic for those and sleep until they meet again. So the clock decides no value, no address and
/// whether no other instruction runs.
[[nodiscard]] std::set<const Statement*> clocks_of_waits(const PtxModule& module, const ModuleNames& names);

}  // namespace evo::evaluators::gates
