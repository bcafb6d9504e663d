// ldmatrix and stmatrix: rows of 16 bytes in shared memory, row r of matrix i at the address that lane 8 i +
// r gives. That lane is who reads or writes the row, to the race filter.
#include "evaluators/devices/virtual/warp/matrix.hpp"
#include "evaluators/devices/virtual/warp/memory_data.inl"
#include "evaluators/devices/virtual/warp/schedule.hpp"
#include "evaluators/devices/virtual/warp/warp_group.hpp"

namespace evo::evaluators::virtual_device::warp {

using namespace EVO_ISA;

namespace {

constexpr unsigned row_bytes = 16;
constexpr unsigned tile_bytes = 8 * row_bytes;
using RowAddresses = Addresses<std::uint32_t>;

/// What ldmatrix and stmatrix have in common before they move data.
struct Rows {
  RowAddresses addresses;
  std::uint32_t mask = 0;    ///< lanes whose row is accessed
  std::uint32_t faulty = 0;  ///< lanes whose row is not, since it faulted
  Window window;
};

/// False: no row is left.
bool locate_rows(Warp& warp, const Op* op, const Instruction& instruction, bool write, Rows& rows) {
  const unsigned count = 8U * instruction.matrix.count;
  std::uint32_t mask = warp.mask & (count == lanes ? all_lanes : (1U << count) - 1);
  if (mask == 0) return false;
  if (warp.races != nullptr && (warp.poison[op->pa] & mask) != 0) [[unlikely]] {
    suspect(warp, op, SuspicionKind::uninitialized,
            static_cast<std::uint32_t>(std::countr_zero(warp.poison[op->pa] & mask)));
  }
  RowAddresses& addresses = rows.addresses;
  if (instruction.space == Space::shared) {
    make_addresses(warp, op, addresses);
  } else {
    // A generic address elsewhere than in shared memory is past the end of the window.
    Addresses<std::uint64_t> generic;
    make_addresses(warp, op, generic);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      addresses.of[lane] = clamp_offset(from_generic(Space::shared, generic.of[lane]));
    }
  }
  fill_inactive(addresses, mask);
  summarize(addresses);
  rows.window = {warp.shared, warp.shared_shadow, 0, warp.shared_bytes};
  if ((addresses.bits & (row_bytes - 1)) != 0 ||
      std::uint64_t{addresses.highest} + row_bytes > rows.window.bytes) [[unlikely]] {
    const std::uint32_t good =
        drop_faults(warp, op, addresses, mask, row_bytes, {Space::shared, write}, nullptr, rows.window);
    rows.faulty = mask & ~good;
    mask = good;
    if (mask == 0) return false;
    fill_inactive(addresses, mask);
    summarize(addresses);
  }
  rows.mask = mask;
  const std::uint32_t end = addresses.highest + row_bytes;
  if (end > warp.block->shared_top) warp.block->shared_top = end;
  if (warp.counts != nullptr) [[unlikely]]
    warp.counts->shared(op->instruction, addresses.of, mask, row_bytes);
  if (warp.races != nullptr) {
    if (write) {
      warp.races->write(warp, op, addresses.of, mask, row_bytes, addresses.lowest, end);
    } else {
      warp.races->read(warp, op, addresses.of, mask, row_bytes, addresses.lowest, end);
    }
  }
  return true;
}

/// Half h of row r stands at place h, or at row h, place r.
void transpose(std::byte* tile) {
  std::uint16_t in[64];
  std::uint16_t out[64];
  std::memcpy(in, tile, sizeof in);
  for (unsigned row = 0; row < 8; ++row) {
    for (unsigned column = 0; column < 8; ++column) out[column * 8 + row] = in[row * 8 + column];
  }
  std::memcpy(tile, out, sizeof out);
}

/// Lanes of a tile whose 4 bytes (of 0xff for what was written) are not all set.
std::uint32_t incomplete_lanes(const std::byte* tile) {
  std::uint32_t words[lanes];
  std::memcpy(words, tile, sizeof words);
  std::uint32_t missing = 0;
  for (unsigned lane = 0; lane < lanes; ++lane)
    missing |= static_cast<std::uint32_t>(words[lane] != ~0U) << lane;
  return missing;
}

}  // namespace

const Op* ldmatrix_step(Warp& warp, const Op* op) {
  if (!assemble(warp, op, all_lanes)) return next_fragment(warp);
  const Code& code = *warp.block->code;
  const MatrixStep& step = code.matrix[op->extra];
  const Instruction& instruction = code.program->code[op->instruction];
  Rows rows;
  const bool any = locate_rows(warp, op, instruction, false, rows);
  // The 8 rows of a matrix, one after the other, are a register of 32 lanes.
  for (unsigned matrix = 0; matrix < step.d.count; ++matrix) {
    alignas(64) std::byte tile[tile_bytes];
    for (unsigned row = 0; row < 8; ++row) {
      const unsigned lane = matrix * 8 + row;
      if ((rows.mask >> lane & 1U) != 0) {
        std::memcpy(tile + row * row_bytes, warp.shared + rows.addresses.of[lane], row_bytes);
      } else {
        std::memset(tile + row * row_bytes, 0, row_bytes);
      }
    }
    if (instruction.matrix.transposed) transpose(tile);
    blend<4>(warp.registers + step.d.slot[matrix], tile, warp.mask);
  }
  if (warp.races == nullptr) return op + 1;
  const std::uint32_t missing =
      any ? unwritten_lanes<row_bytes>(rows.addresses, rows.window) & rows.mask : std::uint32_t{0};
  for (unsigned matrix = 0; matrix < step.d.count; ++matrix) {
    if ((missing >> (8 * matrix) & 0xffU) == 0) {
      set_poison(warp, step.d.poison[matrix], 0);
      continue;
    }
    std::byte shadow[tile_bytes];
    std::memset(shadow, shadow_written, sizeof shadow);
    for (unsigned row = 0; row < 8; ++row) {
      const unsigned lane = matrix * 8 + row;
      if ((missing >> lane & 1U) == 0) continue;
      std::memcpy(shadow + row * row_bytes, warp.shared_shadow + rows.addresses.of[lane], row_bytes);
    }
    if (instruction.matrix.transposed) transpose(shadow);
    set_poison(warp, step.d.poison[matrix], incomplete_lanes(shadow));
  }
  return op + 1;
}

const Op* stmatrix_step(Warp& warp, const Op* op) {
  if (!assemble(warp, op, all_lanes)) return next_fragment(warp);
  const Code& code = *warp.block->code;
  const MatrixStep& step = code.matrix[op->extra];
  const Instruction& instruction = code.program->code[op->instruction];
  Rows rows;
  if (!locate_rows(warp, op, instruction, true, rows)) return op + 1;
  for (unsigned matrix = 0; matrix < step.a.count; ++matrix) {
    alignas(64) std::byte tile[tile_bytes];
    alignas(64) std::byte shadow[tile_bytes];
    std::memcpy(tile, warp.registers + step.a.slot[matrix], sizeof tile);
    const std::uint32_t poison = warp.races != nullptr ? warp.poison[step.a.poison[matrix]] : 0;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      std::memset(shadow + lane * 4, (poison >> lane & 1U) != 0 ? shadow_unwritten : shadow_written, 4);
    }
    if (instruction.matrix.transposed) {
      transpose(tile);
      transpose(shadow);
    }
    for (unsigned row = 0; row < 8; ++row) {
      const unsigned lane = matrix * 8 + row;
      if ((rows.mask >> lane & 1U) == 0) continue;
      const std::uint32_t address = rows.addresses.of[lane];
      std::memcpy(warp.shared + address, tile + row * row_bytes, row_bytes);
      if (warp.races != nullptr)
        std::memcpy(warp.shared_shadow + address, shadow + row * row_bytes, row_bytes);
    }
  }
  return op + 1;
}

}  // namespace evo::evaluators::virtual_device::warp
