// What the race checks remember of global memory: between blocks (shared by all workers of a launch) and
// between the threads of the block at hand (one per worker).
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "evaluators/devices/virtual/exact/race.hpp"
#include "evaluators/devices/virtual/memory.hpp"

namespace evo::evaluators::virtual_device::exact {

/// Marks of one granule: who wrote it last, the first plain writers of two blocks, and two readers of
/// different blocks. Packed, 0 = nobody. `values`: what plain stores left there (BlockRaces::value_of), if
/// they were several values, and if they were of several blocks.
struct BlockMarks {
  std::atomic<std::uint64_t> writer, first_writer, second_writer, values, reader, second_reader;
};

/// A mark: block, thread, instruction, strong.
struct Mark {
  static constexpr std::uint64_t max_blocks = std::uint64_t{1} << 30;
  static constexpr std::uint64_t max_instructions = std::uint64_t{1} << 20;

  [[nodiscard]] static std::uint64_t pack(const Site& site, bool strong, AccessKind kind) {
    return site.block << 34 | std::uint64_t{site.thread} << 24 | std::uint64_t{site.instruction} << 4 |
           (strong ? 8U : 0U) | static_cast<std::uint64_t>(kind) << 1 | 1;
  }
  [[nodiscard]] static Site site(std::uint64_t mark) {
    return {mark >> 34, static_cast<std::uint32_t>(mark >> 24 & 1023),
            static_cast<std::uint32_t>(mark >> 4 & 0xfffff)};
  }
  [[nodiscard]] static bool strong(std::uint64_t mark) { return (mark & 8) != 0; }
  [[nodiscard]] static AccessKind kind(std::uint64_t mark) { return static_cast<AccessKind>(mark >> 1 & 3); }
  [[nodiscard]] static std::uint64_t block(std::uint64_t mark) { return mark >> 34; }
};

/// Finds conflicting accesses of different blocks. Blocks of a launch are never ordered, so that which came
/// first does not matter: of two conflicting accesses at least one sees the other's mark, whatever the
/// interleaving (both leave their own mark before they look).
class BlockRaces {
 public:
  BlockRaces(const GlobalMap& memory, std::uint32_t granule);

  /// Marks one granule of the region with index `region`; returns the mark of a conflicting access of another
  /// block, or 0. `value`: of a plain store, value_of() its bytes. Plain stores of one value by several
  /// blocks do not conflict: one of them lands, whichever.
  std::uint64_t access(std::uint32_t region, std::uint64_t granule, std::uint64_t mark,
                       std::uint64_t value = 0);
  /// From a hash of the bytes; never 0.
  [[nodiscard]] static std::uint64_t value_of(std::uint64_t hash) { return (hash & ~(mixed | several)) | 1; }
  /// Did `block` write the granule last?
  [[nodiscard]] bool written_by(std::uint32_t region, std::uint64_t granule, std::uint64_t block) const {
    const std::uint64_t writer = marks_[region][granule].writer.load();
    return writer != 0 && Mark::block(writer) == block;
  }

 private:
  static constexpr std::uint64_t mixed = 2, several = 4;  ///< bits of BlockMarks::values
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  /// Notes a plain store; returns what it conflicts with, or 0.
  static std::uint64_t store(BlockMarks& marks, std::uint64_t mark, std::uint64_t before,
                             std::uint64_t value);
  /// calloc: pages that no one touches cost nothing.
  std::vector<std::unique_ptr<BlockMarks[], Free>> marks_;
};

/// Finds ld.global.nc of bytes that the launch writes, in either order of time: as with BlockRaces, at least
/// one of the two sees the other's mark.
class NonCoherentReads {
 public:
  NonCoherentReads(const GlobalMap& memory, std::uint32_t granule);

  /// Marks a granule; a mark of kind read is one of ld.global.nc. Returns the first mark of the other sort,
  /// or 0.
  std::uint64_t access(std::uint32_t region, std::uint64_t granule, std::uint64_t mark);

 private:
  struct Marks {
    std::atomic<std::uint64_t> reader, writer;
  };
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::vector<std::unique_ptr<Marks[], Free>> marks_;
};

/// Granules of global memory as one block sees them, in pages that are made when first touched.
class GranulePages {
 public:
  explicit GranulePages(const GlobalMap& memory) : directories_(memory.regions().size()) {}

  [[nodiscard]] Granule& at(std::uint32_t region, std::uint64_t granule) {
    std::vector<std::uint32_t>& directory = directories_[region];
    const std::uint64_t page = granule / page_granules;
    if (page >= directory.size()) directory.resize(page + 1, 0);
    if (directory[page] == 0) directory[page] = take(region, page);
    return pages_[directory[page] - 1][granule % page_granules];
  }
  /// Forgets; pages are kept for the next block. Their records are of an older epoch.
  void clear();

 private:
  static constexpr std::uint64_t page_granules = 64;
  struct Touched {
    std::uint32_t region;
    std::uint64_t page;
  };
  std::uint32_t take(std::uint32_t region, std::uint64_t page);

  std::vector<std::vector<std::uint32_t>> directories_;
  std::vector<std::unique_ptr<Granule[]>> pages_;
  std::vector<Touched> touched_;
  std::vector<std::uint32_t> free_;
};

}  // namespace evo::evaluators::virtual_device::exact
