// Happens-before race detection inside one block, per granule of memory and per thread (FastTrack's idea,
// with the structure of CUDA's synchronisation in place of general vector clocks).
//
// What orders two accesses: a barrier that all threads of the block pass (a new epoch), a partial named
// barrier (bar with a count, bar.arrive), bar.warp.sync (__syncwarp) for the lanes in its mask, and flags
// that are released and acquired (launch_order.hpp). Shuffles, votes and matches move values, not memory:
// they order a write behind a read that its value depends on (dependences.hpp), and nothing else.
//
// Without partial barriers and flags nothing orders two warps inside an epoch, so that a thread's clock only
// covers the 32 lanes of its warp (group = warp); with them it covers the block (group = block).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluators/devices/virtual/exact/dependences.hpp"
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

  /// Everything that these threads, all of one group and each once, did so far comes before everything that
  /// they do next.
  void meet(std::span<const std::uint32_t> threads);
  /// bar.arrive: adds what `thread` knows to `joined` (group_size() entries) and starts its next time.
  void release(std::uint32_t thread, std::vector<std::uint32_t>& joined);
  void acquire(std::uint32_t thread, const std::vector<std::uint32_t>& joined);

  /// What `thread` knows of each thread of its group.
  [[nodiscard]] std::span<const std::uint32_t> known_by(std::uint32_t thread) const {
    return {&known_[std::size_t{thread} * width_], width_};
  }
  /// What `thread` does from now on is not known to who knew all of it.
  void advance(std::uint32_t thread) {
    known_[std::size_t{thread} * width_ + thread % width_] = ++clocks_[thread];
  }
  void learn(std::uint32_t thread, std::uint32_t other, std::uint32_t clock) {
    std::uint32_t& known = known_[std::size_t{thread} * width_ + other % width_];
    if (known < clock) known = clock;
  }

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
  bool is_volatile = false;  ///< in shared memory, without more: see synchronising()
  bool polls = false;        ///< decides whether a loop goes on
  /// A plain store that another thread may repeat, if it stores the same.
  bool repeatable = false;
  std::uint32_t read = 0;       ///< of a read: its number among those of its thread; 0: not followed
  Dependences::Id depends = 0;  ///< of a write: its value
};

/// State of one granule. Readers of the current epoch: the first; one of another group than the first's; and,
/// once a second thread of the first's group has read, all of that group in a table. Earlier writers of the
/// value that `write` has stored, which nothing orders before it, are kept among them.
struct Granule {
  Access write, read, other_group;
  std::uint32_t table = 0;     ///< index into the reader tables, 0 = none yet
  bool many = false;           ///< the table counts
  bool keeps_writers = false;  ///< there may be earlier writers among the readers
};

/// Follows accesses to granules; the granules themselves live with their memory.
class RaceChecker {
 public:
  /// `dependences`, which may be null, must outlive it.
  explicit RaceChecker(const Clocks& clocks, const Dependences* dependences = nullptr)
      : clocks_(clocks), dependences_(dependences) {}

  /// Records a read; returns the conflicting access, or null. The result holds until the next call.
  const Access* read(Granule& granule, const Access& access);
  /// The conflicting write, or null; records nothing.
  [[nodiscard]] const Access* look(const Granule& granule, const Access& access) const {
    return conflicts(granule.write, access) ? &granule.write : nullptr;
  }
  /// Records a write or atomic. `same_value`: a plain store of the bytes that another store of the epoch left
  /// there. Such stores are no race between each other if both are repeatable, or one instruction of one warp
  /// makes both: one of them lands, whichever. Each is a race with whatever else is unordered to it.
  const Access* write(Granule& granule, const Access& access, bool same_value);

 private:
  /// Do the two synchronise threads, and not pass data? Of two volatile accesses of shared memory, a read
  /// only does if a loop waits for what it reads: without, the value depends on who comes first, as in a
  /// reduction that counts on lanes in lockstep.
  [[nodiscard]] static bool synchronising(const Access& a, const Access& b) {
    if (a.strong && b.strong) return true;
    if (!(a.strong || a.is_volatile) || !(b.strong || b.is_volatile)) return false;
    const auto takes_data = [](const Access& access) {
      return access.kind == AccessKind::read && !access.polls;
    };
    return a.strong || b.strong || !(takes_data(a) || takes_data(b));
  }
  [[nodiscard]] bool conflicts(const Access& earlier, const Access& now) const {
    return earlier.epoch == now.epoch && earlier.thread != now.thread && !synchronising(earlier, now) &&
           !clocks_.knows(now.thread, earlier.thread, earlier.clock) && !follows(earlier, now);
  }
  /// Is it a write of what depends on the earlier read?
  [[nodiscard]] bool follows(const Access& earlier, const Access& now) const {
    return now.depends != 0 && earlier.kind == AccessKind::read && earlier.thread / 32 == now.thread / 32 &&
           dependences_ != nullptr && dependences_->has(now.depends, earlier.thread % 32, earlier.read);
  }
  /// May the two store one value, with nothing between them?
  [[nodiscard]] static bool may_repeat(const Access& earlier, const Access& now) {
    if (earlier.kind != AccessKind::write || now.kind != AccessKind::write) return false;
    const bool one_instruction =
        earlier.instruction == now.instruction && earlier.thread / 32 == now.thread / 32;
    return one_instruction || (earlier.repeatable && now.repeatable);
  }
  /// Without earlier writers that `access` may repeat if `same_value`; `agrees` is then set if there is one.
  const Access* conflicting_reader(const Granule& granule, const Access& access, bool same_value,
                                   bool& agrees) const;
  /// Of the writers that are kept among the readers: one that nothing orders before this read.
  const Access* earlier_writer(const Granule& granule, const Access& access) const;
  void remember_reader(Granule& granule, const Access& access);

  const Clocks& clocks_;
  const Dependences* dependences_;
  std::vector<std::vector<Access>> tables_ = std::vector<std::vector<Access>>(1);
  Access found_;
};

}  // namespace evo::evaluators::virtual_device::exact
