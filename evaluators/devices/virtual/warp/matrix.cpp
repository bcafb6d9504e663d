// Matrix steps without memory: multiplications and movmatrix.
#include "evaluators/devices/virtual/warp/matrix.hpp"

#include <cstring>

#include "evaluators/devices/virtual/warp/handlers.hpp"
#include "evaluators/devices/virtual/warp/lanes.hpp"
#include "evaluators/devices/virtual/warp/schedule.hpp"
#include "evaluators/devices/virtual/warp/warp_group.hpp"

namespace evo::evaluators::virtual_device::warp {

using namespace EVO_ISA;

namespace {

using semantics::max_fragment;
using Marks = std::array<std::uint32_t, max_fragment>;

/// The poison of a fragment's lanes.
Marks marks_of(const Warp& warp, const FragmentSlots& fragment, std::uint32_t& any) {
  Marks marks{};
  for (unsigned k = 0; k < fragment.count; ++k) {
    marks[k] = warp.poison[fragment.poison[k]];
    any |= marks[k];
  }
  return marks;
}

void spread_poison(Warp& warp, const Op* op, const MatrixStep& step) {
  std::uint32_t any = 0;
  const Marks a = marks_of(warp, step.a, any);
  const Marks b = marks_of(warp, step.b, any);
  const Marks c = marks_of(warp, step.c, any);
  Marks d{};
  if (any != 0) [[unlikely]]
    semantics::spread_marks(warp.block->code->program->code[op->instruction], a, b, c, d);
  for (unsigned k = 0; k < step.d.count; ++k) set_poison(warp, step.d.poison[k], d[k]);
}

}  // namespace

const Op* multiply_step(Warp& warp, const Op* op) {
  if (!assemble(warp, op, all_lanes)) return next_fragment(warp);
  const Code& code = *warp.block->code;
  const MatrixStep& step = code.matrix[op->extra];
  semantics::MatrixOperands operands;
  for (unsigned k = 0; k < step.a.count; ++k) operands.a[k] = warp.registers + step.a.slot[k];
  for (unsigned k = 0; k < step.b.count; ++k) operands.b[k] = warp.registers + step.b.slot[k];
  for (unsigned k = 0; k < step.c.count; ++k) operands.c[k] = warp.registers + step.c.slot[k];
  for (unsigned k = 0; k < step.d.count; ++k) operands.d[k] = warp.registers + step.d.slot[k];
  const Instruction& instruction = code.program->code[op->instruction];
  if (warp.mask == all_lanes) [[likely]] {
    step.multiply(instruction, operands);
  } else {
    alignas(64) std::byte staged[max_fragment][slot_size];
    for (unsigned k = 0; k < step.d.count; ++k) operands.d[k] = staged[k];
    step.multiply(instruction, operands);
    for (unsigned k = 0; k < step.d.count; ++k)
      blend<4>(warp.registers + step.d.slot[k], staged[k], warp.mask);
  }
  if (code.checked) spread_poison(warp, op, step);
  return op + 1;
}

/// d = a transposed: element (row, column) of the 8 x 8 halves comes from (column, row).
const Op* movmatrix_step(Warp& warp, const Op* op) {
  if (!assemble(warp, op, all_lanes)) return next_fragment(warp);
  const MatrixStep& step = warp.block->code->matrix[op->extra];
  std::uint16_t in[64];
  std::uint16_t out[64];
  std::memcpy(in, warp.registers + step.a.slot[0], sizeof in);
  const std::uint32_t poison = warp.poison[step.a.poison[0]];
  std::uint32_t poisoned = 0;
  for (unsigned row = 0; row < 8; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      out[row * 8 + column] = in[column * 8 + row];
      poisoned |= (poison >> (column * 4 + row / 2) & 1U) << (row * 4 + column / 2);
    }
  }
  alignas(64) std::byte slot[slot_size];
  std::memcpy(slot, out, sizeof slot);
  blend<4>(warp.registers + step.d.slot[0], slot, warp.mask);
  set_poison(warp, step.d.poison[0], poisoned);
  return op + 1;
}

}  // namespace evo::evaluators::virtual_device::warp
