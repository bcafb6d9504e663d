// mbarrier objects in unchecked runs, which only want values and counts: what is wrong with their use the
// exact machine tells. An object lies in its eight bytes of shared memory, so that a state that comes back is
// seen to (standstill.hpp); PTX calls its form opaque.
#include <algorithm>
#include <bit>
#include <cstring>

#include "evaluators/devices/virtual/memory_map.hpp"
#include "evaluators/devices/virtual/warp/handlers.hpp"
#include "evaluators/devices/virtual/warp/lanes.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

using namespace EVO_ISA;

constexpr unsigned count_bits = 20;
constexpr std::uint64_t count_mask = (std::uint64_t{1} << count_bits) - 1;
constexpr std::uint32_t object_bytes = 8;
/// More polls than a turn has: poll_step, in front of the next wait, gives way.
constexpr std::uint32_t asked_in_vain = 1U << 20;

/// Phase, expected and pending arrivals, from the top.
struct PackedMbarrier {
  std::uint64_t phase = 0, expected = 0, pending = 0;

  [[nodiscard]] static PackedMbarrier read(const std::byte* data) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, data, sizeof bits);
    return {bits >> 2 * count_bits, bits >> count_bits & count_mask, bits & count_mask};
  }
  void write(std::byte* data) const {
    const std::uint64_t bits = phase << 2 * count_bits | expected << count_bits | pending;
    std::memcpy(data, &bits, sizeof bits);
  }
  [[nodiscard]] std::uint64_t state() const { return phase << count_bits | pending; }
};

/// Its bytes, or null where a lane's address is wrong (told).
std::byte* object_at(Warp& warp, const Op* op, unsigned lane, Space space, std::uint64_t address) {
  if (space == Space::generic) {
    space = space_of(address);
    address = from_generic(space, address);
  } else {
    address &= 0xffffffffU;
  }
  const bool inside =
      space == Space::shared && address < warp.shared_bytes && object_bytes <= warp.shared_bytes - address;
  if (inside && address % object_bytes == 0) return warp.shared + address;
  Fault fault;
  fault.kind = inside ? FaultKind::misaligned : FaultKind::out_of_bounds;
  fault.space = space;
  fault.write = true;
  fault.thread = BlockState::thread_of(warp, lane);
  fault.address = address;
  fault.width = object_bytes;
  fail(warp, op, fault);
  return nullptr;
}

/// One lane's instruction; returns what it gives back.
std::uint64_t execute(Warp& warp, const Instruction& i, std::byte* data, std::uint64_t operand) {
  PackedMbarrier object = PackedMbarrier::read(data);
  const std::uint64_t before = object.state();
  const auto offset = static_cast<std::uint64_t>(data - warp.shared);
  std::map<std::uint64_t, std::int64_t>& bytes = warp.block->mbarrier_bytes;
  std::uint64_t arrivals = 0;
  switch (i.mbarrier) {
    case MbarrierMode::init:
      object = {0, operand & count_mask, operand & count_mask};
      bytes.erase(offset);
      break;
    case MbarrierMode::inval:
      object = {};
      break;
    case MbarrierMode::wait:
      return i.parity ? (object.phase & 1) != (operand & 1) : operand >> count_bits != object.phase;
    case MbarrierMode::arrive_drop:
    case MbarrierMode::arrive:
      arrivals = i.expects ? 1 : operand & count_mask;
      if (i.expects) bytes[offset] += static_cast<std::int64_t>(operand);
      if (i.mbarrier == MbarrierMode::arrive_drop) object.expected -= std::min(arrivals, object.expected);
      break;
    case MbarrierMode::copies_arrive:
      // They have landed: without .noinc it counts itself in, and out again.
      arrivals = i.no_increment ? 1 : 0;
      break;
    case MbarrierMode::expect_tx:
      bytes[offset] += static_cast<std::int64_t>(operand);
      break;
    case MbarrierMode::complete_tx:
      bytes[offset] -= static_cast<std::int64_t>(operand);
      break;
    default:
      break;
  }
  object.pending -= std::min(arrivals, object.pending);
  const bool used = i.mbarrier != MbarrierMode::init && i.mbarrier != MbarrierMode::inval;
  const auto waits_for = bytes.find(offset);
  if (used && object.pending == 0 && (waits_for == bytes.end() || waits_for->second == 0)) {
    ++object.phase;
    object.pending = object.expected;
  }
  object.write(data);
  warp.polls = warp.in_vain = 0;  // it came on
  return before;
}

}  // namespace

void complete_bytes(Warp& warp, const Op* op, unsigned lane, std::uint64_t mbarrier, std::uint32_t bytes) {
  std::byte* const data = object_at(warp, op, lane, Space::shared, mbarrier);
  if (data == nullptr) return;
  Instruction completes;
  completes.mbarrier = MbarrierMode::complete_tx;
  execute(warp, completes, data, bytes);
}

const Op* mbarrier_step(Warp& warp, const Op* op) {
  note_meeting(warp, warp.mask);
  const Wide& wide = warp.wide[op->extra];
  const Instruction& i = instruction_of(warp, op);
  const auto value = [&](unsigned source, unsigned lane) {
    const std::byte* slot = warp.registers + wide.src[source];
    return wide.src_class[source] == 8 ? read_lane<std::uint64_t>(slot, lane)
                                       : std::uint64_t{read_lane<std::uint32_t>(slot, lane)};
  };
  if (i.mbarrier == MbarrierMode::copies_arrive) land_copies(warp);
  std::uint32_t yes = 0;
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t operand = op->c == 0 ? 1 : value(1, lane);
    std::uint64_t result = 0;
    if (i.mbarrier == MbarrierMode::pending_count) {
      result = operand & count_mask;
    } else {
      const std::uint64_t address = value(0, lane) + static_cast<std::uint64_t>(op->offset);
      std::byte* const data = object_at(warp, op, lane, i.space, address);
      if (data == nullptr) continue;
      const auto end = static_cast<std::uint32_t>(data - warp.shared) + object_bytes;
      if (end > warp.block->shared_top) warp.block->shared_top = end;
      result = execute(warp, i, data, operand);
    }
    if (result != 0) yes |= 1U << lane;
    if (i.mbarrier == MbarrierMode::wait || wide.dst_count == 0) continue;
    std::byte* const out = warp.registers + wide.dst[0];
    // NOLINTNEXTLINE(bugprone-branch-clone): the branches differ in the width they write
    if (wide.dst_class[0] == 8) {
      write_lane<std::uint64_t>(out, lane, result);
    } else {
      write_lane<std::uint32_t>(out, lane, static_cast<std::uint32_t>(result));
    }
  }
  if (i.mbarrier == MbarrierMode::wait) {
    std::uint32_t& predicate = warp.predicate(wide.dst[0]);
    predicate = (predicate & ~warp.mask) | yes;
    // Others get a turn before it asks again, so that what is counted is little more than what a GPU does.
    if (yes != warp.mask) warp.polls = asked_in_vain;
  }
  return op + 1;
}

}  // namespace evo::evaluators::virtual_device::warp
