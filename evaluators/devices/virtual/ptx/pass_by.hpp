// Who has gone past a barrier or a warp operation without executing it.
//
// A thread that has exited is waited for no longer (PTX ISA, exit: "As threads exit, barriers waiting on all
// threads are checked ..."; bar/barrier, shfl.sync, vote.sync, match.sync, redux.sync: "wait for non-exited
// threads"). So `if (i >= n) return;` before them is correct. But a thread that took another way round one of
// them and did what the others do behind it was there, and did not take part: CUDA C++ Programming Guide,
// "Warp Shuffle Functions" ("all non-exited threads named in mask must execute the same intrinsic with the
// same mask, or the result is undefined") and "Synchronization Functions" (__syncthreads() in conditional
// code). That it exited in the end excuses nothing.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/ptx/flow_graph.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// Whether others can tell that the instruction was executed: stores, atomics, copies, and what threads meet
/// at.
[[nodiscard]] bool is_visible(const Instruction& instruction);

/// Reachability between the instructions of one program, which must outlive it. Answers are kept: one owner.
class PassBy {
 public:
  explicit PassBy(const Program& program);

  /// `after` can be reached from `meeting`, and from `after` there is no way to `meeting`: a thread that has
  /// executed `after` and not `meeting` has passed it by.
  [[nodiscard]] bool behind(std::uint32_t meeting, std::uint32_t after);
  /// Some path from the entry passes `meeting` by and does something visible behind it. False for most: then
  /// a thread that is gone left before.
  [[nodiscard]] bool avoidable(std::uint32_t meeting);

 private:
  [[nodiscard]] bool reaches(std::uint32_t from, std::uint32_t to);
  /// Blocks that can be entered from the end of `block`.
  const std::vector<bool>& beyond(std::uint32_t block);

  const Program& program_;
  FlowGraph graph_;
  std::map<std::uint32_t, std::vector<bool>> beyond_;
  std::map<std::uint32_t, bool> avoidable_;
};

}  // namespace evo::evaluators::virtual_device::ptx
