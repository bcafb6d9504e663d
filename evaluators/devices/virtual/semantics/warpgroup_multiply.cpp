#include "evaluators/devices/virtual/semantics/warpgroup_multiply.hpp"

#include <cstdint>
#include <cstring>

#include "evaluators/devices/virtual/semantics/fp8.hpp"

namespace evo::evaluators::virtual_device::semantics {
namespace {

/// Flips the signs of a tile's elements.
void negate(Type type, std::byte* tile) {
  const std::uint32_t signs = is_fp8_pair(type)    ? 0x80808080U
                              : type == Type::tf32 ? 0x80000000U
                                                   : 0x80008000U;
  std::uint32_t words[tile_size / 4];
  std::memcpy(words, tile, sizeof words);
  for (std::uint32_t& word : words) word ^= signs;
  std::memcpy(tile, words, sizeof words);
}

/// A tile of eight rows of 16 8-bit floats becomes two of eight halves each, 16 bytes of k after the other.
void widen(Type type, const std::byte* tile, std::byte* first, std::byte* second) {
  for (unsigned row = 0; row < 8; ++row) {
    for (unsigned k = 0; k < 16; ++k) {
      const auto half = static_cast<std::uint16_t>(
          half_of_fp8(static_cast<std::uint32_t>(tile[row * 16 + k]), type, false));
      std::memcpy((k < 8 ? first : second) + row * 16 + k % 8 * 2, &half, sizeof half);
    }
  }
}

/// The tile's multiplication: that of mma.sync with as many k.
Instruction tile_of(const Instruction& instruction) {
  Instruction tile;
  tile.op = Opcode::mma;
  tile.saturate = instruction.saturate;
  tile.matrix = instruction.matrix;
  switch (instruction.warpgroup.k) {
    case 8:
      tile.matrix.shape = MatrixShape::m16n8k8;
      break;
    case 16:
      tile.matrix.shape = MatrixShape::m16n8k16;
      break;
    default:
      tile.matrix.shape = MatrixShape::m16n8k32;
      break;
  }
  if (is_fp8_pair(instruction.matrix.a)) tile.matrix.a = tile.matrix.b = Type::f16;
  return tile;
}

}  // namespace

WarpgroupMultiply::WarpgroupMultiply(const Instruction& instruction,
                                     MatrixMultiply (*select)(const Instruction&))
    : tile_(tile_of(instruction)),
      multiply_(select(tile_)),
      a_(instruction.matrix.a),
      b_(instruction.matrix.b),
      a_negated_(instruction.warpgroup.a_negated),
      b_negated_(instruction.warpgroup.b_negated),
      groups_(instruction.warpgroup.n / 8) {}

void WarpgroupMultiply::operator()(const WarpgroupOperands& operands) const {
  alignas(64) static constexpr std::byte zeros[tile_size] = {};
  alignas(64) std::byte a[tiles_of_a][tile_size];
  alignas(64) std::byte wide_a[2 * tiles_of_a][tile_size];
  alignas(64) std::byte wide_b[4][tile_size];
  alignas(64) std::byte b[2][tile_size];
  const bool widens = is_fp8_pair(a_);
  MatrixOperands tile;
  for (unsigned t = 0; t < tiles_of_a; ++t) {
    std::memcpy(a[t], operands.a[t], tile_size);
    if (a_negated_) negate(a_, a[t]);
    tile.a[t] = a[t];
    // Of each 16 bytes of k come two steps, each with its upper and lower rows.
    if (widens) widen(a_, a[t], wide_a[t / 2 * 4 + t % 2], wide_a[t / 2 * 4 + 2 + t % 2]);
  }
  for (unsigned t = 0; widens && t < 2 * tiles_of_a; ++t) tile.a[t] = wide_a[t];
  const unsigned registers = tile_.matrix.d == Type::f16 ? 2 : 4;
  for (unsigned group = 0; group < groups_; ++group) {
    for (unsigned t = 0; t < 2; ++t) {
      std::memcpy(b[t], operands.b + (group * 2 + t) * tile_size, tile_size);
      if (b_negated_) negate(b_, b[t]);
      tile.b[t] = b[t];
      if (widens) widen(b_, b[t], wide_b[2 * t], wide_b[2 * t + 1]);
    }
    for (unsigned t = 0; widens && t < 4; ++t) tile.b[t] = wide_b[t];
    for (unsigned r = 0; r < registers; ++r) {
      tile.d[r] = operands.d[group * registers + r];
      tile.c[r] = operands.adds ? tile.d[r] : zeros;
    }
    multiply_(tile_, tile);
  }
}

}  // namespace evo::evaluators::virtual_device::semantics
