#include "evaluators/devices/virtual/semantics/fragment_table.hpp"

#include <algorithm>

#include "evaluators/devices/virtual/semantics/matrix_form.hpp"

namespace evo::evaluators::virtual_device::semantics {
namespace {
constexpr unsigned warp_lanes = 32;
constexpr unsigned register_bytes = 4;
}  // namespace

FragmentTable make_fragment_table(const MatrixForm& form) {
  FragmentTable table;
  table.form = form;
  const MatrixSize size = size_of_operand(form.shape, form.role);
  table.element_bytes = size_of(form.a);
  table.runs = form.column_major ? size.columns : size.rows;
  table.run_elements = form.column_major ? size.rows : size.columns;
  table.run_bytes = table.run_elements * table.element_bytes;
  table.registers = fragment_registers(form.shape, form.role, form.a);
  table.distinct = distinct_registers(form.shape, form.role, form.a);
  table.base_alignment = table.registers * register_bytes;
  table.run_alignment = std::min(16U, table.base_alignment);
  const auto offset_of = [&](unsigned reg, unsigned lane, unsigned element) {
    const MatrixPosition at = position_of(form.shape, form.role, form.a, reg, lane, element);
    const unsigned run = form.column_major ? at.column : at.row;
    const unsigned along = form.column_major ? at.row : at.column;
    return run * table.run_bytes + along * table.element_bytes;
  };
  const bool neighbours =
      table.element_bytes == register_bytes || offset_of(0, 0, 1) == offset_of(0, 0, 0) + table.element_bytes;
  table.pieces = neighbours ? 1 : register_bytes / table.element_bytes;
  table.piece_bytes = register_bytes / table.pieces;
  table.offsets.reserve(std::size_t{table.distinct} * table.pieces * warp_lanes);
  for (unsigned reg = 0; reg < table.distinct; ++reg) {
    for (unsigned piece = 0; piece < table.pieces; ++piece) {
      for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        table.offsets.push_back(static_cast<std::uint16_t>(offset_of(reg, lane, piece)));
      }
    }
  }
  return table;
}

}  // namespace evo::evaluators::virtual_device::semantics
