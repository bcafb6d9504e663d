// The arithmetic that has no vector step of its own, lane by lane, and the moves between lane classes.
#include <bit>

#include "evaluators/devices/virtual/memory_map.hpp"
#include "evaluators/devices/virtual/warp/handlers.hpp"
#include "evaluators/devices/virtual/warp/lanes.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

using namespace EVO_ISA;

std::uint64_t read_any(const Warp& warp, std::uint32_t offset, unsigned lane_class, unsigned lane) {
  const std::byte* slot = warp.registers + offset;
  if (lane_class == 8) return read_lane<std::uint64_t>(slot, lane);
  if (lane_class == 4) return read_lane<std::uint32_t>(slot, lane);
  return read_lane<bool>(slot, lane) ? 1 : 0;
}
void write_any(Warp& warp, std::uint32_t offset, unsigned lane_class, unsigned lane, std::uint64_t value) {
  std::byte* slot = warp.registers + offset;
  if (lane_class == 8) {
    write_lane<std::uint64_t>(slot, lane, value);
  } else if (lane_class == 4) {
    write_lane<std::uint32_t>(slot, lane, static_cast<std::uint32_t>(value));
  } else {
    std::uint32_t& predicate = warp.predicate(offset);
    predicate = (predicate & ~(1U << lane)) | static_cast<std::uint32_t>(value & 1) << lane;
  }
}
std::uint32_t source_poison(const Warp& warp, const Wide& wide) {
  std::uint32_t poisoned = 0;
  for (unsigned source = 0; source < wide.src_count; ++source)
    poisoned |= warp.poison[wide.src_poison[source]];
  return poisoned;
}

}  // namespace

const Op* scalar_step(Warp& warp, const Op* op) {
  const Wide& wide = warp.wide[op->extra];
  const Instruction& instruction = warp.block->code->program->code[op->instruction];
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    std::uint64_t sources[6] = {};
    for (unsigned source = 0; source < wide.src_count; ++source) {
      sources[source] = read_any(warp, wide.src[source], wide.src_class[source], lane);
    }
    sources[semantics::carry_source] =
        wide.src_count > semantics::carry_source ? sources[semantics::carry_source] : warp.carry >> lane & 1U;
    const semantics::ScalarResult result = wide.scalar(instruction, sources);
    write_any(warp, wide.dst[0], wide.dst_class[0], lane, result.value);
    if (instruction.carry_out) {
      warp.carry = (warp.carry & ~(1U << lane)) | static_cast<std::uint32_t>(result.flag) << lane;
    } else if (wide.dst_count > 1) {
      write_any(warp, wide.dst[1], wide.dst_class[1], lane, result.flag ? 1 : 0);
    }
  }
  const std::uint32_t poisoned = source_poison(warp, wide);
  set_poison(warp, wide.dst_poison[0], poisoned);
  if (wide.dst_count > 1) set_poison(warp, wide.dst_poison[1], poisoned);
  return op + 1;
}

// Elements of pack and unpack are 8, 16 or 32 bits; c is their width.
const Op* pack_step(Warp& warp, const Op* op) {
  const Wide& wide = warp.wide[op->extra];
  const std::uint64_t element_mask = (std::uint64_t{1} << op->c) - 1;
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    std::uint64_t value = 0;
    for (unsigned source = 0; source < wide.src_count; ++source) {
      value |= (read_any(warp, wide.src[source], wide.src_class[source], lane) & element_mask)
               << (op->c * source);
    }
    write_any(warp, wide.dst[0], wide.dst_class[0], lane, value);
  }
  set_poison(warp, wide.dst_poison[0], source_poison(warp, wide));
  return op + 1;
}

const Op* unpack_step(Warp& warp, const Op* op) {
  const Wide& wide = warp.wide[op->extra];
  const std::uint64_t element_mask = (std::uint64_t{1} << op->c) - 1;
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t value = read_any(warp, wide.src[0], wide.src_class[0], lane);
    for (unsigned target = 0; target < wide.dst_count; ++target) {
      write_any(warp, wide.dst[target], wide.dst_class[target], lane,
                value >> (op->c * target) & element_mask);
    }
  }
  const std::uint32_t poisoned = source_poison(warp, wide);
  for (unsigned target = 0; target < wide.dst_count; ++target)
    set_poison(warp, wide.dst_poison[target], poisoned);
  return op + 1;
}

const Op* resize_step(Warp& warp, const Op* op) {
  const bool to_long = (op->c & 1U) != 0;
  const bool extend = (op->c & 2U) != 0;
  const bool from_long = (op->c & 4U) != 0;
  const unsigned shift = 64 - (op->c >> 8);
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    std::uint64_t value = read_any(warp, op->a, from_long ? 8 : 4, lane) << shift;
    value = extend ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> shift) : value >> shift;
    write_any(warp, op->d, to_long ? 8 : 4, lane, value);
  }
  set_poison(warp, op->pd, warp.poison[op->pa]);
  return op + 1;
}

const Op* not_predicate_step(Warp& warp, const Op* op) {
  std::uint32_t& predicate = warp.predicate(op->d);
  predicate = (predicate & ~warp.mask) | (~warp.predicate(op->a) & warp.mask);
  set_poison(warp, op->pd, warp.poison[op->pa]);
  return op + 1;
}

const Op* address_step(Warp& warp, const Op* op) {
  const unsigned source_class = (op->c & 1U) != 0 ? 8 : 4;
  const unsigned target_class = (op->c & 2U) != 0 ? 8 : 4;
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address =
        read_any(warp, op->a, source_class, lane) + static_cast<std::uint64_t>(op->offset);
    write_any(warp, op->d, target_class, lane, address);
  }
  set_poison(warp, op->pd, warp.poison[op->pa]);
  return op + 1;
}

const Op* isspacep_step(Warp& warp, const Op* op) {
  std::uint32_t result = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const std::uint64_t address = read_lane<std::uint64_t>(warp.registers + op->a, lane);
    result |= static_cast<std::uint32_t>(space_of(address) == static_cast<Space>(op->c)) << lane;
  }
  std::uint32_t& predicate = warp.predicate(op->d);
  predicate = (predicate & ~warp.mask) | (result & warp.mask);
  set_poison(warp, op->pd, warp.poison[op->pa]);
  return op + 1;
}

const Op* clock_step(Warp& warp, const Op* op) {
  const std::uint64_t now = op->b != 0 ? warp.instructions >> 32 : warp.instructions;
  for (unsigned lane = 0; lane < lanes; ++lane) write_any(warp, op->d, op->c, lane, now);
  return op + 1;
}

}  // namespace evo::evaluators::virtual_device::warp
