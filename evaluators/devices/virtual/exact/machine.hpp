// The exact machine: runs a launch one thread at a time and finds what is wrong with it. Slower than the warp
// machine by one to two orders of magnitude; its verdict is the one that stands.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "evaluators/devices/virtual/findings.hpp"
#include "evaluators/devices/virtual/launch.hpp"

namespace evo::evaluators::virtual_device::exact {

struct Code;

struct ExactRun {
  std::vector<Finding> findings;  ///< in block order; empty = clean
  std::uint64_t thread_instructions = 0;
  bool independent = true;                    ///< LaunchReport::blocks_independent
  std::uint64_t idle_blocks = 0;              ///< LaunchReport::idle_blocks
  std::uint64_t dynamic_smem_touched = 0;     ///< highest dynamic shared byte touched + 1
  std::vector<std::uint8_t> executed_blocks;  ///< 1 per entry of Program::block_starts that ran in any thread

  [[nodiscard]] bool clean() const { return findings.empty(); }
};

/// Runs the launch (or its sample of blocks) in the memory that it maps, and goes on behind what it finds, so
/// that one run tells all: a misaligned access is made byte by byte, a load from nowhere gives zero, a store
/// to nowhere is dropped. A deadlock, a trap or an unknown instruction ends the launch with the block in
/// which it happened (in the order of the schedule). Behind a block with findings at most 256 more run, and a
/// block in which an address was wrong runs for 2^25 thread instructions more, which is told as no hang.
///
/// The result is a function of the launch alone. Blocks run in parallel; where blocks turn out to race, they
/// run one after another, and where the program has global atomics or strong accesses (so that blocks may
/// wait for each other), in turns: a block whose threads only poll gives way, and others begin, as long as
/// they fit beside those that wait (Launch::resident_blocks). Where accesses turn out to be misaligned, all
/// is run again with granules as fine as they are, so that accesses that only seem to meet are not told as
/// races.
///
/// Strong accesses (atomics, and loads and stores with .relaxed, .acquire or .release, and .volatile in
/// global memory) whose scopes reach each other do not race; release and acquire patterns on them order other
/// accesses, inside a block and between blocks (launch_order.hpp). The budget for one block is the larger of
/// an even share and a sixteenth. A block of a sample that depends on others
/// ends the launch, too.
///
/// `code`: of the launch's program, from prepared(); null: it is made for this launch.
[[nodiscard]] ExactRun run(const Launch& launch, const Code* code = nullptr);

/// What every launch of the program begins with. It must outlive the result.
[[nodiscard]] std::shared_ptr<const Code> prepared(const Program& program);

}  // namespace evo::evaluators::virtual_device::exact
