// What a candidate's module may hold besides its kernel: read from the PTX, before anything of it runs.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "evaluators/gates/evidence.hpp"
#include "model/artifact.hpp"

namespace evo::evaluators::gates {

/// Refuses (status illegal) what would let a launch know of another launch, or of being measured:
///   mutable_global     a variable of the module that the code can write, or whose address it gives away
///                      (global_writes.hpp), unless it is in Artifact::kept: each launch has to leave those
///                      as it found them
///   device_heap        malloc, free, new, delete
///   device_output      printf
///   external_function  any other function that the module does not define (__assertfail is allowed)
///   extra_entry        a kernel besides those that are launched, which their code names (what nobody reaches
///   is
///                      no part of the PTX: code/reached_code.hpp)
///   unfilled_constant  a __constant__ variable that the code reads, without an initialiser, and that the
///   problem
///                      does not fill: it holds zeros (unfilled_variables.hpp)
///   machine_state      special registers that the launch does not fix: clocks, timers, numbers of the
///   launch,
///                      SM or warp slot, and each that is not known (special_registers.hpp)
///   dependent_launch   griddepcontrol: what follows must not start before a candidate has finished
///   cache_policy       policies of the L2 that may outlive the flush before a sample (cache_policies.hpp)
///   unreadable_ptx     PTX that this does not read, so that nobody would have looked at it
///   undeclared_global  writable storage of the cubin that the PTX was not seen to declare
/// `filled`: variables that hold an argument, as C++ names them. All that is found is evidence, with the
/// source line where the PTX tells it; the reason is the first that occurs, in an order by weight. A table
/// that is only read, a string and __constant__ data pass.
[[nodiscard]] std::optional<model::Failure> check_module(const model::Artifact& artifact,
                                                         std::span<const std::string> filled = {});

}  // namespace evo::evaluators::gates
