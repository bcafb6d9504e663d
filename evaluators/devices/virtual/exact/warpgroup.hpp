// What the warpgroups of a block have under way: multiplications of wgmma, from their issue to a wait.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "evaluators/devices/virtual/semantics/warpgroup_multiply.hpp"

namespace evo::evaluators::virtual_device::exact {

constexpr std::uint32_t warps_of_group = 4;

/// What a thread holds in a register that wgmma uses. A wgmma's number counts those of its warpgroup from 1.
struct FollowedRegister {
  std::uint32_t sum_of = 0;   ///< the wgmma whose sum it holds; 0: none
  std::uint32_t written = 0;  ///< 1 + how many wgmma.fence came before it was computed; 0: by none but wgmma
};

/// A wgmma.wait_group of one warp, which has ended the multiplications up to a number.
struct GroupWait {
  std::uint32_t until = 0, epoch = 0;
  std::array<std::uint32_t, 32> clocks{};  ///< of the lanes
};

struct WarpOfGroup {
  std::uint32_t fences = 0;              ///< wgmma.fence executed
  std::uint32_t ended = 0;               ///< the last wgmma that it has waited for
  std::vector<std::uint32_t> committed;  ///< the last wgmma of each group
  std::vector<GroupWait> waits;
  std::vector<std::uint32_t> sums, factors;  ///< by register: the last wgmma that has it as D, as A
};

struct IssuedWgmma {
  std::uint32_t instruction = 0;
  std::array<std::uint32_t, warps_of_group> fences{};  ///< of its warps, so far
};

/// A matrix that was read from shared memory: of eight rows by 16 bytes a tile (semantics/shared_matrix.hpp).
struct MatrixTiles {
  alignas(64) std::byte bytes[semantics::tiles_of_b * semantics::tile_size];
  std::array<std::uint32_t, semantics::most_columns> poison{};  ///< by row: an origin, or 0
  bool poisoned = false;
};

struct Warpgroup {
  std::vector<IssuedWgmma> issued;
  std::vector<std::uint32_t> readers;  ///< by granule of shared memory: the last wgmma that reads there, or 0
};

}  // namespace evo::evaluators::virtual_device::exact
