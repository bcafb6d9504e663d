// Memory traffic of the counted blocks: sectors, wavefronts, accesses.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "evaluators/devices/virtual/memory.hpp"

namespace evo::evaluators::virtual_device::warp {

/// Which 32-byte sectors of global memory a launch touched. Thread-safe.
class Footprint {
 public:
  explicit Footprint(const GlobalMap& memory);
  void touch(const Region& region, std::uint64_t address, unsigned width) {
    auto& sectors = sectors_[region.index];
    const std::uint64_t offset = address - region.base;
    for (std::uint64_t at = offset >> sector_shift; at <= (offset + width - 1) >> sector_shift; ++at) {
      std::atomic_ref(sectors[at]).store(1, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  static constexpr unsigned sector_shift = 5;
  std::vector<std::vector<std::uint8_t>> sectors_;
};

/// What the accesses of one instruction come to in the counted blocks.
struct Traffic {
  std::uint64_t sectors = 0, shared_accesses = 0, shared_wavefronts = 0;
};

/// Warp-level counts, of one host thread; sums, so that the order of blocks does not matter.
struct AccessCounts {
  bool detailed = false;  ///< the running block is one of the sampled ones
  std::uint64_t sampled_blocks = 0;
  std::uint64_t shared_accesses = 0, shared_wavefronts = 0;
  std::uint64_t global_accesses = 0, global_sectors = 0;
  std::uint64_t local_accesses = 0;
  std::uint64_t async_copies = 0, async_bytes = 0;
  Footprint* footprint = nullptr;
  std::vector<Traffic> of_instruction{};  ///< by its number in the program

  /// One access of `width` bytes a lane by this instruction, of the lanes in `mask`, all in `region`.
  void global(std::uint32_t instruction, const Region& region, const std::uint64_t* addresses,
              std::uint32_t mask, unsigned width);
  /// Same in shared memory: wavefronts with bank conflicts, 64- and 128-bit accesses by half and quarter
  /// warps.
  void shared(std::uint32_t instruction, const std::uint32_t* addresses, std::uint32_t mask, unsigned width);
  /// One cp.async that reads so many bytes; its two accesses are counted apart.
  void async(std::uint64_t bytes) {
    if (!detailed) return;
    ++async_copies;
    async_bytes += bytes;
  }
  void local() { local_accesses += detailed ? 1 : 0; }
};

}  // namespace evo::evaluators::virtual_device::warp
