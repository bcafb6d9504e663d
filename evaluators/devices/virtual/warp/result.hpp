// What one launch on the warp machine found. Faults are exact by nature and may be final; suspicions come
// from filters that over-approximate (never miss, may be wrong) and have to be settled by the exact machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/devices/device.hpp"
#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::warp {

enum class FaultKind : std::uint8_t {
  wrong_texture,     ///< a fetch through what is no handle, or of another kind of texture or surface
  wrong_tensor_map,  ///< a bulk copy through what is no tensor map, or one of another rank
  out_of_bounds,  ///< an access outside every declared buffer, or of the shared, local, const or param window
  misaligned,     ///< an address that is no multiple of the access width
  input_written,  ///< a store to an input
  gap_written,    ///< a store between the elements of a strided output
  hang,           ///< instruction budget spent, or every living warp waits for ever
  trap,           ///< `trap` was executed
  assert_failed,  ///< __assertfail was called
  unsupported,    ///< an instruction the machine does not know was reached
};

/// Of the others the block goes on.
[[nodiscard]] constexpr bool ends_block(FaultKind kind) {
  return kind == FaultKind::hang || kind == FaultKind::trap || kind == FaultKind::assert_failed ||
         kind == FaultKind::unsupported;
}

/// One fault. The first lane of the first warp that showed it at this instruction; `count` says how many
/// more. The machine drops a faulting store, lets a faulting load read zero, and goes on, so that all are
/// seen; hang, trap, assert_failed and unsupported end the block.
struct Fault {
  FaultKind kind = FaultKind::out_of_bounds;
  Space space = Space::none;  ///< of the access, generic resolved; none for the others
  bool write = false;
  std::uint32_t instruction = 0;  ///< index into Program::code
  std::uint64_t block = 0;        ///< linear: x + y*nx + z*nx*ny
  std::uint32_t thread = 0;       ///< linear in its block
  std::uint64_t address = 0;      ///< as the program computed it
  std::uint32_t width = 0;        ///< bytes, of the whole vector access
  std::int64_t lane_stride = 0;   ///< address difference to the next active lane, 0 if there is none
  std::uint64_t count = 1;        ///< thread accesses that faulted at this instruction in this way
  std::string text{};             ///< of textures and surfaces: what is wrong
};

enum class SuspicionKind : std::uint8_t {
  race_shared,
  race_global,
  async_not_waited,  ///< an access to bytes that an asynchronous copy in flight writes
  uninitialized,
  barrier_divergence,  ///< lanes of a warp reach a barrier apart, warps reach different ones, or exit before
                       ///< it
  shuffle_mask,        ///< a warp operation whose member mask names absent lanes, or misses the caller
};

/// One reason for an exact re-run; one per kind, instruction and block.
struct Suspicion {
  SuspicionKind kind = SuspicionKind::race_shared;
  std::uint64_t block = 0;        ///< linear; for race_global the later of the two
  std::uint32_t instruction = 0;  ///< where it showed (for races: a barrier or an access near it)
  std::uint32_t thread = 0;       ///< linear in its block, 0 if not known
  std::uint64_t address = 0;      ///< 0 if not known

  friend bool operator==(const Suspicion&, const Suspicion&) = default;
};

/// Everything in it is a function of program, memory, launch and options, never of the number of threads, but
/// for which of two blocks is told to race with the other.
struct WarpRun {
  std::vector<Suspicion> suspicions;    ///< sorted by kind, block, instruction; at most a few per kind
  std::vector<Fault> faults;            ///< sorted by block and instruction
  devices::LaunchCounts counts;         ///< filled when LaunchOptions::count
  std::vector<model::LineCount> lines;  ///< likewise
  std::uint64_t thread_instructions = 0;
  /// The module's variables were written though RunOptions::expects_constant_data: nothing here counts.
  bool wrote_data = false;
  bool independent = false;                   ///< LaunchReport::blocks_independent
  std::uint64_t idle_blocks = 0;              ///< LaunchReport::idle_blocks
  std::uint64_t dynamic_smem_touched = 0;     ///< highest dynamic shared byte touched + 1
  std::vector<std::uint8_t> executed_blocks;  ///< 1 per entry of Program::block_starts that ran in any thread

  [[nodiscard]] bool suspicious() const { return !suspicions.empty(); }
  [[nodiscard]] bool clean() const { return suspicions.empty() && faults.empty(); }
};

}  // namespace evo::evaluators::virtual_device::warp
