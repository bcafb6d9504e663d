#include "evaluators/devices/virtual/warp/warpgroup.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "evaluators/devices/virtual/semantics/shared_matrix.hpp"
#include "evaluators/devices/virtual/warp/lanes.hpp"
#include "evaluators/devices/virtual/warp/schedule.hpp"
#include "evaluators/devices/virtual/warp/warp_group.hpp"

namespace evo::evaluators::virtual_device::warp {

using namespace EVO_ISA;

namespace {

using semantics::piece_bytes;
using semantics::SharedMatrix;

constexpr unsigned warps_of_group = 4;
constexpr unsigned rows_of_warp = 16;

/// Pieces [first, first + count) to the tiles of a warp. What lies outside of shared memory is told, and
/// zero.
void gather(Warp& warp, const Op* op, const SharedMatrix& matrix, unsigned first, unsigned count,
            std::byte* tiles) {
  bool told = false;
  for (unsigned k = 0; k < count; ++k) {
    alignas(piece_bytes) std::byte piece[piece_bytes] = {};
    const std::uint32_t address = matrix.address_of(first + k);
    const bool inside = address < warp.shared_bytes && piece_bytes <= warp.shared_bytes - address;
    if (inside) {
      std::memcpy(piece, warp.shared + address, piece_bytes);
      warp.block->shared_top = std::max(warp.block->shared_top, address + piece_bytes);
    } else if (!told) {
      Fault fault;
      fault.space = Space::shared;
      fault.thread = BlockState::thread_of(warp, 0);
      fault.address = address;
      fault.width = piece_bytes;
      fail(warp, op, fault);
      told = true;
    }
    semantics::place_piece(piece, k, matrix.transposed, tiles);
  }
}

/// The rows of one warp. `matrix_a` is null where A is in registers.
void multiply_rows(Warp& warp, const Op* op, std::uint32_t mask, const SharedMatrix* matrix_a,
                   const std::byte* tiles_of_b, bool adds) {
  const WarpgroupStep& step = warp.block->code->warpgroups[op->extra];
  alignas(64) std::byte tiles[semantics::tiles_of_a * semantics::tile_size];
  semantics::WarpgroupOperands operands;
  operands.b = tiles_of_b;
  operands.adds = adds;
  if (matrix_a != nullptr) {
    const unsigned pieces = semantics::pieces_of(rows_of_warp);
    gather(warp, op, *matrix_a, warp.index % warps_of_group * pieces, pieces, tiles);
  }
  for (unsigned t = 0; t < semantics::tiles_of_a; ++t) {
    const unsigned tile = t % 2 * 2 + t / 2;
    operands.a[t] = matrix_a != nullptr ? tiles + tile * semantics::tile_size : warp.registers + step.a[t];
  }
  std::array<std::byte*, semantics::most_accumulators> d{};
  for (std::size_t k = 0; k < step.d.size(); ++k) d[k] = warp.registers + step.d[k];
  operands.d = d.data();
  for (std::size_t k = 0; !adds && k < step.d_poison.size(); ++k) warp.poison[step.d_poison[k]] &= ~mask;
  if (mask == all_lanes) [[likely]] {
    step.multiply(operands);
    return;
  }
  std::vector<std::array<std::byte, slot_size>> staged(step.d.size());
  for (std::size_t k = 0; k < step.d.size(); ++k) {
    std::memcpy(staged[k].data(), d[k], slot_size);
    d[k] = staged[k].data();
  }
  step.multiply(operands);
  for (std::size_t k = 0; k < step.d.size(); ++k)
    blend<4>(warp.registers + step.d[k], staged[k].data(), mask);
}

/// Where another warp of the group waits at this step; null: it does not.
Fragment* fragment_waiting_at(Warp& other, const Op* op) {
  for (Fragment& fragment : other.fragments) {
    if (fragment.state == FragmentState::at_warpgroup && fragment.op == op) return &fragment;
  }
  return nullptr;
}

}  // namespace

const Op* wgmma_step(Warp& warp, const Op* op) {
  if (!assemble(warp, op, all_lanes)) return next_fragment(warp);
  BlockState& block = *warp.block;
  const std::size_t first = warp.index / warps_of_group * warps_of_group;
  const std::size_t end = std::min<std::size_t>(first + warps_of_group, block.warps.size());
  std::array<Fragment*, warps_of_group> others{};
  for (std::size_t w = first; w < end; ++w) {
    if (w == warp.index) continue;
    others[w - first] = fragment_waiting_at(block.warps[w], op);
    if (others[w - first] != nullptr) continue;
    park(warp, op, FragmentState::at_warpgroup, 0);
    return next_fragment(warp);
  }
  const Instruction& instruction = instruction_of(warp, op);
  const auto lane = static_cast<unsigned>(std::countr_zero(warp.mask));
  const auto matrix = [&](std::uint32_t slot, bool transposed) {
    return semantics::shared_matrix(read_lane<std::uint64_t>(warp.registers + slot, lane), transposed);
  };
  const SharedMatrix a = matrix(op->a, instruction.warpgroup.a_transposed);
  const SharedMatrix b = matrix(op->b, instruction.warpgroup.b_transposed);
  const bool adds = (warp.predicate(op->c) >> lane & 1U) != 0;
  alignas(64) std::byte tiles[semantics::tiles_of_b * semantics::tile_size];
  gather(warp, op, b, 0, semantics::pieces_of(instruction.warpgroup.n), tiles);
  for (std::size_t w = first; w < end; ++w) {
    Fragment* const other = others[w - first];
    multiply_rows(block.warps[w], op, other != nullptr ? other->mask : warp.mask,
                  instruction.warpgroup.a_in_registers ? nullptr : &a, tiles, adds);
    if (other == nullptr) continue;
    other->state = FragmentState::runnable;
    ++other->op;
  }
  return op + 1;
}

}  // namespace evo::evaluators::virtual_device::warp
