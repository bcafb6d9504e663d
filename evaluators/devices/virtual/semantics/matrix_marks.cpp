#include "evaluators/devices/virtual/semantics/matrix_form.hpp"
#include "evaluators/devices/virtual/semantics/matrix_multiply.hpp"

namespace evo::evaluators::virtual_device::semantics {
namespace {

using Marks = std::array<std::uint32_t, max_fragment>;

/// Bit g: some lane of group g (4 lanes: a row of a tile) is marked.
std::uint32_t groups_of(std::uint32_t lanes) {
  std::uint32_t groups = 0;
  for (unsigned g = 0; g < 8; ++g) groups |= static_cast<std::uint32_t>((lanes >> (4 * g) & 15U) != 0) << g;
  return groups;
}
/// All lanes of the groups.
std::uint32_t lanes_of_groups(std::uint32_t groups) {
  std::uint32_t lanes = 0;
  for (unsigned g = 0; g < 8; ++g) lanes |= (groups >> g & 1U) * 15U << (4 * g);
  return lanes;
}
/// Lanes that hold column 2 t + odd of a tile, for the columns in `columns`.
std::uint32_t lanes_of_columns(std::uint32_t columns, unsigned odd) {
  std::uint32_t of_group = 0;
  for (unsigned t = 0; t < 4; ++t) of_group |= (columns >> (2 * t + odd) & 1U) << t;
  return of_group * 0x11111111U;
}

}  // namespace

void spread_marks(const Instruction& instruction, const Marks& a, const Marks& b, const Marks& c, Marks& d) {
  const MatrixForm& form = instruction.matrix;
  const bool swapped = form.shape == MatrixShape::m8n32k16;
  const Marks& tall = swapped ? b : a;
  const Marks& flat = swapped ? a : b;
  unsigned of_tall = distinct_registers(form.shape, swapped ? MatrixRole::b : MatrixRole::a, form.a);
  unsigned of_flat = distinct_registers(form.shape, swapped ? MatrixRole::a : MatrixRole::b, form.b);
  const bool two = is_wmma(form.shape);
  const bool tall_steps = two && form.shape != MatrixShape::m16n16k16 && form.shape != MatrixShape::m16n16k8;
  const unsigned halves = extents_of(form.shape).m == 8 && !swapped ? 1 : 2;
  if (two) (tall_steps ? of_tall : of_flat) /= 2;
  const bool d_wide = form.d != Type::f16, c_wide = form.c != Type::f16;
  for (unsigned tile = 0; tile < (two ? 2U : 1U); ++tile) {
    std::uint32_t rows[2] = {};
    std::uint32_t columns = 0;
    const unsigned first_tall = tall_steps ? tile * of_tall : 0;
    const unsigned first_flat = two && !tall_steps ? tile * of_flat : 0;
    for (unsigned k = 0; k < of_tall; ++k) rows[k % halves] |= groups_of(tall[first_tall + k]);
    for (unsigned k = 0; k < of_flat; ++k) columns |= groups_of(flat[first_flat + k]);
    for (unsigned half = 0; half < halves; ++half) {
      const unsigned at = tile * halves + half;  // of the 8 x 8 tiles of the accumulator
      const std::uint32_t of_rows = lanes_of_groups(rows[half]);
      for (unsigned odd = 0; odd < 2; ++odd) {
        const std::uint32_t marks =
            of_rows | lanes_of_columns(columns, odd) | (c_wide ? c[2 * at + odd] : c[at]);
        if (d_wide) {
          d[2 * at + odd] = marks;
        } else {
          d[at] = odd == 0 ? marks : d[at] | marks;
        }
      }
    }
  }
}

}  // namespace evo::evaluators::virtual_device::semantics
