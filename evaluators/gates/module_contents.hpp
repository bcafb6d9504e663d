// What a candidate's module may hold besides its kernel: read from the PTX, before anything of it runs.
#pragma once

#include <optional>

#include "evaluators/gates/evidence.hpp"
#include "model/artifact.hpp"

namespace evo::evaluators::gates {

/// Refuses (status illegal) what would let a launch know of another launch, or of being measured:
///   mutable_global     a __device__ variable that the code can write, or whose address leaves the kernel
///   device_heap        malloc, free, new, delete
///   device_output      printf
///   external_function  any other function that the module does not define (__assertfail is allowed)
///   extra_entry        a kernel besides the declared one
///   machine_state      clocks, timers, and numbers of the launch, SM or warp slot
///   dependent_launch   griddepcontrol: what follows must not start before a candidate has finished
///   cache_policy       lines that are to stay in the L2 (evict_last) and would outlive the flush before a
///   sample
/// All that is found is evidence, with the source line where the PTX tells it; the reason is the first of the
/// list above that occurs. A table that is only read, a string and __constant__ data pass. Whether a variable
/// is written is decided by following its address through the registers of the PTX, so that what this cannot
/// follow (an address that is stored or passed to a function of the module) counts as written.
[[nodiscard]] std::optional<model::Failure> check_module(const model::Artifact& artifact);

}  // namespace evo::evaluators::gates
