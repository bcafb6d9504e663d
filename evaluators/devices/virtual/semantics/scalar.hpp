// Any arithmetic instruction on one thread's values, as raw bits: what the exact machine runs, and what the
// warp machine falls back to for the rare ones.
#pragma once

#include <cstdint>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::semantics {

/// Index of the carry-in (0 or 1) among the sources of addc, subc and madc.
constexpr unsigned carry_source = 5;

struct ScalarResult {
  std::uint64_t value = 0;  ///< the destination's bits, zero-extended (predicates: 0 or 1)
  bool flag = false;        ///< setp: the second destination; add.cc and the like: the carry out
};

/// `sources` holds src[0..5] as raw bits (predicates 0 or 1, already negated if the operand is; upper bits of
/// narrow registers may be anything). setp and set apply their bool_op to sources[2].
using ScalarFunction = ScalarResult (*)(const Instruction& instruction, const std::uint64_t* sources);

/// Resolve once per instruction. Null for what is no arithmetic (memory, control, warp operations, pack and
/// unpack, cvta, isspacep) and for combinations that the machine does not know: both then execute as
/// `unsupported`.
[[nodiscard]] ScalarFunction scalar_function(const Instruction& instruction);

}  // namespace evo::evaluators::virtual_device::semantics
