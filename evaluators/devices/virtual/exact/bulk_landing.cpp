// Bulk copies (TMA), where they end: see bulk_copy.cpp.
#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/bytes.hpp"
#include "evaluators/devices/virtual/semantics/atomic.hpp"

namespace evo::evaluators::virtual_device::exact {

std::uint32_t Block::engine_of(std::uint64_t mbarrier) {
  const auto next = static_cast<std::uint32_t>(engines_.size() % bulk_engines);
  return engines_.try_emplace(mbarrier, next).first->second;
}

void Block::deliver_bulk_copies(std::uint64_t address, Mbarrier& object) {
  if (object.pending != object.copies.size()) return;
  const std::uint32_t engine = engine_of(address);
  while (object.bytes != 0 && !object.bulk.empty()) {
    const BulkCopy copy = std::move(object.bulk.front());
    object.bulk.erase(object.bulk.begin());
    object.bytes -= copy.shared.width;
    land_bulk_load(copy, engine);
    ++progress_;
  }
  clocks_.release(thread_count_ + engine, object.joined);
  complete_phases(object);
}

void Block::land_bulk_load(const BulkCopy& copy, std::uint32_t engine) {
  bulk_issuers_[engine] = copy.thread;
  const std::uint32_t writer = thread_count_ + engine;
  const Site issue{index_, copy.thread, copy.instruction};
  const Access landed{
      clocks_.epoch(), clocks_.clock(writer), copy.instruction, static_cast<std::uint16_t>(writer),
      false,           AccessKind::copy};
  for_each_piece(copy, [&](std::uint64_t to, const BulkRow& row, std::uint32_t offset, std::uint32_t bytes) {
    if (to + bytes > shared_bytes_) return;
    for (std::uint32_t b = 0; b < bytes; ++b) {
      const std::uint32_t at = offset + b;
      const bool inside = at >= row.box.first && at < row.box.last;
      const std::uint32_t from = at - row.box.first;
      const bool unwritten =
          inside && row.place.shadow != nullptr && peek(row.place.shadow + from, 1) != shadow_written;
      poke(shared_ + to + b, 1, inside ? peek(row.place.data + from, 1) : 0);
      shared_shadow_[to + b] = unwritten ? shadow_poisoned : shadow_written;
      if (!unwritten) continue;
      std::uint32_t& origin = origin_of_instruction_[copy.instruction];
      if (origin == 0) {
        origins_.push_back({issue, Space::global, row.place.address + from, 1});
        origin = static_cast<std::uint32_t>(origins_.size());
      }
      poisoned_bytes_[to + b] = origin;
    }
  });
  for_each_granule(copy.shared, [&](std::uint64_t g) {
    Granule& granule = shared_granules_[g];
    granule = Granule{landed, {}, {}, granule.table, false};
    in_flight_[g] = Access{};
  });
  for (const BulkRow& row : copy.rows) {
    if (row.box.first < row.box.last) --sources_in_flight_[row.place.region->index];
  }
}

void Block::wait_for_bulk_copies(Thread& thread, const Step& step) {
  const Word kept = source(thread, step, 0);
  const std::uint32_t committed = bulk_committed_[thread.index];
  const auto asked = [&](const BulkCopy& copy) {
    return copy.thread == thread.index && copy.group + kept < committed;
  };
  std::vector<BulkCopy> complete;
  for (BulkCopy& copy : bulk_stores_) {
    if (asked(copy) && !copy.read) read_bulk_store(copy);
    if (asked(copy)) complete.push_back(copy);
  }
  if (step.instruction->bulk.only_reads) return;
  std::erase_if(bulk_stores_, asked);
  // Whoever comes next to what they have written must know of this wait.
  for (const BulkCopy& copy : complete) {
    const bool reduces = copy.mode == BulkMode::reduce;
    Order order;
    if (reduces) order.strength = Strength::device;
    for (const BulkRow& row : copy.rows) {
      if (row.box.first < row.box.last) {
        check_races({index_, copy.thread, copy.instruction}, order, row.place,
                    reduces ? AccessKind::atomic : AccessKind::write, nullptr);
      }
    }
  }
}

/// Moves the data. Shared memory is read until now: who writes it next must know of what its thread does
/// here.
void Block::read_bulk_store(BulkCopy& copy) {
  copy.read = true;
  const Site issue{index_, copy.thread, copy.instruction};
  check_races(issue, {}, copy.shared, AccessKind::read, nullptr);
  bool unwritten = false, known = true;
  const std::uint32_t element = copy.mode == BulkMode::reduce ? size_of(copy.type) : 1;
  for_each_piece(copy,
                 [&](std::uint64_t from, const BulkRow& row, std::uint32_t offset, std::uint32_t bytes) {
                   if (from + bytes > shared_bytes_) return;
                   for (std::uint32_t b = 0; b < bytes; b += element) {
                     const std::uint32_t at = offset + b;
                     if (at < row.box.first || at + element > row.box.last) continue;
                     std::uint8_t* const to = row.place.data + (at - row.box.first);
                     for (std::uint32_t k = 0; k < element; ++k) {
                       unwritten |= shared_shadow_[from + b + k] != shadow_written;
                       if (row.place.shadow == nullptr) continue;
                       std::uint8_t* const shadow = row.place.shadow + (at - row.box.first) + k;
                       if (copy.mode == BulkMode::reduce) unwritten |= peek(shadow, 1) != shadow_written;
                       poke(shadow, 1, shadow_written);
                     }
                     if (copy.mode == BulkMode::reduce) {
                       Word result = 0;
                       known &= semantics::atomic_value(copy.operation, copy.type, true, peek(to, element),
                                                        peek(shared_ + from + b, element), 0, result);
                       poke(to, element, result);
                     } else {
                       poke(to, 1, peek(shared_ + from + b, 1));
                     }
                   }
                 });
  ++progress_;
  if (!known) {
    Finding finding;
    finding.kind = FindingKind::unsupported;
    finding.here = issue;
    log_.add(finding);
    stop();
  }
  if (!unwritten) return;
  origins_.push_back({issue, Space::shared, copy.shared.address, copy.shared.width});
  Thread there = threads_[copy.thread];
  there.pc = copy.instruction;
  report_uninitialized(there, static_cast<std::uint32_t>(origins_.size()), "is stored to global memory");
}

/// Those that no thread waits for end with the block.
void Block::finish_bulk_stores() {
  for (BulkCopy& copy : bulk_stores_) {
    if (!copy.read) read_bulk_store(copy);
  }
}

}  // namespace evo::evaluators::virtual_device::exact
