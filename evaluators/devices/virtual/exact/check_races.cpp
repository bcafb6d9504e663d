#include <algorithm>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/bytes.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

/// Does the memory hold these bytes? (Other blocks may be writing: no memcmp.)
bool holds(const std::uint8_t* memory, const std::uint8_t* bytes, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    if (peek(memory + i, 1) != bytes[i]) return false;
  }
  return true;
}

/// Stands for the value of some bytes; never 0.
std::uint64_t fingerprint(const std::uint8_t* bytes, std::uint64_t count) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::uint64_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
  return BlockRaces::value_of(hash);
}

}  // namespace

void Block::report_race(FindingKind kind, const Site& here, const Site& other, AccessKind other_kind,
                        AccessKind kind_now, const Place& place, bool equal) {
  Finding finding;
  finding.kind = kind;
  finding.here = here;
  finding.other = other;
  finding.access = kind_now;
  finding.other_access = other_kind;
  finding.space = place.space;
  finding.address = place.address;
  finding.width = place.width;
  finding.equal = equal && kind_now == AccessKind::write && other_kind == AccessKind::write;
  log_.add(finding);
}

void Block::note_dependence(const Place& place, AccessKind kind, std::uint64_t first, std::uint64_t last) {
  stored_ |= kind != AccessKind::read;
  bool alone = kind == AccessKind::read || (kind == AccessKind::write && !place.region->input);
  for (std::uint64_t g = first; kind == AccessKind::read && !place.region->input && g <= last; ++g) {
    // Where flags may order accesses nobody keeps who wrote what; such blocks work together anyhow.
    alone &= !orders_accesses() && common_.races->written_by(place.region->index, g, index_);
  }
  if (alone) return;
  independent_ = false;
  if (launch_.sampled()) stop();
}

/// ld.global.nc needs memory that nothing writes for the duration of the kernel (PTX ISA, ld.global.nc): no
/// order between the two helps.
void Block::check_non_coherent(const Site& here, Order order, std::uint64_t granule, const Place& place,
                               AccessKind kind) {
  if (kind == AccessKind::read && !order.non_coherent) return;
  const std::uint64_t mark = Mark::pack(here, false, kind);
  const std::uint64_t other = common_.read_only->access(place.region->index, granule, mark);
  if (other == 0) return;
  const bool reads = kind == AccessKind::read;
  if (Mark::block(other) != here.block) raced_with_other_block_ = true;
  report_race(FindingKind::nc_of_written, reads ? here : Mark::site(other), reads ? Mark::site(other) : here,
              reads ? Mark::kind(other) : kind, AccessKind::read, place);
}

void Block::check_races(const Site& here, Order order, const Place& place, AccessKind kind,
                        const std::uint8_t* new_bytes) {
  const bool shared = place.space == Space::shared;
  // A store to an input is a finding of its own, whoever reads it and when.
  if (!shared && kind == AccessKind::read && place.region->read_only) return;
  const std::uint32_t size = shared ? code_.shared_granule : code_.global_granule;
  // In a buffer whose base is misaligned, granules count from the address, not from the base.
  const std::uint64_t origin = shared ? 0 : place.region->base / size * size;
  const std::uint64_t first = (place.address - origin) / size;
  const std::uint64_t last = (place.address - origin + place.width - 1) / size;
  const bool strong = order.strength != Strength::weak;
  const Access access{clocks_.epoch(),
                      clocks_.clock(here.thread),
                      here.instruction,
                      static_cast<std::uint16_t>(here.thread),
                      strong,
                      kind,
                      order.is_volatile,
                      order.polls,
                      order.fixed_value,
                      order.read,
                      order.depends};
  const FindingKind finding = shared ? FindingKind::race_shared : FindingKind::race_global;
  bool told = false;
  if (!shared) note_dependence(place, kind, first, last);
  if (!bulk_stores_.empty()) told = told_bulk_overlap(here, access, place);
  for (std::uint64_t g = first; g <= last; ++g) {
    Granule& granule = shared ? shared_granules_[g] : global_granules_.at(place.region->index, g);
    const Access* conflict = nullptr;
    std::uint64_t value = 0;
    const std::uint64_t offset = g == first ? 0 : g * size + origin - place.address;
    const std::uint64_t bytes = std::min<std::uint64_t>(size, place.width - offset);
    const auto stands_there = [&] {
      return new_bytes != nullptr && holds(place.data + offset, new_bytes + offset, bytes);
    };
    if (shared && !told && overtakes_copy(access, g)) {
      const Access& copy = in_flight_[g];
      told = true;
      report_race(FindingKind::async_not_waited, here, {index_, copy.thread, copy.instruction}, copy.kind,
                  kind, place);
    }
    if (kind == AccessKind::read) {
      conflict = order.of_wgmma ? races_.look(granule, access) : races_.read(granule, access);
    } else {
      // Only matters where another thread of the block has written since the last barrier.
      const bool same_value = granule.write.epoch == access.epoch && stands_there();
      if (!shared && new_bytes != nullptr && order.fixed_value)
        value = fingerprint(new_bytes + offset, bytes);
      conflict = races_.write(granule, access, same_value);
    }
    if (conflict != nullptr && !told) {
      told = true;
      const std::uint32_t other = issuer_of(conflict->thread);
      report_race(other == here.thread ? FindingKind::async_not_waited : finding, here,
                  {index_, other, conflict->instruction}, conflict->kind, kind, place, stands_there());
    }
    if (shared) continue;
    if (common_.read_only != nullptr) check_non_coherent(here, order, g, place, kind);
    if (orders_accesses()) {
      GlobalAccess now{here, clocks_.epoch(), clocks_.clock(here.thread), order.strength, kind};
      now.value = value;
      const GlobalAccess* other =
          order_->access(place.region->index, g, now, flags_[here.thread].meeting.of_others, clocks_);
      if (other != nullptr && !told)
        report_race(finding, here, other->site, other->kind, kind, place, stands_there());
      told |= other != nullptr;
      continue;
    }
    const std::uint64_t mark = Mark::pack(here, order.strength == Strength::device, kind);
    const std::uint64_t other = common_.races->access(place.region->index, g, mark, value);
    if (other == 0) continue;
    raced_with_other_block_ = true;
    if (!told) report_race(finding, here, Mark::site(other), Mark::kind(other), kind, place, stands_there());
    told = true;
  }
  if (shared && !told && kind != AccessKind::read && !warpgroups_.empty())
    check_matrix_reads(here, place, kind);
  if (!shared && !told && kind != AccessKind::read) check_copy_sources(here, place, kind);
}

}  // namespace evo::evaluators::virtual_device::exact
