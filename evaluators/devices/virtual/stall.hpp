// A block, or a warp, that stands still for long in front of what it tells others.
//
// GiveWay makes blocks change places often, but nobody falls far behind: a look-back that gives up after 32
// predecessors, or a count that does not wait for a slow warp, gets away with it. A GPU may keep one warp
// from going on for as long as others have something to do. So in every second permuted launch one block, or
// one warp of it, stops in front of one of its first strong accesses to global memory, until all other blocks
// have ended or only wait.
//
// Where all blocks stop, behind the access in which each says what it has alone, none has said yet what it
// has together with those before it: who then looks back goes past all of them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace evo::evaluators::virtual_device {

/// Of one block of a launch. What is drawn depends on the schedule seed and the launch's size alone.
class Stall {
 public:
  /// `position`: of the block, in the order in which those of the launch start.
  /// `stop_at`: 0, or in front of which strong access all blocks stop.
  void start(std::uint64_t schedule_seed, std::uint64_t position, std::uint64_t blocks, std::uint32_t warps,
             std::uint32_t stop_at = 0) {
    armed_ = holds_ = false;
    slow_left_ = 0;
    if (stop_at != 0) {
      armed_ = whole_ = true;
      left_ = stop_at;
      return;
    }
    if (schedule_seed % 4 == 1) {
      const bool is_slow =
          position ==
          (schedule_seed % 8 == 1 ? 0 : mixed(schedule_seed) % std::max<std::uint64_t>(blocks, 1));
      slow_left_ = is_slow && blocks > 1 ? slow_accesses : 0;
    }
    if (schedule_seed == 0 || schedule_seed % 2 != 0) return;
    const std::uint64_t which = schedule_seed / 2 - 1;
    // Mostly it is the first blocks that others build upon.
    const bool first = which / 6 % 2 == 0;
    const std::uint64_t drawn = mixed(schedule_seed);
    armed_ = position == (first ? 0 : drawn % std::max<std::uint64_t>(blocks, 1));
    left_ = 1 + static_cast<std::uint32_t>(which % 3);
    whole_ = which / 3 % 2 == 0;
    warp_ = first ? warps - 1 : static_cast<std::uint32_t>((drawn >> 32) % std::max(warps, 1U));
  }
  /// Asked in front of each strong access by `warp`: does it stop here?
  [[nodiscard]] bool begins(std::uint32_t warp) {
    if (!armed_ || (!whole_ && warp != warp_) || --left_ != 0) return false;
    armed_ = false;
    return holds_ = true;
  }
  /// Asked in front of each strong access: does the block lose its turn, as it is slow?
  [[nodiscard]] bool slows() {
    if (slow_left_ == 0) return false;
    --slow_left_;
    return true;
  }
  [[nodiscard]] bool slow() const { return slow_left_ != 0; }
  [[nodiscard]] bool holds() const { return holds_; }
  [[nodiscard]] bool holds(std::uint32_t warp) const { return holds_ && (whole_ || warp == warp_); }
  void end() { holds_ = false; }

 private:
  /// SplitMix64's finaliser (Steele, Lea, Flood 2014).
  [[nodiscard]] static std::uint64_t mixed(std::uint64_t z) {
    z += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ z >> 31;
  }

  static constexpr std::uint32_t slow_accesses = 64;

  bool armed_ = false, holds_ = false, whole_ = false;
  std::uint32_t left_ = 0, warp_ = 0, slow_left_ = 0;
};

/// When the block that stands still may go on: nobody else comes on without it.
class StallWatch {
 public:
  /// A round of turns of all blocks at work has passed, none has ended, and no other can begin. `idle`: they
  /// did nothing but wait. True: now.
  [[nodiscard]] bool over(bool idle) {
    idle_rounds_ = idle ? idle_rounds_ + 1 : 0;
    return idle_rounds_ >= enough_idle || ++rounds_ >= most_rounds;
  }
  /// Has a slow block had so many rounds that what does not change now is for good?
  [[nodiscard]] bool over_with_slow() { return ++rounds_ >= most_rounds; }

 private:
  /// Loads miss late stores for a while: one round may pass in vain.
  static constexpr unsigned enough_idle = 2;
  /// Not every way to wait is seen to be one.
  static constexpr unsigned most_rounds = 128;
  unsigned idle_rounds_ = 0, rounds_ = 0;
};

}  // namespace evo::evaluators::virtual_device
