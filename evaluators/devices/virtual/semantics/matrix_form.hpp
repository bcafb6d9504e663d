// Which element of a matrix each register of each lane holds.
//
// A register of 32 lanes is a tile of 8 rows by 16 bytes: lane l holds bytes 4 (l % 4) .. + 3 of row l / 4
// (PTX ISA, "Matrix Fragments for mma"). The rows are rows of A, columns of B; the bytes run along k. So an
// operand of 16 rows (A) is tiles in the order (rows 0-7, first bytes), (rows 8-15, first bytes), (rows 0-7,
// next bytes), ..., and one of 8 rows (B, transposed) is tiles along k. Accumulators of 32 bits take a pair
// of registers for the even and odd columns of a tile, those of 16 bits one register.
//
// PTX leaves the fragments of wmma open. This is what ptxas makes of them for sm_80 and later: mma tiles one
// after the other, two m16n8 (m16n16: side by side; m32n8: one below the other), and 16-bit A and B again and
// again until their 8 registers are full. The m16n16k16 f16 and m16n16k8 tf32 layouts agree with what the
// wmma_extension library (Ootomo) found on hardware. m8n32k16 is taken to be the transposed problem, n32m8,
// since the hardware has no tile of 8 rows and 32 columns; that one is not confirmed. Programs may rely only
// on two fragments of the same kind having the same layout.
#pragma once

#include <cstdint>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::semantics {

struct MatrixExtents {
  unsigned m = 0, n = 0, k = 0;
};
[[nodiscard]] constexpr MatrixExtents extents_of(MatrixShape shape) {
  switch (shape) {
    case MatrixShape::m8n8:
      return {8, 8, 8};
    case MatrixShape::m8n8k16:
      return {8, 8, 16};
    case MatrixShape::m16n8k4:
      return {16, 8, 4};
    case MatrixShape::m16n8k8:
      return {16, 8, 8};
    case MatrixShape::m16n8k16:
      return {16, 8, 16};
    case MatrixShape::m16n8k32:
      return {16, 8, 32};
    case MatrixShape::m16n16k16:
      return {16, 16, 16};
    case MatrixShape::m32n8k16:
      return {32, 8, 16};
    case MatrixShape::m8n32k16:
      return {8, 32, 16};
    case MatrixShape::m16n16k8:
      return {16, 16, 8};
    case MatrixShape::none:
      break;
  }
  return {};
}
[[nodiscard]] constexpr bool is_wmma(MatrixShape shape) {
  return shape >= MatrixShape::m16n16k16;
}

/// Rows and columns of one operand: A is m x k, B is k x n, accumulators are m x n.
struct MatrixSize {
  unsigned rows = 0, columns = 0;
};
[[nodiscard]] constexpr MatrixSize size_of_operand(MatrixShape shape, MatrixRole role) {
  const MatrixExtents e = extents_of(shape);
  switch (role) {
    case MatrixRole::a:
      return {e.m, e.k};
    case MatrixRole::b:
      return {e.k, e.n};
    default:
      return {e.m, e.n};
  }
}

/// Registers that hold every element once.
[[nodiscard]] constexpr unsigned distinct_registers(MatrixShape shape, MatrixRole role, Type type) {
  const MatrixSize size = size_of_operand(shape, role);
  return size.rows * size.columns * size_of(type) / 128;
}
/// Registers of the fragment as PTX counts them: those of wmma with f16 have 8, some of them twice or four
/// times.
[[nodiscard]] constexpr unsigned fragment_registers(MatrixShape shape, MatrixRole role, Type type) {
  if (is_wmma(shape) && role != MatrixRole::accumulator && type == Type::f16) return 8;
  return distinct_registers(shape, role, type);
}

struct MatrixPosition {
  unsigned row = 0, column = 0;
};
/// Element `element` (from the low bits) of a register: a place in A (m x k), B (k x n) or the accumulator (m
/// x n). `reg` counts distinct registers.
[[nodiscard]] constexpr MatrixPosition position_of(MatrixShape shape, MatrixRole role, Type type,
                                                   unsigned reg, unsigned lane, unsigned element) {
  const unsigned group = lane / 4;
  const unsigned in_group = lane % 4;
  const unsigned bytes = size_of(type);
  const MatrixExtents e = extents_of(shape);
  const bool swapped = shape == MatrixShape::m8n32k16;
  if (role == MatrixRole::accumulator) {
    const unsigned per_tile = bytes / 2;  // registers for 8 x 8 elements
    const unsigned tile = reg / per_tile;
    const unsigned column = 2 * in_group + (per_tile == 2 ? reg % 2 : element);
    if (e.m == 8 && !swapped) return {group, column};
    const unsigned row = tile % 2 * 8 + group;
    const unsigned block = tile / 2;
    if (swapped) return {column, block * 16 + row};
    return shape == MatrixShape::m32n8k16 ? MatrixPosition{block * 16 + row, column}
                                          : MatrixPosition{row, block * 8 + column};
  }
  // Tiles of 16 bytes along k; A of an m16 tile, and B of the swapped problem, have two rows of tiles.
  const unsigned steps = e.k * bytes / 16;
  const bool tall = swapped ? role == MatrixRole::b : role == MatrixRole::a && e.m > 8;
  const unsigned per_block = tall ? 2 * steps : steps;
  const unsigned in_block = reg % per_block;
  const unsigned row = reg / per_block * (tall ? 16 : 8) + (tall ? in_block % 2 * 8 : 0) + group;
  const unsigned step = tall ? in_block / 2 : in_block;
  const unsigned along = (step * 16 + in_group * 4) / bytes + element;
  return role == MatrixRole::a ? MatrixPosition{row, along} : MatrixPosition{along, row};
}

}  // namespace evo::evaluators::virtual_device::semantics
