// Which reads of shared memory a value depends on, by way of registers and of shuffles of its warp.
//
// A shuffle orders no memory. But a store of a value that depends on what another lane has read cannot come
// before that read: the load would have to return a value that is made from what it returned (PTX ISA,
// "Memory Consistency Model", axiom "No-Thin-Air"). So a reduction by shuffles may leave its result where one
// of its lanes has read. That holds for this write and this read alone: whoever reads the result, or writes
// there too, still needs a barrier.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace evo::evaluators::virtual_device::exact {

/// Sets of reads of one warp's lanes: of each lane the last one, by number. Sets are ids; 0 is none.
class Dependences {
 public:
  using Id = std::uint32_t;

  /// All ids but 0 and those of single reads become invalid.
  void clear() { sets_.clear(); }
  /// Is there no room for more? Then clear(), with all ids that are in use.
  [[nodiscard]] bool full() const { return sets_.size() >= most_sets; }

  /// Is it time to clear() where that costs nothing?
  [[nodiscard]] bool half_full() const { return sets_.size() >= most_sets / 2; }

  /// Of the read with this number (from 1) of a lane; 0 if the number is too large to tell.
  [[nodiscard]] static Id of_read(std::uint32_t lane, std::uint32_t number) {
    return number >= most_reads ? 0 : single | lane << lane_shift | number;
  }
  /// What depends on both depends on all of either.
  [[nodiscard]] Id united(Id a, Id b);
  /// Does it hold that very read?
  [[nodiscard]] bool has(Id id, std::uint32_t lane, std::uint32_t number) const;

 private:
  static constexpr Id single = 1U << 31;
  static constexpr unsigned lane_shift = 26;
  static constexpr std::uint32_t most_reads = 1U << lane_shift;
  static constexpr std::size_t most_sets = std::size_t{1} << 16;
  using Set = std::array<std::uint32_t, 32>;

  [[nodiscard]] Set set_of(Id id) const;

  std::vector<Set> sets_;  ///< by id - 1
};

}  // namespace evo::evaluators::virtual_device::exact
