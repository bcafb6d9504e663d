// Bulk copies (TMA), from the issue to what others may do meanwhile. PTX ISA, "cp.async.bulk",
// "cp.async.bulk.tensor", "cp.reduce.async.bulk".
//
// Like cp.async they land as late as the program allows. A load lands when a thread waits for the phase of
// its mbarrier that lacks nothing but bytes; who waits for that phase, or comes behind a barrier that one who
// has passes, may read. A store reads shared memory at its thread's wait for the group, with or without
// .read, or when the block ends; what it writes is there for others of the block after the wait without
// .read. To the race checks a copy is an access of its thread at the issue. Whoever knows of the issue and
// comes before the end overtakes the copy, which is told.
//
// Ordinary writes that come before a store need a fence.proxy.async: that is found in the PTX
// (gates/proxy_fences), not here. Ordinary reads that come before a load: late_reads.hpp.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/bytes.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

constexpr std::uint32_t bulk_alignment = 16, tensor_alignment = 128;
/// Stores that nobody waits for: those before are held to be complete.
constexpr std::size_t most_stores = 128;

Access bulk_access_of(const Clocks& clocks, const Thread& thread, AccessKind kind) {
  return {clocks.epoch(), clocks.clock(thread.index),
          thread.pc,      static_cast<std::uint16_t>(thread.index),
          false,          kind};
}

}  // namespace

void Block::report_bulk(const Thread& thread, FindingKind kind, std::string text) {
  Finding finding;
  finding.kind = kind;
  finding.here = site(thread);
  finding.text = std::move(text);
  log_.add(finding);
  limit_after_fault();
}

/// Null, and told, where the address is that of no map that the instruction can use.
const TensorMap* Block::tensor_map_of(Thread& thread, const Step& step) {
  const unsigned dimensions = step.instruction->bulk.dimensions;
  const std::uint64_t address = thread.frame[step.src[0]] + step.instruction->immediate;
  const std::byte* const bytes = bytes_of_map(launch_, address);
  if (const TensorMap* map = usable_tensor_map(launch_.tensor_maps, bytes, dimensions)) return map;
  report_bulk(thread, FindingKind::wrong_tensor_map,
              tensor_map_fault(launch_.tensor_maps, bytes, dimensions));
  return nullptr;
}

/// False if there is nothing to copy, which was told.
bool Block::describe_bulk_copy(Thread& thread, const Step& step, BulkCopy& copy) {
  const Instruction& instruction = *step.instruction;
  const BulkForm& form = instruction.bulk;
  copy.mode = form.mode;
  copy.thread = thread.index;
  copy.instruction = thread.pc;
  copy.operation = instruction.atomic;
  copy.type = instruction.type;
  const bool loads = form.mode == BulkMode::load;
  const std::uint64_t from = thread.frame[step.src[0]] + instruction.immediate;
  std::uint32_t bytes = 0;
  if (form.dimensions == 0) {
    bytes = static_cast<std::uint32_t>(source(thread, step, 3));
    if (bytes % bulk_alignment != 0 || from % bulk_alignment != 0) {
      report_bulk(
          thread, FindingKind::misaligned,
          fmt::format("a bulk copy of {} bytes at the global address {:#x}: both must be multiples of {}",
                      bytes, from, bulk_alignment));
      misaligned_.global |= from | bytes;
    }
    copy.rows.push_back({{0, bytes, 0, bytes, from}, {}});
  } else {
    const TensorMap* map = tensor_map_of(thread, step);
    if (map == nullptr) return false;
    std::array<std::int32_t, 5> coordinates{};
    for (unsigned d = 0; d < form.dimensions; ++d)
      coordinates[d] = static_cast<std::int32_t>(source(thread, step, 3 + d));
    for (const BoxRow& row : rows_of(*map, std::span(coordinates).first(form.dimensions))) {
      copy.rows.push_back({row, {}});
      // Rows begin and end at any element: the checks then look at accesses as finely as that.
      if (row.first < row.last) misaligned_.global |= row.address | (row.last - row.first);
    }
    bytes = map->box_bytes();
    copy.swizzle = map->plan.swizzle;
    copy.type = reduction_type(*map);
  }
  if (bytes == 0) return false;
  const std::uint64_t address = address_of(thread, step);
  const std::uint32_t alignment = form.dimensions == 0 ? bulk_alignment : tensor_alignment;
  if (address % alignment != 0) {
    report_bulk(thread, FindingKind::misaligned,
                fmt::format("a bulk copy at byte {} of shared memory, which must be a multiple of {}",
                            address, alignment));
    misaligned_.shared |= address;
  }
  Target near{address, Space::shared, step.base, bytes, 1, 2 * thread.pc};
  if (!resolve(thread, near, loads ? AccessKind::copy : AccessKind::read, copy.shared)) return false;
  const AccessKind far = loads                           ? AccessKind::read
                         : form.mode == BulkMode::reduce ? AccessKind::atomic
                                                         : AccessKind::write;
  for (BulkRow& row : copy.rows) {
    if (row.box.first >= row.box.last) continue;
    const Target target{row.box.address,  Space::global, step.src[0], row.box.last - row.box.first, 1,
                        2 * thread.pc + 1};
    if (!resolve(thread, target, far, row.place)) row.box.first = row.box.last = 0;
    copy.low = std::min(copy.low, target.address);
    copy.high = std::max(copy.high, target.address + target.width);
  }
  return true;
}

void Block::issue_bulk_copy(Thread& thread, const Step& step) {
  const BulkForm& form = step.instruction->bulk;
  if (thread.tainted) {
    std::uint32_t poison = poison_of(thread, step);
    if (poison == 0 && form.mode != BulkMode::prefetch) poison = thread.poison[step.base];
    if (poison != 0) return report_uninitialized(thread, poison, "is an operand of a bulk copy");
  }
  if (form.mode == BulkMode::prefetch) return;
  if (form.multicast && (source(thread, step, 2) & 0xffff) != 1) {
    Finding finding;
    finding.kind = FindingKind::unsupported;
    finding.here = site(thread);
    log_.add(finding);
    return stop();
  }
  BulkCopy copy;
  if (!describe_bulk_copy(thread, step, copy)) return;
  ++progress_;
  if (form.mode == BulkMode::load) {
    issue_bulk_load(thread, step, std::move(copy));
  } else {
    issue_bulk_store(thread, step, std::move(copy));
  }
}

void Block::issue_bulk_load(Thread& thread, const Step& step, BulkCopy copy) {
  Place barrier;
  std::uint64_t at =
      thread.frame[step.src[1]] + static_cast<std::uint64_t>(step.instruction->bulk.barrier_offset);
  at &= 0xffffffffU;
  if (!resolve(thread, {at, Space::shared, step.src[1], 8, 8, 2 * thread.pc}, AccessKind::atomic, barrier))
    return;
  Order order;
  order.strength = Strength::block;
  check_races(site(thread), order, barrier, AccessKind::atomic, nullptr);
  const auto found = mbarriers_.find(barrier.address);
  if (found == mbarriers_.end())
    return bad_mbarrier(thread, barrier, "there is none: nothing has initialised it, or it was made invalid");
  for (const BulkRow& row : copy.rows) {
    if (row.box.first >= row.box.last) continue;
    check_races(site(thread), {}, row.place, AccessKind::read, nullptr);
    ++sources_in_flight_[row.place.region->index];
  }
  check_races(site(thread), {}, copy.shared, AccessKind::copy, nullptr);
  overwrite_mbarriers(copy.shared);
  copy.issue = bulk_access_of(clocks_, thread, AccessKind::copy);
  if (code_.loaded != 0) check_late_reads(copy);
  for_each_granule(copy.shared, [&](std::uint64_t g) { in_flight_[g] = copy.issue; });
  // It may have been one of those that the copy overwrites.
  const auto object = mbarriers_.find(barrier.address);
  if (object != mbarriers_.end()) object->second.bulk.push_back(std::move(copy));
}

void Block::issue_bulk_store(Thread& thread, const Step& step, BulkCopy copy) {
  const bool reduces = copy.mode == BulkMode::reduce;
  if (reduces && copy.type == Type::none) {
    return report_bulk(thread, FindingKind::wrong_tensor_map,
                       "there is no arithmetic on elements of its type");
  }
  check_races(site(thread), {}, copy.shared, AccessKind::read, nullptr);
  Order order;
  if (reduces) order.strength = Strength::device;
  for (const BulkRow& row : copy.rows) {
    if (row.box.first >= row.box.last) continue;
    check_races(site(thread), order, row.place, reduces ? AccessKind::atomic : AccessKind::write, nullptr);
    if (order_ != nullptr) write_flag(thread, step, row.place, false, false);
  }
  copy.issue = bulk_access_of(clocks_, thread, AccessKind::read);
  copy.group = bulk_committed_[thread.index];
  if (bulk_stores_.size() >= most_stores) {
    if (!bulk_stores_.front().read) read_bulk_store(bulk_stores_.front());
    bulk_stores_.erase(bulk_stores_.begin());
  }
  bulk_stores_.push_back(std::move(copy));
}

/// Does the access come after the issue, for all that its thread knows?
bool Block::knows_issue(const Access& access, const Access& issue) const {
  return issue.thread == access.thread || issue.epoch != access.epoch ||
         clocks_.knows(access.thread, issue.thread, issue.clock);
}

/// A store under way that reads what the access writes, or writes what it touches, and that it overtakes. One
/// whose issue it does not know of is an ordinary race.
bool Block::told_bulk_overlap(const Site& here, const Access& access, const Place& place) {
  const bool shared = place.space == Space::shared;
  if (shared && access.kind == AccessKind::read) return false;
  for (const BulkCopy& copy : bulk_stores_) {
    const bool reduces = copy.mode == BulkMode::reduce;
    if (shared ? copy.read : reduces && access.kind == AccessKind::atomic) continue;
    if (!shared && (place.address >= copy.high || place.address + place.width <= copy.low)) continue;
    bool meets = shared && overlap(copy.shared, place);
    for (const BulkRow& row : copy.rows)
      meets |= !shared && row.box.first < row.box.last && overlap(row.place, place);
    if (!meets || !knows_issue(access, copy.issue)) continue;
    report_race(FindingKind::async_not_waited, here, {index_, copy.thread, copy.instruction},
                shared    ? AccessKind::read
                : reduces ? AccessKind::atomic
                          : AccessKind::write,
                access.kind, place);
    return true;
  }
  return false;
}

}  // namespace evo::evaluators::virtual_device::exact
