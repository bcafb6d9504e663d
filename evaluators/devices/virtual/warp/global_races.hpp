// The filter for races in global memory: of each granule that may be written, who touched it last (see
// global_mark.hpp). It never misses a race; what it suspects, the exact machine settles. A thread may read
// and write what is its own, and what others of its block touched before a barrier of the block, so that
// kernels which work in place raise no suspicion.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "evaluators/devices/virtual/memory.hpp"
#include "evaluators/devices/virtual/warp/global_mark.hpp"
#include "evaluators/devices/virtual/warp/result.hpp"

namespace evo::evaluators::virtual_device::warp {

class GlobalRaces {
 public:
  /// Called before the first store or atomic to a region changes it; by one thread, while no other writes
  /// there.
  using BeforeWrite = std::function<void(const Region&)>;

  struct Setup {
    unsigned granule = 1;          ///< no access of the program is narrower (1, 2 or 4 bytes)
    bool blocks_in_order = false;  ///< blocks run one after another, and may exchange data without a race
    bool one_thread = false;       ///< all calls come from one host thread
    bool constant_data = false;    ///< RunOptions::expects_constant_data
  };
  GlobalRaces(const GlobalMap& memory, const Setup& setup, BeforeWrite before_write);

  /// A store that lies inside `region`, by who `own` (mark::own) says; `merged` as in mark::after_write.
  /// Thread-safe. True: a suspicion.
  [[nodiscard]] bool write(const Region& region, std::uint64_t address, unsigned width, std::uint64_t own,
                           bool merged) {
    Table& table = tables_[region.index];
    if (!table.written.load(std::memory_order_acquire)) [[unlikely]]
      first_write(table);
    return change(table, address, width,
                  [&](std::uint64_t before) { return mark::after_write(before, own, merged); });
  }
  /// An atomic: conflicts with plain accesses only.
  [[nodiscard]] bool atomic(const Region& region, std::uint64_t address, unsigned width);
  /// Is anything kept of who touches the region?
  [[nodiscard]] bool marks(const Region& region) const { return tables_[region.index].marks != nullptr; }
  /// A load; `sort` as in mark::after_read. Where the region is read-only nothing is kept: a store there is a
  /// fault, whoever reads it.
  [[nodiscard]] bool read(const Region& region, std::uint64_t address, unsigned width, std::uint64_t own,
                          std::uint64_t sort) {
    return change(tables_[region.index], address, width,
                  [&](std::uint64_t before) { return mark::after_read(before, own, sort); });
  }

  /// Were all these bytes stored by `block` itself, and by no other? Where another one has stored there as
  /// well, and is not ordered, that is a race which is told anyway: then this says yes, whoever came first.
  [[nodiscard]] bool stored_by(const Region& region, std::uint64_t address, unsigned width,
                               std::uint64_t block) const {
    const Table& table = tables_[region.index];
    if (!table.marks) return false;
    const std::uint64_t last = granule_of(table, address + width - 1);
    bool stored = true;
    for (std::uint64_t at = granule_of(table, address); at <= last; ++at) {
      const std::uint64_t seen = std::atomic_ref(table.marks.get()[at]).load(std::memory_order_relaxed);
      const bool by_several = (seen & mark::several) == mark::several && !blocks_in_order_;
      stored &= (seen & mark::written) != 0 && (mark::same_block(seen, mark::own(block, 0, 0)) || by_several);
    }
    return stored;
  }
  /// After the launch: was anything written to a region of the host's inputs?
  [[nodiscard]] bool wrote_input() const;
  /// After the launch: was a region written of whose readers nothing was kept?
  [[nodiscard]] bool wrote_unmarked() const;

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  struct Table {
    Region region;
    std::uint64_t origin = 0;  ///< granules count from here: aligned accesses cover whole ones
    /// Zeroed lazily by the system: only what is touched costs anything. Null where the region is read-only.
    std::unique_ptr<std::uint64_t, Free> marks;
    std::atomic<bool> written{false};
  };

  void first_write(Table& table);
  [[nodiscard]] std::uint64_t granule_of(const Table& table, std::uint64_t address) const {
    return (address - table.origin) >> granule_shift_;
  }

  /// Gives each granule the mark that `next` makes of it. True: a conflict.
  template <class Next>
  [[nodiscard]] bool change(Table& table, std::uint64_t address, unsigned width, const Next& next) {
    if (!table.marks) return false;
    const std::uint64_t last = granule_of(table, address + width - 1);
    bool conflict = false;
    for (std::uint64_t at = granule_of(table, address); at <= last; ++at) {
      const std::atomic_ref cell(table.marks.get()[at]);
      std::uint64_t before = cell.load(std::memory_order_relaxed);
      mark::Change change = next(before);
      if (change.mark != before) {
        if (one_thread_) {
          cell.store(change.mark, std::memory_order_relaxed);
        } else {
          while (!cell.compare_exchange_weak(before, change.mark, std::memory_order_relaxed))
            change = next(before);
        }
      }
      conflict |= change.conflict;
    }
    return conflict;
  }

  unsigned granule_shift_;
  bool blocks_in_order_, one_thread_;
  BeforeWrite before_write_;
  std::mutex first_writes_;
  std::vector<Table> tables_;
};

}  // namespace evo::evaluators::virtual_device::warp
