// mbarrier (PTX ISA, "mbarrier"): objects in shared memory that threads arrive at without waiting, and wait
// for apart from that.
//
// An arrival releases, and a wait that finds its phase complete acquires ("mbarrier.arrive", "mbarrier.
// test_wait": .release and .acquire at the scope of the block, unless .relaxed is asked for). Arrivals are
// read-modify-writes of one object, so that who waits learns of all before the completion. Waits of either
// name answer at once and give way if the answer is no: how long try_wait sleeps is up to the machine.
//
// cp.async.mbarrier.arrive arrives when the copies that its thread has issued have landed. Like all copies
// they land as late as the program allows: when only such arrivals are missing.
//
// What PTX leaves undefined is told: objects that nobody has initialised, counts outside of 1 to 2^20 - 1,
// more arrivals than a phase lacks. Memory that something else is stored to is an object no longer.
#include <algorithm>

#include <fmt/format.h>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/bytes.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

/// Rounds in which all threads ask in vain before it counts as a hang: a program may try a number of times
/// and then go on.
constexpr std::uint64_t most_idle_rounds = 4096;

}  // namespace

void Block::bad_mbarrier(const Thread& thread, const Place& place, std::string_view what) {
  Finding finding;
  finding.kind = FindingKind::barrier_divergence;
  finding.here = site(thread);
  finding.space = place.space;
  finding.address = place.address;
  finding.text = fmt::format("Bad mbarrier: {} at {}: {}", place_text(launch_, finding.here),
                             line_text(*code_.program, thread.pc), what);
  log_.add(finding);
  stop();
}

void Block::mbarrier(Thread& thread, const Step& step) {
  const MbarrierMode mode = step.instruction->mbarrier;
  if (thread.tainted) {
    if (const std::uint32_t poison = poison_of(thread, step); poison != 0)
      report_uninitialized(thread, poison, "is an operand of an mbarrier");
  }
  const bool given = step.instruction->src[0].kind != Operand::Kind::none;
  const Word operand = given ? source(thread, step, 0) : 1;
  if (mode == MbarrierMode::pending_count) return set(thread, step, 0, MbarrierState::pending(operand), 0);
  Place place;
  // To the race checks a use is atomic; making an object is a plain write that all uses come after.
  const bool makes = mode == MbarrierMode::init;
  if (!locate(thread, step, makes ? AccessKind::write : AccessKind::atomic, place)) {
    if (step.dst_count > 0) set(thread, step, 0, mode == MbarrierMode::wait ? 1 : 0, 0);
    return;
  }
  thread.polls = 0;
  if (place.space != Space::shared) return bad_mbarrier(thread, place, "it is not in shared memory");
  Order order;
  if (!makes) order.strength = Strength::block;
  check_races(site(thread), order, place, makes ? AccessKind::write : AccessKind::atomic, nullptr);
  change_mbarrier(thread, step, place, operand);
}

void Block::change_mbarrier(Thread& thread, const Step& step, const Place& place, Word operand) {
  const Instruction& instruction = *step.instruction;
  if (instruction.mbarrier == MbarrierMode::init) {
    const Word count = operand & all_ones(4);
    if (count == 0 || count > MbarrierState::max_count) {
      return bad_mbarrier(
          thread, place,
          fmt::format("it is to expect {} arrivals; 1 to {} are possible", count, MbarrierState::max_count));
    }
    if (const auto known = mbarriers_.find(place.address);
        known != mbarriers_.end() && !known->second.bulk.empty())
      return bad_mbarrier(thread, place, "a bulk copy whose bytes it counts is under way");
    mark_written(place, step, 0, 0);
    Mbarrier fresh;
    fresh.expected = fresh.pending = static_cast<std::uint32_t>(count);
    mbarriers_.insert_or_assign(place.address, std::move(fresh));
    ++progress_;
    return;
  }
  const auto found = mbarriers_.find(place.address);
  if (found == mbarriers_.end())
    return bad_mbarrier(thread, place, "there is none: nothing has initialised it, or it was made invalid");
  Mbarrier& object = found->second;
  switch (instruction.mbarrier) {
    case MbarrierMode::inval:
      if (!object.bulk.empty())
        return bad_mbarrier(thread, place, "a bulk copy whose bytes it counts is under way");
      mbarriers_.erase(found);
      ++progress_;
      return;
    case MbarrierMode::arrive:
    case MbarrierMode::arrive_drop:
      return arrive_at(thread, step, place, object, operand);
    case MbarrierMode::wait:
      return wait_at(thread, step, place, object, operand);
    case MbarrierMode::copies_arrive:
      return copies_arrive_at(thread, step, place, object);
    case MbarrierMode::expect_tx:
    case MbarrierMode::complete_tx: {
      const auto bytes = static_cast<std::int64_t>(operand & all_ones(4));
      object.bytes += instruction.mbarrier == MbarrierMode::expect_tx ? bytes : -bytes;
      ++progress_;
      return complete_phases(object);
    }
    default:
      return;
  }
}

void Block::arrive_at(Thread& thread, const Step& step, const Place& place, Mbarrier& object, Word operand) {
  const Instruction& instruction = *step.instruction;
  const Word count = instruction.expects ? 1 : operand & all_ones(4);
  if (instruction.expects) object.bytes += static_cast<std::int64_t>(operand & all_ones(4));
  if (count == 0 || count > object.pending - std::min<std::size_t>(object.copies.size(), object.pending)) {
    return bad_mbarrier(thread, place,
                        fmt::format("{} arrivals, and its phase lacks {} of {}", count,
                                    object.pending - object.copies.size(), object.expected));
  }
  if (instruction.no_complete && count == object.pending)
    return bad_mbarrier(thread, place, "an arrival with .noComplete completes the phase");
  const std::uint64_t before = MbarrierState::pack(object.phase, object.pending);
  if (instruction.release) {
    clocks_.release(thread.index, object.joined);
    if (order_ != nullptr) object.joined_of_others.unite(flags_[thread.index].meeting);
  }
  object.pending -= static_cast<std::uint32_t>(count);
  if (instruction.mbarrier == MbarrierMode::arrive_drop)
    object.expected -= static_cast<std::uint32_t>(std::min<Word>(count, object.expected));
  ++progress_;
  complete_phases(object);
  set(thread, step, 0, before, 0);
}

void Block::copies_arrive_at(const Thread& thread, const Step& step, const Place& place, Mbarrier& object) {
  if (!step.instruction->no_increment) {
    ++object.pending;
  } else if (object.copies.size() >= object.pending) {
    return bad_mbarrier(thread, place,
                        fmt::format("one arrival more than the {} of its phase", object.expected));
  }
  object.copies.push_back({thread.index, copies_[thread.index].issued, clocks_.clock(thread.index)});
  clocks_.release(thread.index, object.joined);
  ++progress_;
  complete_phases(object);
}

void Block::complete_phases(Mbarrier& object) {
  if (object.pending != object.copies.size() || object.bytes != 0) return;
  // Only copies are missing: now they land.
  for (const CopyArrival& arrival : object.copies) {
    std::vector<Copy>& copies = copies_[arrival.thread].copies;
    const auto end =
        std::ranges::find_if(copies, [&](const Copy& copy) { return copy.number >= arrival.until; });
    for (auto copy = copies.begin(); copy != end; ++copy)
      land(threads_[arrival.thread], *copy, arrival.clock);
    copies.erase(copies.begin(), end);
  }
  object.copies.clear();
  ++object.phase;
  object.pending = object.expected;
  object.completed = object.joined;
  object.completed_of_others = object.joined_of_others;
}

void Block::wait_at(Thread& thread, const Step& step, const Place& place, Mbarrier& object, Word operand) {
  const Instruction& instruction = *step.instruction;
  // A state names its phase, a parity the phase that has it and is current or just complete.
  const auto is_complete = [&] {
    return instruction.parity ? (object.phase & 1) != (operand & 1)
                              : MbarrierState::phase(operand) != object.phase;
  };
  if (!object.bulk.empty() && !is_complete()) deliver_bulk_copies(place.address, object);
  const bool complete = is_complete();
  set(thread, step, 0, complete ? 1 : 0, 0);
  if (!complete) {
    thread.yielded = thread.waits = true;
    return;
  }
  if (!instruction.acquire) return;
  if (!object.completed.empty()) clocks_.acquire(thread.index, object.completed);
  if (order_ != nullptr) flags_[thread.index].meeting.unite(object.completed_of_others);
}

void Block::overwrite_mbarriers(const Place& place) {
  if (place.space != Space::shared || mbarriers_.empty()) return;
  constexpr std::uint64_t size = 8;
  auto object = mbarriers_.lower_bound(place.address < size ? 0 : place.address - size + 1);
  while (object != mbarriers_.end() && object->first < place.address + place.width)
    object = mbarriers_.erase(object);
}

/// All threads have asked for long, and nothing that they do changes anything.
bool Block::report_endless_wait() {
  if (idle_rounds_ < most_idle_rounds) return false;
  const auto waiting = std::ranges::find_if(threads_, [](const Thread& thread) { return thread.waits; });
  if (waiting == threads_.end()) return false;
  std::string objects;
  std::size_t left = 4;
  for (const auto& [address, object] : mbarriers_) {
    if (left-- == 0) break;
    objects += fmt::format("; the mbarrier at {:#x} of shared memory lacks {} of {} arrivals", address,
                           object.pending, object.expected);
    if (object.bytes > 0) objects += fmt::format(" and {} bytes that copies were to bring", object.bytes);
    if (object.bytes < 0)
      objects += fmt::format(", and copies have brought {} bytes more than it expects", -object.bytes);
  }
  Finding finding;
  finding.kind = FindingKind::hang;
  finding.here = site(*waiting);
  finding.text =
      fmt::format("Hang: all threads of the block wait for mbarriers whose phases nobody completes: {}{}",
                  who_waits_where(), objects);
  log_.add(finding);
  return true;
}

}  // namespace evo::evaluators::virtual_device::exact
