// The fast interpreter of the virtual device: runs a launch a warp at a time, thread blocks in parallel.
//
// Threads never change a result: blocks are claimed in schedule order and touch nothing in common but global
// memory, where two blocks that touch the same bytes race (and are suspected). A program with global atomics
// or ordered accesses, whose values may depend on the order of blocks, runs them one after another in
// schedule order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "evaluators/devices/virtual/launch.hpp"
#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/warp/code.hpp"
#include "evaluators/devices/virtual/warp/result.hpp"
#include "evaluators/devices/virtual/warp/shared_races.hpp"

namespace evo::evaluators::virtual_device::warp {

struct RunOptions {
  bool checked = true;  ///< false: bounds and alignment only
  /// coarse costs least; precise has few false suspicions. Both miss nothing.
  RaceFilter races = RaceFilter::coarse;
  unsigned threads = 0;  ///< host threads, 0 = as many as there are cores
  /// Checked only: expects no write to the module's own variables, and keeps nothing of who reads them:
  /// tables of constants, as cos() of a double has one. WarpRun::wrote_data says when that was wrong.
  bool expects_constant_data = false;
  /// Checked only: GlobalRaces::BeforeWrite.
  std::function<void(const Region&)> before_write{};
};

/// One kernel, ready to run. The program must outlive it. One owner at a time; launches may use several
/// threads. It learns from false alarms of the coarse filter, so a later launch may raise fewer suspicions
/// than an equal earlier one; findings that are no mistake are always the same.
class Machine {
 public:
  /// `wide_vectors`: take the AVX2 steps where the processor has them. Results do not depend on it.
  explicit Machine(const Program& program, bool wide_vectors = true);

  /// Runs all blocks (or those of the sample), whatever is found, except that a fault which ends a block
  /// (hang, trap, assert_failed, unsupported) also ends the launch; then executed_blocks and counts are all
  /// zero. So does a block of a sample that depends on others. Does not reset or restore memory: what was
  /// written stays written.
  [[nodiscard]] WarpRun run(const Launch& launch, const RunOptions& options);

 private:
  const Code& code(bool checked);

  const Program& program_;
  bool wide_vectors_;
  std::optional<Code> checked_, unchecked_;
  /// Where the coarse filter was once suspicious: the next launches look closer there. Costs time only, since
  /// a suspicion that is no race is settled later in any case.
  HotLines hot_lines_;
};

}  // namespace evo::evaluators::virtual_device::warp
