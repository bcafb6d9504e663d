// What orders accesses of different threads besides barriers: release and acquire patterns on flags (PTX ISA,
// "Memory Consistency Model": "Release and Acquire Patterns", "Morally Strong Operations", "Observation
// Order", "Causality Order"). And, for programs that have them, who accessed global memory, from block to
// block.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "evaluators/devices/virtual/exact/code.hpp"
#include "evaluators/devices/virtual/exact/knowledge.hpp"
#include "evaluators/devices/virtual/exact/race.hpp"
#include "evaluators/devices/virtual/findings.hpp"
#include "evaluators/devices/virtual/memory.hpp"

namespace evo::evaluators::virtual_device::exact {

/// What the last strong write to a place publishes to whoever reads it: the knowledge of the release patterns
/// that it ends, and of those that it passes on as a read-modify-write. `device` reaches every block, `block`
/// the threads of block `owner` only.
struct Message {
  SharedKnowledge device, block;
  std::uint64_t owner = 0;
  std::uint32_t writer = 0;                     ///< thread of `owner`
  SharedKnowledge fences_device, fences_block;  ///< MeetingKnowledge's, of the writer
  SharedKnowledge own_device,
      own_block;  ///< of the writer's own patterns, which its next write passes on, too
  /// Of the write before, while this one is late (LateStores): what whoever still reads the old value learns.
  std::shared_ptr<const Message> replaced;
};

/// Messages by granule.
class Messages {
 public:
  [[nodiscard]] const Message* find(std::uint64_t granule) const {
    if (messages_.empty()) return nullptr;
    const auto found = messages_.find(granule);
    return found == messages_.end() ? nullptr : &found->second;
  }
  void put(std::uint64_t granule, Message message) { messages_[granule] = std::move(message); }
  void drop(std::uint64_t granule) {
    if (!messages_.empty()) messages_.erase(granule);
  }
  void clear() { messages_.clear(); }

 private:
  std::unordered_map<std::uint64_t, Message> messages_;
};

/// One access to global memory, as other blocks see it.
struct GlobalAccess {
  Site site;
  std::uint32_t epoch = 0, clock = 0;
  Strength strength = Strength::weak;
  AccessKind kind = AccessKind::read;
  std::uint64_t sequence = 0;  ///< in the order in which they are made
  std::uint64_t value = 0;     ///< of a plain store, BlockRaces::value_of() its bytes; 0: no such
};

/// The accesses to global memory of a launch whose blocks may order them. One owner: such launches run their
/// blocks in turns on one host thread.
class LaunchOrder {
 public:
  LaunchOrder(const GlobalMap& memory, std::uint32_t granule);

  /// Records an access; returns one of another block that conflicts with it and that `known` does not cover,
  /// or null. The result holds until the next call. `clocks` are
  /// those of its own block.
  const GlobalAccess* access(std::uint32_t region, std::uint64_t granule, GlobalAccess now,
                             const SharedKnowledge& known, const Clocks& clocks);

  [[nodiscard]] Messages& messages() { return messages_; }
  /// Key of a granule of global memory.
  [[nodiscard]] static std::uint64_t key(std::uint32_t region, std::uint64_t granule) {
    return std::uint64_t{region} << 40 | granule;
  }

 private:
  /// Of one granule. Of a block's accesses in one epoch a few stand for all.
  struct History {
    /// The first also has earlier writers of the value that plain_write has stored, which nothing orders
    /// before it.
    std::vector<GlobalAccess> reads, strong_writes;
    GlobalAccess plain_write;
    bool written = false;
  };
  static constexpr std::uint64_t page_granules = 64;
  using Pages = std::vector<std::unique_ptr<History[]>>;

  [[nodiscard]] History& at(std::uint32_t region, std::uint64_t granule);
  const GlobalAccess* told(const GlobalAccess& conflict) {
    found_ = conflict;
    return &found_;
  }

  std::vector<Pages> pages_;  ///< by region
  std::vector<bool> watched_;
  Messages messages_;
  std::uint64_t sequence_ = 0;
  GlobalAccess found_;
};

}  // namespace evo::evaluators::virtual_device::exact
