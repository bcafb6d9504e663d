#include "evaluators/devices/virtual/warp/global_races.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace evo::evaluators::virtual_device::warp {

GlobalRaces::GlobalRaces(const GlobalMap& memory, const Setup& setup, BeforeWrite before_write)
    : granule_shift_(static_cast<unsigned>(std::countr_zero(setup.granule))),
      blocks_in_order_(setup.blocks_in_order),
      one_thread_(setup.one_thread),
      before_write_(std::move(before_write)),
      tables_(memory.regions().size()) {
  for (const Region& region : memory.regions()) {
    if (region.bytes == 0) continue;
    Table& table = tables_[region.index];
    table.region = region;
    table.origin = region.base / setup.granule * setup.granule;
    if (region.read_only || (setup.constant_data && region.slot == global_image_slot)) continue;
    // One more: the base need not be a multiple of the granule.
    const std::uint64_t granules = (region.bytes >> granule_shift_) + 2;
    table.marks.reset(static_cast<std::uint64_t*>(std::calloc(granules, sizeof(std::uint64_t))));
    if (!table.marks) throw std::bad_alloc();
  }
}

void GlobalRaces::first_write(Table& table) {
  const std::lock_guard lock(first_writes_);
  if (table.written.load(std::memory_order_relaxed)) return;
  if (before_write_) before_write_(table.region);
  table.written.store(true, std::memory_order_release);
}

bool GlobalRaces::wrote_input() const {
  return std::any_of(tables_.begin(), tables_.end(), [](const Table& table) {
    return table.region.input && table.written.load(std::memory_order_relaxed);
  });
}

bool GlobalRaces::wrote_unmarked() const {
  return std::any_of(tables_.begin(), tables_.end(), [](const Table& table) {
    return !table.region.read_only && !table.marks && table.written.load(std::memory_order_relaxed);
  });
}

bool GlobalRaces::atomic(const Region& region, std::uint64_t address, unsigned width) {
  Table& table = tables_[region.index];
  if (!table.written.load(std::memory_order_acquire)) first_write(table);
  return change(table, address, width, [](std::uint64_t before) { return mark::after_atomic(before); });
}

}  // namespace evo::evaluators::virtual_device::warp
