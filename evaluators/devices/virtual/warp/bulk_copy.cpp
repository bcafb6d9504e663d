// Bulk copies (TMA) in unchecked runs, which only want values and counts: what is wrong with their use the
// exact machine tells. They are done at once, as early as a GPU may do them.
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "evaluators/devices/virtual/memory_map.hpp"
#include "evaluators/devices/virtual/semantics/atomic.hpp"
#include "evaluators/devices/virtual/tensor_map.hpp"
#include "evaluators/devices/virtual/warp/handlers.hpp"
#include "evaluators/devices/virtual/warp/lanes.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

using namespace EVO_ISA;

constexpr std::uint32_t bulk_chunk = 16, bulk_alignment = 16, tensor_alignment = 128;

/// One lane's copy.
struct LaneBulkCopy {
  std::uint64_t shared = 0, mbarrier = 0;
  std::uint32_t bytes = 0, swizzle = 0;
  std::vector<BoxRow> rows;
  Type type = Type::none;
};

void tell_bulk(Warp& warp, const Op* op, unsigned lane, FaultKind kind, std::string text) {
  Fault fault;
  fault.kind = kind;
  fault.thread = BlockState::thread_of(warp, lane);
  fault.text = std::move(text);
  fail(warp, op, fault);
}

bool bulk_outside(Warp& warp, const Op* op, unsigned lane, Space space, std::uint64_t address,
                  std::uint32_t width, bool write) {
  const bool inside = space == Space::shared
                          ? address < warp.shared_bytes && width <= warp.shared_bytes - address
                          : warp.block->launch->memory->locate(address, width) != nullptr;
  if (inside) return false;
  Fault fault;
  fault.kind = FaultKind::out_of_bounds;
  fault.space = space;
  fault.write = write;
  fault.thread = BlockState::thread_of(warp, lane);
  fault.address = address;
  fault.width = width;
  fail(warp, op, fault);
  return true;
}

const TensorMap* bulk_map_of(Warp& warp, const Op* op, unsigned lane, std::uint64_t address) {
  const Launch& launch = *warp.block->launch;
  const unsigned dimensions = instruction_of(warp, op).bulk.dimensions;
  const std::byte* const bytes = bytes_of_map(launch, address);
  const TensorMap* map = usable_tensor_map(launch.tensor_maps, bytes, dimensions);
  if (map == nullptr) {
    tell_bulk(warp, op, lane, FaultKind::wrong_tensor_map,
              tensor_map_fault(launch.tensor_maps, bytes, dimensions));
  }
  return map;
}

/// False if there is nothing to copy, which was told.
bool describe_bulk(Warp& warp, const Op* op, unsigned lane, LaneBulkCopy& copy) {
  const Wide& wide = warp.wide[op->extra];
  const Instruction& i = instruction_of(warp, op);
  const auto value = [&](unsigned source) {
    const std::byte* slot = warp.registers + wide.src[source];
    return wide.src_class[source] == 8 ? read_lane<std::uint64_t>(slot, lane)
                                       : std::uint64_t{read_lane<std::uint32_t>(slot, lane)};
  };
  copy.shared = value(0) + static_cast<std::uint64_t>(op->offset);
  if (wide.src_class[0] != 8) copy.shared &= 0xffffffffU;
  copy.mbarrier = (value(2) + static_cast<std::uint64_t>(i.bulk.barrier_offset)) & 0xffffffffU;
  copy.type = i.type;
  const std::uint64_t from = value(1) + i.immediate;
  const bool loads = i.bulk.mode == BulkMode::load;
  if (i.bulk.dimensions == 0) {
    copy.bytes = static_cast<std::uint32_t>(value(4));
    copy.rows.push_back({0, copy.bytes, 0, copy.bytes, from});
    if ((copy.bytes | from | copy.shared) % bulk_alignment != 0)
      tell_bulk(warp, op, lane, FaultKind::misaligned,
                "a bulk copy's addresses and size must be multiples of 16");
  } else {
    const TensorMap* map = bulk_map_of(warp, op, lane, from);
    if (map == nullptr) return false;
    std::array<std::int32_t, 5> coordinates{};
    for (unsigned d = 0; d < i.bulk.dimensions; ++d) coordinates[d] = static_cast<std::int32_t>(value(4 + d));
    copy.rows = rows_of(*map, std::span(coordinates).first(i.bulk.dimensions));
    copy.bytes = map->box_bytes();
    copy.swizzle = map->plan.swizzle;
    copy.type = reduction_type(*map);
    if (copy.shared % tensor_alignment != 0)
      tell_bulk(warp, op, lane, FaultKind::misaligned,
                "a bulk copy's shared memory must begin at a multiple of 128");
  }
  if (copy.bytes == 0 || bulk_outside(warp, op, lane, Space::shared, copy.shared, copy.bytes, loads))
    return false;
  for (BoxRow& row : copy.rows) {
    const std::uint32_t width = row.last - row.first;
    if (width != 0 && bulk_outside(warp, op, lane, Space::global, row.address, width, !loads))
      row.first = row.last = 0;
  }
  return true;
}

/// Calls visit(shared offset, row, offset in the row, bytes).
template <class Visit>
void for_each_bulk_piece(const Warp& warp, const LaneBulkCopy& copy, Visit visit) {
  for (const BoxRow& row : copy.rows) {
    for (std::uint32_t offset = 0; offset < row.bytes; offset += bulk_chunk) {
      const std::uint64_t to = swizzled(copy.shared + row.at + offset, copy.swizzle);
      const std::uint32_t bytes = std::min(bulk_chunk, row.bytes - offset);
      if (to + bytes <= warp.shared_bytes) visit(to, row, offset, bytes);
    }
  }
}

const std::byte* global_data(const Warp& warp, std::uint64_t address) {
  const Region& region = warp.block->launch->memory->find(address);
  return region.data + (address - region.base);
}

void bulk_load(Warp& warp, const LaneBulkCopy& copy) {
  for_each_bulk_piece(warp, copy,
                      [&](std::uint64_t to, const BoxRow& row, std::uint32_t offset, std::uint32_t bytes) {
                        std::memset(warp.shared + to, 0, bytes);
                        const std::uint32_t first = std::max(offset, row.first);
                        const std::uint32_t last = std::min(offset + bytes, row.last);
                        if (first >= last) return;
                        std::memcpy(warp.shared + to + (first - offset),
                                    global_data(warp, row.address) + (first - row.first), last - first);
                      });
}

/// False where the machine does not know the arithmetic.
bool bulk_store(Warp& warp, const Op* op, unsigned lane, const LaneBulkCopy& copy) {
  const Instruction& i = instruction_of(warp, op);
  const bool reduces = i.bulk.mode == BulkMode::reduce;
  const std::uint32_t element = reduces ? size_of(copy.type) : 1;
  if (element == 0) return false;
  bool known = true;
  for (const BoxRow& row : copy.rows) {
    if (row.first >= row.last) continue;
    const Region& region = warp.block->launch->memory->find(row.address);
    if (region.restricted()) check_trespass(warp, op, region, lane, row.address, row.last - row.first);
    std::memset(region.shadow + (row.address - region.base), shadow_written, row.last - row.first);
  }
  for_each_bulk_piece(
      warp, copy, [&](std::uint64_t from, const BoxRow& row, std::uint32_t offset, std::uint32_t bytes) {
        const std::uint32_t first = std::max(offset, row.first);
        const std::uint32_t last = std::min(offset + bytes, row.last);
        if (first >= last) return;
        auto* const to = const_cast<std::byte*>(global_data(warp, row.address)) + (first - row.first);
        const std::byte* const source = warp.shared + from + (first - offset);
        if (!reduces) {
          std::memcpy(to, source, last - first);
          return;
        }
        for (std::uint32_t at = 0; at + element <= last - first; at += element) {
          std::uint64_t old = 0, operand = 0, result = 0;
          std::memcpy(&old, to + at, element);
          std::memcpy(&operand, source + at, element);
          known &= semantics::atomic_value(i.atomic, copy.type, true, old, operand, 0, result);
          std::memcpy(to + at, &result, element);
        }
      });
  warp.block->stored = true;
  if (reduces) depend_on_others(warp);
  return known;
}

/// As copies of 16 bytes a lane.
void count_bulk(const Warp& warp, const Op* op, const LaneBulkCopy& copy) {
  if (warp.counts == nullptr) return;
  std::array<std::uint32_t, lanes> near{};
  std::array<std::uint64_t, lanes> far{};
  unsigned lane = 0;
  std::uint32_t global = 0;
  const Region* region = nullptr;
  const auto flush = [&] {
    if (lane == 0) return;
    warp.counts->async(std::uint64_t{lane} * bulk_chunk);
    const std::uint32_t mask = lane == lanes ? all_lanes : (1U << lane) - 1;
    warp.counts->shared(op->instruction, near.data(), mask, bulk_chunk);
    if (global != 0) warp.counts->global(op->instruction, *region, far.data(), global, bulk_chunk);
    lane = global = 0;
  };
  for_each_bulk_piece(
      warp, copy, [&](std::uint64_t at, const BoxRow& row, std::uint32_t offset, std::uint32_t bytes) {
        const bool inside = offset >= row.first && offset + bytes <= row.last;
        const std::uint64_t address = row.address + (offset - row.first);
        const Region* const own = inside ? &warp.block->launch->memory->find(address) : region;
        if (own != region) flush();
        region = own;
        near[lane] = static_cast<std::uint32_t>(at);
        far[lane] = address;
        if (inside) global |= 1U << lane;
        if (++lane == lanes) flush();
      });
  flush();
}

}  // namespace

const Op* bulk_copy_step(Warp& warp, const Op* op) {
  const Instruction& i = instruction_of(warp, op);
  if (i.bulk.mode == BulkMode::prefetch) return op + 1;
  const Wide& wide = warp.wide[op->extra];
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (i.bulk.multicast && (read_lane<std::uint32_t>(warp.registers + wide.src[3], lane) & 0xffffU) != 1)
      return stop(warp, op, FaultKind::unsupported);
    LaneBulkCopy copy;
    if (!describe_bulk(warp, op, lane, copy)) continue;
    warp.block->shared_top =
        std::max(warp.block->shared_top, static_cast<std::uint32_t>(copy.shared) + copy.bytes);
    count_bulk(warp, op, copy);
    if (i.bulk.mode == BulkMode::load) {
      bulk_load(warp, copy);
      complete_bytes(warp, op, lane, copy.mbarrier, copy.bytes);
    } else if (!bulk_store(warp, op, lane, copy)) {
      return stop(warp, op, FaultKind::unsupported);
    }
    warp.polls = warp.in_vain = 0;  // it came on
  }
  return op + 1;
}

}  // namespace evo::evaluators::virtual_device::warp
