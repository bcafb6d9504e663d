// cp.async, a warp at a time. Data moves at the wait that covers its group: as late as the program allows, so
// that who reads too early reads what was there before.
#include <algorithm>
#include <bit>
#include <cstring>

#include "evaluators/devices/virtual/memory_map.hpp"
#include "evaluators/devices/virtual/warp/handlers.hpp"
#include "evaluators/devices/virtual/warp/lanes.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

using namespace EVO_ISA;

/// A warp that never waits keeps no more than this: many times what fits into shared memory.
constexpr std::size_t most_pending = 16384;

template <class Visit>
void for_each_lane(std::uint32_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
}

/// One lane's access, told if it is none of its own; `step` the distance to the next lane's.
struct Checked {
  Space space;
  std::uint64_t address;
  std::uint32_t bytes, alignment;
  std::int64_t step;
};
bool sound(Warp& warp, const Op* op, unsigned lane, const Checked& access) {
  const bool shared = access.space == Space::shared;
  const bool inside =
      shared ? access.address < warp.shared_bytes && access.bytes <= warp.shared_bytes - access.address
             : warp.block->launch->memory->locate(access.address, access.bytes) != nullptr;
  if (inside && access.address % access.alignment == 0) return true;
  Fault fault;
  fault.kind = inside ? FaultKind::misaligned : FaultKind::out_of_bounds;
  fault.space = access.space;
  fault.write = shared;
  fault.thread = BlockState::thread_of(warp, lane);
  fault.address = access.address;
  fault.width = access.bytes;
  fault.lane_stride = access.step;
  fail(warp, op, fault);
  return false;
}

/// Addresses and sizes of the lanes in warp.mask; returns those that may copy.
std::uint32_t prepare(Warp& warp, const Op* op, PendingCopy& copy) {
  const Wide& wide = warp.wide[op->extra];
  const Instruction& instruction = warp.block->code->program->code[op->instruction];
  const std::byte* to = warp.registers + wide.src[0];
  const std::byte* from = warp.registers + wide.src[1];
  const std::byte* size = warp.registers + wide.src[2];
  const std::uint32_t ignored = warp.predicate(wide.src[3]);
  const std::uint32_t width = copy.width;
  std::array<std::uint64_t, lanes> targets{};
  std::array<std::uint32_t, lanes> sizes{};
  for_each_lane(warp.mask, [&](unsigned lane) {
    const std::uint64_t base =
        wide.src_class[0] == 8 ? read_lane<std::uint64_t>(to, lane) : read_lane<std::uint32_t>(to, lane);
    targets[lane] = base + static_cast<std::uint64_t>(op->offset);
    if (wide.src_class[0] != 8) targets[lane] &= 0xffffffffU;
    copy.from[lane] = read_lane<std::uint64_t>(from, lane) + instruction.immediate;
    sizes[lane] = (ignored >> lane & 1U) != 0 ? 0 : read_lane<std::uint32_t>(size, lane);
  });
  std::uint32_t good = 0;
  for_each_lane(warp.mask, [&](unsigned lane) {
    const std::uint32_t later = lane == lanes - 1 ? 0 : warp.mask >> (lane + 1) << (lane + 1);
    const unsigned next = later == 0 ? lane : static_cast<unsigned>(std::countr_zero(later));
    const auto step = [&](const auto& addresses) {
      return static_cast<std::int64_t>(addresses[next]) - static_cast<std::int64_t>(addresses[lane]);
    };
    bool ok = sound(warp, op, lane, {Space::shared, targets[lane], width, width, step(targets)});
    if (ok && sizes[lane] != 0) {
      ok = sound(warp, op, lane, {Space::global, copy.from[lane], sizes[lane], width, step(copy.from)});
    }
    if (sizes[lane] > width) {
      // Not defined: the exact machine says so.
      suspect(warp, op, SuspicionKind::uninitialized, lane, copy.from[lane]);
    }
    copy.to[lane] = static_cast<std::uint32_t>(targets[lane]);
    copy.size[lane] = static_cast<std::uint8_t>(std::min(sizes[lane], width));
    if (ok) good |= 1U << lane;
  });
  return good;
}

/// The source as read and counted at the issue.
void note_sources(Warp& warp, const PendingCopy& copy) {
  const GlobalMap& map = *warp.block->launch->memory;
  std::uint32_t read = 0;
  std::uint64_t bytes = 0;
  const Region* region = nullptr;
  for_each_lane(copy.mask, [&](unsigned lane) {
    if (copy.size[lane] == 0) return;
    const Region& own = map.find(copy.from[lane]);
    bytes += copy.size[lane];
    if (warp.races != nullptr) {
      note_source(warp, own, copy.from[lane], copy.size[lane]);
      if (warp.block->global_races->read(own, copy.from[lane], copy.size[lane], mark_of(warp) + lane,
                                         mark::copied)) {
        suspect(warp, copy.op, SuspicionKind::race_global, lane, copy.from[lane]);
      }
    }
    // Counted as one access of the first lane's buffer; lanes in another are rare enough to leave out.
    if (region == nullptr) region = &own;
    if (region == &own) read |= 1U << lane;
  });
  if (warp.counts == nullptr) return;
  warp.counts->async(bytes);
  warp.counts->shared(copy.op->instruction, copy.to.data(), copy.mask, copy.width);
  if (read != 0) warp.counts->global(copy.op->instruction, *region, copy.from.data(), read, copy.width);
}

template <unsigned Width>
void move_lane(const Warp& warp, const PendingCopy& copy, unsigned lane) {
  const std::uint32_t to = copy.to[lane];
  const std::uint32_t size = copy.size[lane];
  std::memset(warp.shared + to, 0, Width);
  if (warp.races != nullptr) std::memset(warp.shared_shadow + to, shadow_written, Width);
  if (size == 0) return;
  const Region& region = warp.block->launch->memory->find(copy.from[lane]);
  const std::uint64_t offset = copy.from[lane] - region.base;
  std::memcpy(warp.shared + to, region.data + offset, size == Width ? Width : size);
  if (warp.races != nullptr && !region.all_written) {
    std::memcpy(warp.shared_shadow + to, region.shadow + offset, size);
  }
}

void land(Warp& warp, PendingCopy& copy, std::uint32_t done) {
  copy.mask &= ~done;
  for_each_lane(done, [&](unsigned lane) {
    if (copy.width == 16) {
      move_lane<16>(warp, copy, lane);
    } else if (copy.width == 8) {
      move_lane<8>(warp, copy, lane);
    } else {
      move_lane<4>(warp, copy, lane);
    }
  });
  if (warp.races != nullptr) {
    warp.races->copy_landed(warp, copy.op, copy.to.data(), done, copy.width, copy.issued);
  }
}

void land_everything(Warp& warp) {
  for (PendingCopy& copy : warp.copies->copies) {
    if (copy.mask != 0) land(warp, copy, copy.mask);
  }
  warp.copies->trim();
}

}  // namespace

const Op* async_copy_step(Warp& warp, const Op* op) {
  const Instruction& instruction = warp.block->code->program->code[op->instruction];
  if (warp.races != nullptr) check_operands(warp, op, warp.wide[op->extra]);
  PendingCopy copy;
  copy.op = op;
  copy.width = size_of(instruction.type) * instruction.vector;
  copy.mask = prepare(warp, op, copy);
  if (copy.mask == 0) return op + 1;
  note_sources(warp, copy);
  std::uint32_t lowest = ~0U;
  std::uint32_t end = 0;
  for_each_lane(copy.mask, [&](unsigned lane) {
    lowest = std::min(lowest, copy.to[lane]);
    end = std::max(end, copy.to[lane] + copy.width);
  });
  warp.block->shared_top = std::max(warp.block->shared_top, end);
  AsyncQueue& queue = *warp.copies;
  bool full = queue.copies.size() >= most_pending;
  if (warp.races != nullptr) {
    // What is wrong here the exact machine tells; here it only must not pile up.
    if (full) suspect(warp, op, SuspicionKind::async_not_waited, 0, lowest);
    full |= warp.races->overlaps_copy(warp, op, copy.to.data(), copy.mask, copy.width);
  }
  if (full) land_everything(warp);
  if (warp.races != nullptr) {
    copy.issued = warp.races->moment(warp);
    warp.races->copy_issued(warp, op, copy.to.data(), copy.mask, copy.width, lowest, end);
  }
  // Lanes that committed apart fill different groups.
  for (std::uint32_t left = copy.mask; left != 0;) {
    copy.group = queue.committed[static_cast<unsigned>(std::countr_zero(left))];
    copy.mask = 0;
    for_each_lane(left, [&](unsigned lane) {
      if (queue.committed[lane] == copy.group) copy.mask |= 1U << lane;
    });
    left &= ~copy.mask;
    queue.copies.push_back(copy);
  }
  return op + 1;
}

const Op* async_commit_step(Warp& warp, const Op* op) {
  for_each_lane(warp.mask, [&](unsigned lane) { ++warp.copies->committed[lane]; });
  return op + 1;
}

void land_copies(Warp& warp) {
  AsyncQueue& queue = *warp.copies;
  for (std::size_t k = queue.first; k < queue.copies.size(); ++k) {
    PendingCopy& copy = queue.copies[k];
    if (const std::uint32_t done = copy.mask & warp.mask; done != 0) land(warp, copy, done);
  }
  queue.trim();
}

const Op* async_wait_step(Warp& warp, const Op* op) {
  AsyncQueue& queue = *warp.copies;
  const bool all = op->c == async_wait_for_all;
  for (std::size_t k = queue.first; k < queue.copies.size(); ++k) {
    PendingCopy& copy = queue.copies[k];
    std::uint32_t done = 0;
    for_each_lane(copy.mask & warp.mask, [&](unsigned lane) {
      if (all || std::uint64_t{copy.group} + op->c < queue.committed[lane]) done |= 1U << lane;
    });
    if (done != 0) land(warp, copy, done);
  }
  queue.trim();
  return op + 1;
}

}  // namespace evo::evaluators::virtual_device::warp
