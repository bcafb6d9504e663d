// The filter for races in global memory: who wrote each granule, who read each sector. A launch has no order
// between its blocks, and the order inside a block is not looked at here: so any granule that was written,
// and written again or also read, is a suspicion. Kernels that read one buffer and write another never raise
// one.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "evaluators/devices/virtual/memory.hpp"
#include "evaluators/devices/virtual/warp/result.hpp"

namespace evo::evaluators::virtual_device::warp {

class GlobalRaces {
 public:
  /// `granule`: no access of the program is narrower (1, 2 or 4 bytes).
  GlobalRaces(const GlobalMap& memory, unsigned granule);

  /// A store that lies inside `region`. Thread-safe. True if something wrote there before.
  [[nodiscard]] bool write(const Region& region, std::uint64_t address, unsigned width, std::uint64_t block) {
    Table& table = tables_[region.slot];
    table.written.store(true, std::memory_order_relaxed);
    const std::uint64_t offset = address - region.base;
    const auto own = static_cast<std::uint32_t>(block + 1);
    bool conflict = false;
    for (std::uint64_t at = offset >> granule_shift_; at <= (offset + width - 1) >> granule_shift_; ++at) {
      conflict |= mark(table.writers.get()[at], own);
    }
    return conflict;
  }
  /// An atomic: conflicts with plain accesses only.
  [[nodiscard]] bool atomic(const Region& region, std::uint64_t address, unsigned width);
  void read(const Region& region, std::uint64_t lowest, std::uint64_t end, std::uint64_t block) {
    Table& table = tables_[region.slot];
    const auto own = static_cast<std::uint32_t>(block + 1);
    const std::uint64_t last = (end - 1 - region.base) >> sector_shift;
    for (std::uint64_t at = (lowest - region.base) >> sector_shift; at <= last; ++at) {
      std::uint32_t& cell = table.readers.get()[at];
      const std::uint32_t seen = std::atomic_ref(cell).load(std::memory_order_relaxed);
      if (seen != own && seen != several) mark(cell, own);
    }
  }

  /// After the launch: the lowest address that was written while its sector was read.
  [[nodiscard]] std::optional<std::uint64_t> read_write_conflict() const;

 private:
  static constexpr unsigned sector_shift = 5;
  static constexpr std::uint32_t several = 0xffffffffU;
  static constexpr std::uint32_t atomics = 0xfffffffeU;

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  /// Zeroed lazily by the system: only what is touched costs anything.
  using Marks = std::unique_ptr<std::uint32_t, Free>;
  struct Table {
    Region region;
    Marks writers, readers;
    std::atomic<bool> written{false};
  };

  /// True if someone was there before. Whoever finds another there leaves `several`, so that it is never
  /// lost.
  static bool mark(std::uint32_t& cell, std::uint32_t own) {
    const std::atomic_ref<std::uint32_t> reference(cell);
    const std::uint32_t before = reference.exchange(own, std::memory_order_relaxed);
    if (before != 0 && before != own) reference.store(several, std::memory_order_relaxed);
    return before != 0;
  }

  unsigned granule_shift_;
  std::vector<Table> tables_;
};

}  // namespace evo::evaluators::virtual_device::warp
