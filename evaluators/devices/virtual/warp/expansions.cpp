#include "evaluators/devices/virtual/warp/expansions.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

// What ptxas of CUDA 13.0 makes for sm_89, -O3, counted in the way that nearly all values take
// (docs/results/2026-11-25-model-v2.md has the program). The first instruction of each is counted by its own
// pipe already.
Expansion division(const Instruction& i) {
  switch (i.type) {
    case Type::f32:
      if (i.full_range) return {.fp32 = 5, .special = 1};
      if (i.approx) return {.fp32 = 1, .special = 1};
      return {.fp32 = 5, .integer = 2, .special = 1};
    case Type::f64:
      return {.fp32 = 3, .fp64 = 7, .integer = 5, .special = 1};
    case Type::u64:
    case Type::s64:
      return {.integer = 80, .conversion = 2, .special = 1};
    default:
      return {.integer = 14, .conversion = 2, .special = 1};
  }
}

/// A reciprocal or root that is rounded correct begins with the approximation and improves it.
Expansion improved(const Instruction& i) {
  if (i.type == Type::f64) return {.fp64 = 6, .integer = 8};
  if (i.approx) return {.fp32 = i.ftz ? 0U : 3U};
  return {.fp32 = 4, .integer = 3};
}

}  // namespace

Expansion expansion_of(const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::div:
    case Opcode::rem:
      return division(instruction);
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::rsqrt:
      return improved(instruction);
    default:
      return {};
  }
}

}  // namespace evo::evaluators::virtual_device::warp
