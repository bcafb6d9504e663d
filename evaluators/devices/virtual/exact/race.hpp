// Happens-before race detection inside one block, per granule of memory and per thread (FastTrack's idea,
// with the structure of CUDA's synchronisation in place of general vector clocks).
//
// What orders two accesses: a barrier that all threads of the block pass (a new epoch), a partial named
// barrier (bar with a count, bar.arrive), and bar.warp.sync (__syncwarp) for the lanes in its mask. Nothing
// else does: shuffles, votes and matches move values, not memory; fences and flags are not followed (a kernel
// that publishes data through an atomic flag and a fence is told as racing, which is conservative).
//
// Without partial barriers nothing orders two warps inside an epoch, so that a thread's clock only covers the
// 32 lanes of its warp (group = warp); with them it covers the block (group = block).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluators/devices/virtual/findings.hpp"

namespace evo::evaluators::virtual_device::exact {

/// Logical time of the threads of a block.
class Clocks {
 public:
  /// Starts a block: all threads unordered, in a fresh epoch (epochs never repeat, so records of earlier
  /// blocks are stale by themselves).
  void start(std::uint32_t threads, bool whole_block);

  /// All threads of the block have passed a barrier.
  void new_epoch() { ++epoch_; }
  [[nodiscard]] std::uint32_t epoch() const { return epoch_; }
  [[nodiscard]] std::uint32_t clock(std::uint32_t thread) const { return clocks_[thread]; }
  [[nodiscard]] std::uint32_t group_size() const { return width_; }
  [[nodiscard]] bool same_group(std::uint32_t a, std::uint32_t b) const { return a / width_ == b / width_; }
  /// Does `thread` know of what `other` did at `clock` of the current epoch?
  [[nodiscard]] bool knows(std::uint32_t thread, std::uint32_t other, std::uint32_t clock) const {
    return same_group(thread, other) && known_[std::size_t{thread} * width_ + other % width_] >= clock;
  }

  /// Everything the releasing threads did so far comes before everything the acquiring ones do next. All
  /// threads are of one group.
  void synchronise(std::span<const std::uint32_t> releasing, std::span<const std::uint32_t> acquiring);
  /// bar.arrive: adds what `thread` knows to `joined` (group_size() entries) and starts its next time.
  void release(std::uint32_t thread, std::vector<std::uint32_t>& joined);
  void acquire(std::uint32_t thread, const std::vector<std::uint32_t>& joined);

 private:
  std::uint32_t width_ = 32;
  std::uint32_t epoch_ = 0;
  std::vector<std::uint32_t> clocks_;
  std::vector<std::uint32_t> known_;
  std::vector<std::uint32_t> joined_;
};

/// One access as remembered. epoch 0 = none.
struct Access {
  std::uint32_t epoch = 0;
  std::uint32_t clock = 0;
  std::uint32_t instruction = 0;
  std::uint16_t thread = 0;
  bool strong = false;  ///< atomic, or with explicit ordering: no race with another strong access
  AccessKind kind = AccessKind::read;
};

/// State of one granule. Readers of the current epoch: the first; one of another group than the first's; and,
/// once a second thread of the first's group has read, all of that group in a table.
struct Granule {
  Access write, read, other_group;
  std::uint32_t table = 0;  ///< index into the reader tables, 0 = none yet
  bool many = false;        ///< the table counts
};

/// Follows accesses to granules; the granules themselves live with their memory.
class RaceChecker {
 public:
  explicit RaceChecker(const Clocks& clocks) : clocks_(clocks) {}

  /// Records a read; returns the conflicting access, or null. The result holds until the next call.
  const Access* read(Granule& granule, const Access& access);
  /// Records a write or atomic. `same_value`: the bytes do not change, which lanes of one warp may do to each
  /// other in one instruction.
  const Access* write(Granule& granule, const Access& access, bool same_value);

 private:
  [[nodiscard]] bool conflicts(const Access& earlier, const Access& now) const {
    return earlier.epoch == now.epoch && earlier.thread != now.thread && !(earlier.strong && now.strong) &&
           !clocks_.knows(now.thread, earlier.thread, earlier.clock);
  }
  const Access* conflicting_reader(const Granule& granule, const Access& access) const;
  void remember_reader(Granule& granule, const Access& access);

  const Clocks& clocks_;
  std::vector<std::vector<Access>> tables_ = std::vector<std::vector<Access>>(1);
  Access found_;
};

}  // namespace evo::evaluators::virtual_device::exact
