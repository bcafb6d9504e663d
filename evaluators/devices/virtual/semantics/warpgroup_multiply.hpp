// What one warp of a warpgroup has of D = A B + D in wgmma.mma_async: 16 rows by N columns.
//
// Numerics are those of mma.sync (matrix_multiply.hpp), of all k of the instruction at once. Sums of 8-bit
// floats are exact as well; a GPU keeps fewer bits of them.
#pragma once

#include <array>
#include <cstddef>

#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/semantics/matrix_multiply.hpp"

namespace evo::evaluators::virtual_device::semantics {

constexpr unsigned most_columns = 256;
constexpr unsigned tile_size = 128;  ///< bytes: eight rows by 16 bytes, as a register of 32 lanes
constexpr unsigned tiles_of_a = 4;   ///< of a warp: 16 rows
constexpr unsigned tiles_of_b = most_columns / 8 * 2;
constexpr unsigned most_accumulators = most_columns / 2;

struct WarpgroupOperands {
  /// In the order of the registers of a fragment: rows 0 to 7, rows 8 to 15, the same of the next 16 bytes.
  std::array<const std::byte*, tiles_of_a> a{};
  const std::byte* b = nullptr;   ///< tiles of eight columns, two a group of columns (place_in_tiles)
  std::byte* const* d = nullptr;  ///< 32 lanes of each accumulator register, in the order of PTX
  bool adds = false;              ///< what stands in D
};

class WarpgroupMultiply {
 public:
  /// `select` is portable_multiply or avx2_multiply; `instruction` a wgmma.
  WarpgroupMultiply(const Instruction& instruction, MatrixMultiply (*select)(const Instruction&));
  WarpgroupMultiply() = default;
  void operator()(const WarpgroupOperands& operands) const;

 private:
  Instruction tile_;  ///< of 16 x 8
  MatrixMultiply multiply_ = nullptr;
  Type a_ = Type::none, b_ = Type::none;
  bool a_negated_ = false, b_negated_ = false;
  unsigned groups_ = 0;  ///< of eight columns
};

}  // namespace evo::evaluators::virtual_device::semantics
