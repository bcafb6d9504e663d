// Matrix operations of a whole warp: who takes part, and the arithmetic.
#include <bit>

#include <fmt/format.h>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/matrix_registers.hpp"

namespace evo::evaluators::virtual_device::exact {

void Block::matrix_operation(std::uint32_t warp, std::uint32_t lanes, const Step& step) {
  if (lanes_in(warp) != all_lanes) {
    const Thread& first = lane_of(warp, static_cast<std::uint32_t>(std::countr_zero(lanes)));
    report_mask(
        first,
        fmt::format("Matrix operation of an incomplete warp: {} executes {}, but its warp has {} threads "
                    "where all 32 have to take part",
                    place_text(launch_, site(first)), line_text(*code_.program, first.pc),
                    std::popcount(lanes_in(warp))));
  }
  switch (step.instruction->op) {
    case Opcode::ldmatrix:
      return load_rows(warp, lanes, step);
    case Opcode::stmatrix:
      return store_rows(warp, lanes, step);
    case Opcode::movmatrix:
      return move_matrix(warp, lanes, step);
    case Opcode::wmma_load:
      return load_fragment(warp, lanes, step);
    case Opcode::wmma_store:
      return store_fragment(warp, lanes, step);
    default:
      return multiply(warp, lanes, step);
  }
}

void Block::set_register(Thread& thread, std::uint32_t slot, std::uint32_t value, std::uint32_t poison) {
  thread.frame[slot] = value;
  if (thread.depends != nullptr) thread.depends[slot] = 0;
  thread.tainted |= poison != 0;
  if (!thread.tainted) return;
  thread.poison[slot] = poison;
  thread.undefined[slot] = all_undefined;
}

void Block::multiply(std::uint32_t warp, std::uint32_t lanes, const Step& step) {
  const MatrixStep& matrix = code_.matrix[step.matrix];
  Fragment a, b, c, d;
  const auto read = [&](Fragment& fragment, const auto& slots, unsigned count) {
    fragment.count = count;
    for_each_lane(lanes, [&](std::uint32_t lane) {
      const Thread& thread = lane_of(warp, lane);
      for (unsigned k = 0; k < count; ++k) {
        fragment.values[k][lane] = static_cast<std::uint32_t>(thread.frame[slots[k]]);
        fragment.poison[k][lane] = thread.tainted ? thread.poison[slots[k]] : 0;
      }
    });
  };
  read(a, matrix.a, matrix.of_a);
  read(b, matrix.b, matrix.of_b);
  read(c, matrix.c, matrix.of_c);
  semantics::MatrixOperands operands;
  for (unsigned k = 0; k < semantics::max_fragment; ++k) {
    operands.a[k] = a.bytes(k);
    operands.b[k] = b.bytes(k);
    operands.c[k] = c.bytes(k);
    operands.d[k] = d.bytes(k);
  }
  matrix.multiply(*step.instruction, operands);
  std::array<std::uint32_t, semantics::max_fragment> marks{};
  const bool marked = a.any_poison() || b.any_poison() || c.any_poison();
  if (marked) semantics::spread_marks(*step.instruction, a.marks(), b.marks(), c.marks(), marks);
  for_each_lane(lanes, [&](std::uint32_t lane) {
    for (unsigned k = 0; k < matrix.of_d; ++k) {
      std::uint32_t poison = 0;
      if ((marks[k] >> lane & 1) != 0) {
        // Its own addend, something in its row, or else something in its column.
        poison = c.poison_at(lane, 1);
        if (poison == 0) poison = a.poison_at(lane & ~3U, 4);
        if (poison == 0) poison = b.poison_at(0, 32);
        if (poison == 0) poison = a.poison_at(0, 32);
      }
      set_register(lane_of(warp, lane), matrix.d[k], d.values[k][lane], poison);
    }
  });
}

void Block::move_matrix(std::uint32_t warp, std::uint32_t lanes, const Step& step) {
  const MatrixStep& matrix = code_.matrix[step.matrix];
  Fragment a;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    const Thread& thread = lane_of(warp, lane);
    a.values[0][lane] = static_cast<std::uint32_t>(thread.frame[matrix.a[0]]);
    a.poison[0][lane] = thread.tainted ? thread.poison[matrix.a[0]] : 0;
  });
  for_each_lane(lanes, [&](std::uint32_t lane) {
    std::uint32_t value = 0;
    std::uint32_t poison = 0;
    for (unsigned half = 0; half < 2; ++half) {
      // Column and row of the element, exchanged.
      const unsigned row = lane % 4 * 2 + half;
      const unsigned column = lane / 4;
      const unsigned from = row * 4 + column / 2;
      value |= (a.values[0][from] >> (16 * (column % 2)) & 0xffffU) << (16 * half);
      if (poison == 0) poison = a.poison[0][from];
    }
    set_register(lane_of(warp, lane), matrix.d[0], value, poison);
  });
}

}  // namespace evo::evaluators::virtual_device::exact
