// Strong stores that other blocks see late.
//
// A relaxed or volatile store reaches other blocks when it likes until a fence, or an operation that
// releases, puts it in order (PTX ISA, "Memory Consistency Model"): data that is stored in front of a flag
// without a fence may arrive behind it. In a permuted launch about every second such store is late: other
// blocks read what was there before, until they can know of the store, or have read often enough. A fence
// alone tells nobody: what is seen is an access behind it ("Release and Acquire Patterns"; two fence.sc order
// what is around them as their block goes on). So the stores in front of a fence of device scope are seen
// once their block has made its next strong access, and a fence behind a ticket is none for what stands
// before it. A fence is one of its thread's stores, and of what its block has told the thread: at a barrier,
// or by a fence of the block's scope. Where strong loads look at what atomic operations leave, these are
// late, too, for loads; the next atomic operation on the place ends that. Blocks run on one host thread where
// this matters (Code::orders_blocks).
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "evaluators/devices/virtual/memory.hpp"

namespace evo::evaluators::virtual_device {

/// Threads of one warp.
struct ThreadsOfWarp {
  std::uint64_t block = 0;
  std::uint32_t warp = 0, lanes = 0;  ///< lanes: a mask
};

class LateStores {
 public:
  explicit LateStores(const GlobalMap& memory) : memory_(memory) {}

  /// A thread of `block` is about to store `width` bytes, and others will see it late. False: a second store
  /// to the same place is seen at once, and so is the first.
  bool delay(std::uint64_t block, std::uint32_t thread, std::uint64_t address, unsigned width);
  /// `threads` release: all that they have stored, or been told of, is seen.
  void settle(const ThreadsOfWarp& threads);
  /// `threads` fence at device scope: the same is seen with the next strong access that the block makes.
  void fence(const ThreadsOfWarp& threads);
  /// `threads` come to a barrier or fence at the scope of their block: others of it know what they stored.
  void tell(const ThreadsOfWarp& threads);
  /// `block` makes a strong access to global memory. To be called first.
  void acts(std::uint64_t block) {
    if (!fenced_.empty()) show_fenced(block);
  }
  /// What was stored at `address` is seen.
  void settle_at(std::uint64_t address) {
    if (!late_.empty()) late_.erase(address);
  }
  /// Do others not see what stands at `address` yet?
  [[nodiscard]] bool is_late(std::uint64_t address) const {
    return !late_.empty() && late_.contains(address);
  }
  /// Puts the old value in place for a load by `block`, until show(). False: the load sees what is there.
  bool hide(std::uint64_t block, std::uint64_t address, unsigned width);
  void show();

 private:
  /// Loads that miss a store: a block that polls it comes on before it is taken for one that hangs.
  static constexpr unsigned most_misses = 40;
  static constexpr unsigned widest = 16;
  static constexpr std::size_t most_late = 1024;  ///< at a time: each fence looks at all

  struct Late {
    std::uint64_t block = 0;
    std::uint32_t thread = 0;
    unsigned width = 0, misses = 0;
    bool told = false;  ///< all of the block know of it
    bool fenced = false;

    [[nodiscard]] bool known_by(const ThreadsOfWarp& threads) const {
      if (block != threads.block) return false;
      return told || (thread / 32 == threads.warp && (threads.lanes >> thread % 32 & 1U) != 0);
    }
    std::array<std::byte, widest> old{};
  };
  struct Hidden {
    std::byte* data = nullptr;
    unsigned width = 0;
    std::array<std::byte, widest> now{};
  };

  void show_fenced(std::uint64_t block);

  const GlobalMap& memory_;
  std::unordered_map<std::uint64_t, Late> late_;  ///< by address
  std::unordered_set<std::uint64_t> fenced_;      ///< blocks that have late stores in front of a fence
  std::vector<Hidden> hidden_;
};

}  // namespace evo::evaluators::virtual_device
