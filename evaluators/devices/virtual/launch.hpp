// One launch, as both machines take it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "evaluators/devices/virtual/memory.hpp"
#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/tensor_map.hpp"
#include "evaluators/devices/virtual/texture.hpp"

namespace evo::evaluators::virtual_device {

/// What stands at a place of the parameter block in any launch that is allowed: an integer of its type, a
/// multiple of 2^twos.
struct ParameterRange {
  std::uint32_t offset = 0, bytes = 0;
  std::int64_t least = 0, most = 0;
  unsigned twos = 0;
};

/// Views; the caller keeps what they point to for the time of the launch. Grid and block are within the CUDA
/// limits, parameters hold program->parameter_bytes bytes.
struct Launch {
  const Program* program = nullptr;
  const GlobalMap* memory = nullptr;  ///< the arguments' buffers and the module's data
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t dynamic_smem = 0;  ///< bytes, behind the static ones
  std::span<const std::byte> parameters;
  std::span<const Texture> textures;         ///< textures and surfaces among the arguments
  std::span<const TensorMap> tensor_maps{};  ///< of the bulk copies, among the parameters
  std::uint64_t schedule_seed = 0;  ///< 0 natural order; otherwise permuted block, warp (and lane) orders
  std::uint32_t all_stop_at = 0;    ///< devices::all_stop_at()
  std::uint64_t instruction_budget = 20'000'000'000;  ///< thread instructions before "hang"
  std::uint64_t whole_budget = 0;                     ///< of all blocks together, before "hang"; 0: none
  bool equal_writes = false;                          ///< devices::LaunchOptions::equal_writes
  /// Blocks that can wait for each other: as many as fit on the GPU at a time. 0: all.
  std::uint64_t resident_blocks = 0;
  bool cooperative = false;  ///< all blocks are there at a time: grid_workspace_base is mapped
  bool coverage = false;
  std::span<const ParameterRange> ranges{};  ///< with coverage
  bool same_block = false;                   ///< with coverage: all launches have this block
  bool count = false;
  bool stop_at_fault =
      false;  ///< of the warp machine: a block ends with its first fault, and no other begins
  /// Linear numbers of the blocks that run, ascending, each once; empty: all.
  std::span<const std::uint64_t> sample;

  [[nodiscard]] std::uint32_t threads_per_block() const { return block[0] * block[1] * block[2]; }
  [[nodiscard]] std::uint64_t blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  [[nodiscard]] bool sampled() const { return !sample.empty(); }
  [[nodiscard]] std::uint64_t running_blocks() const { return sampled() ? sample.size() : blocks(); }
  /// Linear number of the k-th block that runs.
  [[nodiscard]] std::uint64_t running_block(std::uint64_t k) const { return sampled() ? sample[k] : k; }
  /// Where dynamic shared memory starts: static size, aligned as the program declares.
  [[nodiscard]] std::uint32_t dynamic_smem_offset() const {
    const std::uint32_t align = program->dynamic_smem_align == 0 ? 1 : program->dynamic_smem_align;
    return (program->static_smem + align - 1) / align * align;
  }
  [[nodiscard]] std::uint32_t shared_bytes() const {
    return dynamic_smem == 0 ? program->static_smem : dynamic_smem_offset() + dynamic_smem;
  }
};

}  // namespace evo::evaluators::virtual_device
