// The read in front of a loop of compare-and-swaps, which may be plain.
//
// The CUDA C++ Programming Guide builds atomic functions so (atomicAdd() of doubles): a plain read of the old
// value, then atomicCAS(p, assumed, f(assumed)) until it finds what was assumed. By the letter of the PTX
// memory model that read races with the others' swaps. But whatever it gives, a swap that succeeds has found
// that very value, so that the result is f of what was there; and one that fails brings the value for the
// next try. So such a read counts as a relaxed one.
#pragma once

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// Gives each such load of `program` the scope of the GPU. One whose value goes anywhere else (to a branch,
/// an address, a store, another swap, a compare operand that is no copy of it) stays what it is.
void mark_first_reads(Program& program);

}  // namespace evo::evaluators::virtual_device::ptx
