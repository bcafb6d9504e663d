#include "evaluators/devices/virtual/warp/global_races.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <type_traits>
#include <utility>

namespace evo::evaluators::virtual_device::warp {

GlobalRaces::GlobalRaces(const GlobalMap& memory, unsigned granule, bool blocks_in_order,
                         BeforeWrite before_write)
    : granule_shift_(static_cast<unsigned>(std::countr_zero(granule))),
      blocks_in_order_(blocks_in_order),
      before_write_(std::move(before_write)),
      tables_(memory.regions().size()) {
  const auto allocate = [](auto& marks, std::uint64_t cells) {
    using Cell = std::remove_reference_t<decltype(*marks)>;
    marks.reset(static_cast<Cell*>(std::calloc(cells + 1, sizeof(Cell))));
    if (!marks) throw std::bad_alloc();
  };
  for (const Region& region : memory.regions()) {
    if (region.bytes == 0) continue;
    Table& table = tables_[region.slot];
    table.region = region;
    allocate(table.writers, (region.bytes >> granule_shift_) + 1);
    allocate(table.readers, (region.bytes >> sector_shift) + 1);
    allocate(table.touched, (region.bytes >> granule_shift_ >> page_shift) + 1);
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

bool GlobalRaces::atomic(const Region& region, std::uint64_t address, unsigned width) {
  Table& table = tables_[region.slot];
  const std::uint64_t offset = address - region.base;
  note_write(table, offset, width);
  bool conflict = false;
  for (std::uint64_t at = offset >> granule_shift_; at <= (offset + width - 1) >> granule_shift_; ++at) {
    std::uint32_t& cell = table.writers.get()[at];
    if (std::atomic_ref(cell).load(std::memory_order_relaxed) != atomics) conflict |= mark(cell, atomics);
  }
  return conflict;
}

std::optional<std::uint64_t> GlobalRaces::read_write_conflict() const {
  for (const Table& table : tables_) {
    if (table.region.bytes == 0 || !table.written.load(std::memory_order_relaxed)) continue;
    const std::uint64_t granules = ((table.region.bytes - 1) >> granule_shift_) + 1;
    // A sample of blocks writes little of its outputs: what it left alone is not even looked at.
    for (std::uint64_t at = 0; at < granules; ++at) {
      if (table.touched.get()[at >> page_shift] == 0) at |= (std::uint64_t{1} << page_shift) - 1;
      if (at >= granules || table.writers.get()[at] == 0) continue;
      const std::uint64_t sector = at << granule_shift_ >> sector_shift;
      if (table.readers.get()[sector] != 0) return table.region.base + (at << granule_shift_);
    }
  }
  return std::nullopt;
}

}  // namespace evo::evaluators::virtual_device::warp
