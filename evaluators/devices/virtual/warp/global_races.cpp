#include "evaluators/devices/virtual/warp/global_races.hpp"

#include <bit>
#include <new>

namespace evo::evaluators::virtual_device::warp {

GlobalRaces::GlobalRaces(const GlobalMap& memory, unsigned granule)
    : granule_shift_(static_cast<unsigned>(std::countr_zero(granule))), tables_(memory.regions().size()) {
  const auto allocate = [](std::uint64_t cells) {
    Marks marks(static_cast<std::uint32_t*>(std::calloc(cells + 1, sizeof(std::uint32_t))));
    if (!marks) throw std::bad_alloc();
    return marks;
  };
  for (const Region& region : memory.regions()) {
    if (region.bytes == 0) continue;
    Table& table = tables_[region.slot];
    table.region = region;
    table.writers = allocate((region.bytes >> granule_shift_) + 1);
    table.readers = allocate((region.bytes >> sector_shift) + 1);
  }
}

bool GlobalRaces::atomic(const Region& region, std::uint64_t address, unsigned width) {
  Table& table = tables_[region.slot];
  table.written.store(true, std::memory_order_relaxed);
  const std::uint64_t offset = address - region.base;
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
    for (std::uint64_t at = 0; at < granules; ++at) {
      if (table.writers.get()[at] == 0) continue;
      const std::uint64_t sector = at << granule_shift_ >> sector_shift;
      if (table.readers.get()[sector] != 0) return table.region.base + (at << granule_shift_);
    }
  }
  return std::nullopt;
}

}  // namespace evo::evaluators::virtual_device::warp
