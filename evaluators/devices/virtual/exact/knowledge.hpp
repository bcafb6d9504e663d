// What a thread knows of other blocks: which of their accesses come before whatever it does next.
// Happens-before across blocks, in the place of vector clocks over all threads of a launch: a block's
// barriers make its threads know the same, so that mostly one number a block, its epoch, says it all.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace evo::evaluators::virtual_device::exact {

/// Of one block: everything before `epoch`, and inside it what each named thread did up to its clock.
struct BlockKnowledge {
  struct Entry {
    std::uint32_t thread = 0, clock = 0;
  };
  using Entries = std::vector<Entry>;

  std::uint64_t block = 0;  ///< linear
  std::uint32_t epoch = 0;
  /// Ascending by thread; null: none. Shared, as most that meet have it from one and the same.
  std::shared_ptr<const Entries> threads;
};

/// Of neighbouring blocks, ascending by block. Where blocks pass a flag on, each knows all that the one
/// before knew and a little more: pages are shared, so that the little more is what it costs.
struct KnowledgePage {
  std::uint64_t number = 0;  ///< block / blocks_of_page
  std::shared_ptr<const std::vector<BlockKnowledge>> blocks;
};
inline constexpr std::uint64_t blocks_of_page = 64;

/// By page, ascending. Immutable once shared; null = nothing.
using Knowledge = std::vector<KnowledgePage>;
using SharedKnowledge = std::shared_ptr<const Knowledge>;

[[nodiscard]] SharedKnowledge knowledge_of_one(BlockKnowledge block);

/// What either knows: one of the two itself, if it covers the other.
[[nodiscard]] SharedKnowledge united(const SharedKnowledge& a, const SharedKnowledge& b);

/// What threads pass on to each other when they meet at a barrier.
struct MeetingKnowledge {
  SharedKnowledge of_others;  ///< of other blocks
  /// At the fence.sc that come before, by scope; and at those that come before a write that was read, which
  /// counts for the next fence.sc: it stands behind them in the order of all ("Fence-SC order"), since
  /// otherwise the read would come before the write that it saw.
  SharedKnowledge fences_block, fences_device, seen_fences_block, seen_fences_device;

  void unite(const MeetingKnowledge& other);
  /// Is it the same memory?
  [[nodiscard]] bool operator==(const MeetingKnowledge&) const = default;
};

/// What all of several threads know. Most have met before and know the same since then.
class SumOfKnowledge {
 public:
  void unite(const MeetingKnowledge& of_one) {
    if (of_one == last_) return;
    last_ = of_one;
    sum_.unite(of_one);
  }
  [[nodiscard]] const MeetingKnowledge& sum() const { return sum_; }

 private:
  MeetingKnowledge sum_, last_;
};

/// The entry of `block`, or null.
[[nodiscard]] const BlockKnowledge* of_block(const SharedKnowledge& knowledge, std::uint64_t block);

/// Does it cover what `thread` of that block did at `clock` of `epoch`?
[[nodiscard]] bool covers(const BlockKnowledge& knowledge, std::uint32_t epoch, std::uint32_t thread,
                          std::uint32_t clock);

}  // namespace evo::evaluators::virtual_device::exact
