// cp.async. A copy lands as late as the program allows: at the wait of its thread that covers its group, or
// never. To the race checks it is a write of the issuing thread that lasts from the issue to that wait. It is
// noted as one at the issue (whoever comes later must know of the issue, or races with it), as one again at
// the wait (whoever comes later must know of the wait), and in between, whoever knows of the issue but comes
// before the wait is told to overtake the copy.
#include <algorithm>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/bytes.hpp"

namespace evo::evaluators::virtual_device::exact {

void Block::copy_async(Thread& thread, const Step& step) {
  const Instruction& instruction = *step.instruction;
  if (thread.tainted) {
    for (const unsigned operand : {1U, 2U}) {
      const std::uint32_t poison = thread.poison[step.src[operand]];
      if (poison != 0) report_uninitialized(thread, poison, "decides how much an asynchronous copy reads");
    }
  }
  Copy copy;
  copy.instruction = thread.pc;
  copy.group = copies_[thread.index].committed;
  copy.size = step.width;
  if (instruction.src[1].kind != Operand::Kind::none) {
    copy.size = static_cast<std::uint32_t>(source(thread, step, 1));
  }
  if (instruction.src[2].kind != Operand::Kind::none && (source(thread, step, 2) & 1) != 0) copy.size = 0;
  if (!locate(thread, step, AccessKind::copy, copy.to)) return;
  if (copy.size != 0) {
    Target target;
    target.address = thread.frame[step.src[0]] + instruction.immediate;
    target.space = Space::global;
    target.base = step.src[0];
    // More than the copy writes may not be asked for: that is told as what it would be, a read too far.
    target.width = copy.size;
    target.alignment = step.width;
    target.trace = 2 * thread.pc + 1;
    if (!resolve(thread, target, AccessKind::read, copy.from)) return;
    if (copy.size > step.width) {
      fault(thread, FindingKind::out_of_bounds, AccessKind::read, copy.from);
      copy.size = copy.from.width = step.width;
    }
    check_races(site(thread), {}, copy.from, AccessKind::read, nullptr);
    ++sources_in_flight_[copy.from.region->index];
  }
  check_races(site(thread), {}, copy.to, AccessKind::copy, nullptr);
  overwrite_mbarriers(copy.to);
  forget_copies_over(copy.to);
  for_each_granule(copy.to, [&](std::uint64_t g) { in_flight_[g] = shared_granules_[g].write; });
  copy.number = copies_[thread.index].issued++;
  copies_[thread.index].copies.push_back(copy);
}

/// Is a copy in flight that this access knows of (or that is its own thread's)? One that it does not know of
/// is an ordinary race.
bool Block::overtakes_copy(const Access& access, std::uint64_t granule) const {
  if (in_flight_.empty()) return false;
  const Access& copy = in_flight_[granule];
  if (copy.epoch == 0) return false;
  return copy.thread == access.thread || copy.epoch != access.epoch ||
         clocks_.knows(access.thread, copy.thread, copy.clock);
}

/// Copies that another one was issued over (which was told) are dropped, so that no more are in flight than
/// shared memory has granules.
void Block::forget_copies_over(const Place& place) {
  for_each_granule(place, [&](std::uint64_t granule) {
    if (in_flight_[granule].epoch == 0) return;
    if (copies_.empty()) return;
    std::vector<Copy>& copies = copies_[in_flight_[granule].thread].copies;
    std::erase_if(copies, [&](const Copy& copy) {
      const bool under =
          copy.to.address < place.address + place.width && place.address < copy.to.address + copy.to.width;
      if (!under) return false;
      for_each_granule(copy.to, [&](std::uint64_t g) { in_flight_[g] = Access{}; });
      if (copy.size != 0) --sources_in_flight_[copy.from.region->index];
      return true;
    });
  });
}

void Block::wait_for_copies(Thread& thread, const Step& step) {
  CopyQueue& queue = copies_[thread.index];
  const bool all = step.src_count == 0;
  const Word kept = all ? 0 : source(thread, step, 0);
  const auto lands = [&](const Copy& copy) { return all || copy.group + kept < queue.committed; };
  // Groups are in order, so those that land come first.
  const auto end = std::find_if_not(queue.copies.begin(), queue.copies.end(), lands);
  for (auto copy = queue.copies.begin(); copy != end; ++copy)
    land(thread, *copy, clocks_.clock(thread.index));
  queue.copies.erase(queue.copies.begin(), end);
}

void Block::land(const Thread& thread, const Copy& copy, std::uint32_t clock) {
  const Site issue{index_, thread.index, copy.instruction};
  if (copy.size != 0) {
    --sources_in_flight_[copy.from.region->index];
    // The source may be read until now: who writes it next must know of this wait.
    check_races(issue, {}, copy.from, AccessKind::read, nullptr);
  }
  for (std::uint32_t b = 0; b < copy.to.width; ++b) {
    const bool copied = b < copy.size;
    const bool unwritten =
        copied && copy.from.shadow != nullptr && peek(copy.from.shadow + b, 1) != shadow_written;
    poke(copy.to.data + b, 1, copied ? peek(copy.from.data + b, 1) : 0);
    copy.to.shadow[b] = unwritten ? shadow_poisoned : shadow_written;
    if (!unwritten) continue;
    std::uint32_t& origin = origin_of_instruction_[copy.instruction];
    if (origin == 0) {
      origins_.push_back({issue, Space::global, copy.from.address, copy.size});
      origin = static_cast<std::uint32_t>(origins_.size());
    }
    poisoned_bytes_[copy.to.address + b] = origin;
  }
  for_each_granule(copy.to, [&](std::uint64_t g) {
    Granule& granule = shared_granules_[g];
    granule = Granule{{clocks_.epoch(), clock, copy.instruction, static_cast<std::uint16_t>(thread.index),
                       false, AccessKind::copy},
                      {},
                      {},
                      granule.table,
                      false};
    in_flight_[g] = Access{};
  });
}

/// A write to global memory that a copy in flight may still read, although it is ordered after the issue.
void Block::check_copy_sources(const Site& here, const Place& place, AccessKind kind) {
  if (sources_in_flight_.empty() || sources_in_flight_[place.region->index] == 0) return;
  for (const auto& [address, object] : mbarriers_) {
    for (const BulkCopy& copy : object.bulk) {
      for (const BulkRow& row : copy.rows) {
        if (row.box.first >= row.box.last || !overlap(row.place, place)) continue;
        return report_race(FindingKind::race_global, here, {index_, copy.thread, copy.instruction},
                           AccessKind::copy, kind, place);
      }
    }
  }
  for (std::uint32_t t = 0; t < copies_.size(); ++t) {
    for (const Copy& copy : copies_[t].copies) {
      if (copy.size == 0 || !overlap(copy.from, place)) continue;
      return report_race(FindingKind::race_global, here, {index_, t, copy.instruction}, AccessKind::copy,
                         kind, place);
    }
  }
}

}  // namespace evo::evaluators::virtual_device::exact
