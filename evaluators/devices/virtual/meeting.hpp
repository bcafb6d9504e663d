// Which warp operations lanes execute together.
#pragma once

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device {

/// Whether lanes that stand at these two instructions, with equal member masks, execute one operation
/// together. PTX ISA, shfl.sync, vote.sync, match.sync, redux.sync, bar.warp.sync: a thread waits for the
/// others to execute it "with the same qualifiers and same membermask value", wherever they do; that it be
/// the same instruction, in convergence, is asked up to sm_6x only. CUDA C++ Programming Guide, "Independent
/// Thread Scheduling" of compute capability 7.x, has the two halves of a warp in the two branches of an if as
/// an example of what is valid. elect.sync and matrix operations say nothing of the kind.
[[nodiscard]] inline bool meets(const Instruction& a, const Instruction& b) {
  if (&a == &b) return true;
  switch (a.op) {
    case Opcode::bar_warp:
      return b.op == Opcode::bar_warp;
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
      return a.op == b.op && a.type == b.type && a.shuffle == b.shuffle && a.vote == b.vote &&
             a.atomic == b.atomic;
    default:
      return false;
  }
}

}  // namespace evo::evaluators::virtual_device
