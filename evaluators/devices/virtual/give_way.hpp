// When a block gives way to others between two accesses that others can see.
//
// A block that only ever stops where it waits shows every other block a finished state: a flag that is set in
// front of its value, or a sum that two blocks update without a lock, would then be correct on each run. So
// in a permuted launch a block may lose its turn in front of each strong access to global memory (volatile,
// atomic, or with a scope), as it may on a GPU at any time.
#pragma once

#include <cstdint>

namespace evo::evaluators::virtual_device {

/// The strong accesses of one block, counted; the answers depend on the seed, the block and the count alone.
class GiveWay {
 public:
  void start(std::uint64_t schedule_seed, std::uint64_t block) {
    seed_ = schedule_seed;
    state_ = (schedule_seed * 0x9E3779B97F4A7C15ULL) ^ (block + 1) * 0xD1B54A32D192ED03ULL;
    seen_ = 0;
  }
  /// Asked in front of each strong access. Never true in natural order.
  [[nodiscard]] bool now() {
    if (seed_ == 0) return false;
    ++seen_;
    return draw() % (seen_ <= often ? chance_at_first : chance_later) == 0;
  }
  /// Do other blocks see the store that comes next late? Never true in natural order.
  [[nodiscard]] bool late() { return seed_ != 0 && draw() % 2 == 0; }

 private:
  /// SplitMix64 (Steele, Lea, Flood 2014).
  std::uint64_t draw() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ z >> 31;
  }

  /// Flags and locks are few a block; a histogram has so many accesses that each turn lost would be felt.
  static constexpr std::uint64_t often = 128, chance_at_first = 3, chance_later = 64;

  std::uint64_t seed_ = 0, state_ = 0, seen_ = 0;
};

}  // namespace evo::evaluators::virtual_device
