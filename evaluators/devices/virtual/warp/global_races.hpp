// The filter for races in global memory: who wrote each granule, who read each sector. A launch has no order
// between its blocks, and the order inside a block is not looked at here: so any granule that was written,
// and written again or also read, is a suspicion. Kernels that read one buffer and write another never raise
// one.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "evaluators/devices/virtual/memory.hpp"
#include "evaluators/devices/virtual/warp/result.hpp"

namespace evo::evaluators::virtual_device::warp {

class GlobalRaces {
 public:
  /// Called before the first store or atomic to a region changes it; by one thread, while no other writes
  /// there.
  using BeforeWrite = std::function<void(const Region&)>;

  /// `granule`: no access of the program is narrower (1, 2 or 4 bytes). `blocks_in_order`: blocks run one
  /// after another, and may exchange data without a race.
  GlobalRaces(const GlobalMap& memory, unsigned granule, bool blocks_in_order, BeforeWrite before_write);

  /// A store that lies inside `region`. Thread-safe. True if something wrote there before.
  [[nodiscard]] bool write(const Region& region, std::uint64_t address, unsigned width, std::uint64_t block) {
    Table& table = tables_[region.slot];
    const std::uint64_t offset = address - region.base;
    note_write(table, offset, width);
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

  /// Were all these bytes stored by `block` itself, and by no other? Where another one has stored there as
  /// well, and is not ordered, that is a race which is told anyway: then this says yes, whoever came first.
  [[nodiscard]] bool stored_by(const Region& region, std::uint64_t address, unsigned width,
                               std::uint64_t block) const {
    const std::uint64_t offset = address - region.base;
    const auto own = static_cast<std::uint32_t>(block + 1);
    bool stored = true;
    for (std::uint64_t at = offset >> granule_shift_; at <= (offset + width - 1) >> granule_shift_; ++at) {
      const std::uint32_t seen =
          std::atomic_ref(tables_[region.slot].writers.get()[at]).load(std::memory_order_relaxed);
      stored &= seen == own || (seen == several && !blocks_in_order_);
    }
    return stored;
  }
  /// After the launch: was anything written to a region of the host's inputs?
  [[nodiscard]] bool wrote_input() const;

  /// After the launch: the lowest address that was written while its sector was read.
  [[nodiscard]] std::optional<std::uint64_t> read_write_conflict() const;

 private:
  static constexpr unsigned sector_shift = 5;
  static constexpr unsigned page_shift = 10;  ///< marks
  static constexpr std::uint32_t several = 0xffffffffU;
  static constexpr std::uint32_t atomics = 0xfffffffeU;

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  /// Zeroed lazily by the system: only what is touched costs anything.
  using Marks = std::unique_ptr<std::uint32_t, Free>;
  using Bytes = std::unique_ptr<std::uint8_t, Free>;
  struct Table {
    Region region;
    Marks writers, readers;
    Bytes touched;  ///< of each page of writers: whether any is set
    std::atomic<bool> written{false};
  };

  void note_write(Table& table, std::uint64_t offset, unsigned width) {
    if (!table.written.load(std::memory_order_acquire)) [[unlikely]]
      first_write(table);
    for (const std::uint64_t byte : {offset, offset + width - 1}) {
      const std::atomic_ref page(table.touched.get()[byte >> granule_shift_ >> page_shift]);
      if (page.load(std::memory_order_relaxed) == 0) page.store(1, std::memory_order_relaxed);
    }
  }
  void first_write(Table& table);

  /// True if someone was there before. Whoever finds another there leaves `several`, so that it is never
  /// lost.
  static bool mark(std::uint32_t& cell, std::uint32_t own) {
    const std::atomic_ref<std::uint32_t> reference(cell);
    const std::uint32_t before = reference.exchange(own, std::memory_order_relaxed);
    if (before != 0 && before != own) reference.store(several, std::memory_order_relaxed);
    return before != 0;
  }

  unsigned granule_shift_;
  bool blocks_in_order_;
  BeforeWrite before_write_;
  std::mutex first_writes_;
  std::vector<Table> tables_;
};

}  // namespace evo::evaluators::virtual_device::warp
