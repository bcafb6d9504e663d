// Reads of shared memory whose values may still be on their way when a bulk copy overwrites it.
//
// A copy by the asynchronous proxy is not ordered behind ordinary reads by an arrival on an mbarrier alone
// (PTX ISA, "Async proxy": a fence.proxy.async belongs between the two). Practice leaves the fence out where
// the values were used before the arrival (CUTLASS's consumers release a stage so), and that is taken for
// correct here. What goes wrong on a GPU are loads that nothing has used yet: an arrival does not wait for
// them, and the copy may be faster. So a read is over when an instruction other than a mov takes its value,
// and who copies over it must know of that. Barriers of the block and fences end all reads before them: the
// machine code waits for loads there. What nobody ever takes does not matter.
//
// The lanes of a warp load together, and what one takes has come for all. Loads of a warp come back in order:
// who takes one has those before it. Where lanes come from different branches, one joins the load of others
// only if it comes after all that the lane has loaded; else its load is one of its own.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "evaluators/devices/virtual/exact/access.hpp"
#include "evaluators/devices/virtual/exact/race.hpp"

namespace evo::evaluators::virtual_device::exact {

/// Of one block. Registers go by their numbers among Code::loaded.
class LateReads {
 public:
  /// The copy and the load that it may overtake.
  struct Overtaken {
    Access copy;
    std::uint32_t thread = 0, load = 0;  ///< load: instruction
  };

  void start(std::uint32_t threads, std::uint32_t registers);

  /// `thread` loads; to be followed by reads() and gives().
  void loads(std::uint32_t thread, std::uint32_t instruction, const Clocks& clocks);
  void reads(std::uint32_t thread, const Place& place);
  /// The register holds what the thread's last load gives.
  void gives(std::uint32_t thread, std::uint32_t reg) { held(thread, reg) = threads_[thread].last; }
  /// The register holds what `from` does, or, where that is RegisterUse::none, nothing that was loaded.
  void moves(std::uint32_t thread, std::uint32_t from, std::uint32_t to);
  /// The thread uses the register. Appends the copy that was issued before it might be.
  void uses(std::uint32_t thread, std::uint32_t reg, const Clocks& clocks, std::vector<Overtaken>& told);
  /// The thread waits for all that it has loaded.
  void ends_all(std::uint32_t thread, const Clocks& clocks) { ends(thread, threads_[thread].last, clocks); }
  /// A bulk copy is issued that overwrites `place`.
  void copies(const Access& issue, const Place& place, const Clocks& clocks, std::vector<Overtaken>& told);

 private:
  using Id = std::uint64_t;  ///< of a load, ascending in its warp and for each lane; 0: none
  struct Bytes {
    std::uint64_t address = 0, width = 0;
  };
  struct End {
    std::uint32_t thread = 0, epoch = 0, clock = 0;
  };
  /// One load of a warp.
  struct Load {
    std::uint64_t key = 0;
    std::uint32_t lanes = 0;        ///< that have made it
    bool over = false;              ///< there is nothing more to find
    std::vector<Bytes> bytes = {};  ///< all that it reads
    std::uint32_t clocks[32] = {};  ///< by lane: its clock at the load
    bool used = false;              ///< by some lane
    std::vector<End> ended = {};    ///< whose value was there, after its thread had told others of something
    Access copy = {};               ///< issued before that; epoch 0: none
  };
  struct Warp {
    Id first = 1;  ///< of the oldest in `loads`
    std::deque<Load> loads;
    std::unordered_map<std::uint64_t, Id> known;  ///< by Load::key
  };
  struct OfThread {
    std::uint32_t loads = 0;  ///< so far
    Id last = 0, ended = 0;   ///< its last load, and the last whose value is there
  };

  [[nodiscard]] Id& held(std::uint32_t thread, std::uint32_t reg) {
    return held_[std::size_t{thread} * registers_ + reg];
  }
  /// The values of the thread's loads up to `until` are there.
  void ends(std::uint32_t thread, Id until, const Clocks& clocks);

  std::uint32_t registers_ = 0;
  std::vector<OfThread> threads_;
  std::vector<Id> held_;  ///< by thread and register: the load whose value it holds
  std::vector<Warp> warps_;
};

}  // namespace evo::evaluators::virtual_device::exact
