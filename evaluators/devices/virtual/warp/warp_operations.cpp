// Shuffles, votes, matches and reductions over the lanes of a warp.
#include <bit>

#include "evaluators/devices/virtual/semantics/integer.hpp"
#include "evaluators/devices/virtual/semantics/shuffle.hpp"
#include "evaluators/devices/virtual/warp/handlers.hpp"
#include "evaluators/devices/virtual/warp/lanes.hpp"
#include "evaluators/devices/virtual/warp/schedule.hpp"
#include "evaluators/devices/virtual/warp/warp_group.hpp"

namespace evo::evaluators::virtual_device::warp {

using namespace EVO_ISA;

namespace {

void store_mask(Warp& warp, std::uint32_t offset, std::uint32_t value) {
  std::uint32_t& predicate = warp.predicate(offset);
  predicate = (predicate & ~warp.mask) | (value & warp.mask);
}

/// For each distinct member mask among the running lanes: visit(mask, lanes that have it).
template <class Visit>
void for_each_group(const Warp& warp, const std::byte* masks, Visit visit) {
  std::uint32_t left = warp.mask;
  while (left != 0) {
    const auto members = read_lane<std::uint32_t>(masks, static_cast<unsigned>(std::countr_zero(left)));
    std::uint32_t same = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if ((left >> lane & 1U) != 0 && read_lane<std::uint32_t>(masks, lane) == members) same |= 1U << lane;
    }
    visit(members, same);
    left &= ~same;
  }
}

}  // namespace

std::uint32_t members_of(Warp& warp, const Op* op, const Wide& wide, unsigned which) {
  const std::byte* slot = warp.registers + wide.src[which];
  const auto first = read_lane<std::uint32_t>(slot, static_cast<std::uint32_t>(std::countr_zero(warp.mask)));
  std::uint32_t members = 0;
  bool differ = false;
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const auto own = read_lane<std::uint32_t>(slot, lane);
    if ((own >> lane & 1U) == 0) suspect(warp, op, SuspicionKind::shuffle_mask, lane);
    differ |= own != first;
    members |= own;
  }
  if ((warp.poison[wide.src_poison[which]] & warp.mask) != 0) {
    suspect(warp, op, SuspicionKind::uninitialized, 0);
  }
  if (differ) {
    for_each_group(warp, slot, [&](std::uint32_t mask, std::uint32_t same) {
      if ((mask & warp.mask) != same) {
        suspect(warp, op, SuspicionKind::shuffle_mask, static_cast<std::uint32_t>(std::countr_zero(same)));
      }
    });
  }
  return members;
}

std::uint32_t common_members(const Warp& warp, std::uint32_t of, const Wide& wide, unsigned which) {
  const std::byte* slot = warp.registers + wide.src[which];
  std::uint32_t common = all_lanes;
  for (; of != 0; of &= of - 1) {
    common &= read_lane<std::uint32_t>(slot, static_cast<std::uint32_t>(std::countr_zero(of)));
  }
  return common;
}

void check_members(Warp& warp, const Op* op, std::uint32_t members) {
  const Instruction& instruction = instruction_of(warp, op);
  const bool needs_all =
      is_matrix(instruction.op) || is_warpgroup(instruction.op) || instruction.op == Opcode::elect;
  const bool gone = (members & ~warp.live) != 0 &&
                    (needs_all || (instruction.op != Opcode::bar_warp && warp.wide[op->extra].avoidable));
  if (gone || warp.forced == op) {
    suspect(warp, op, SuspicionKind::shuffle_mask, static_cast<std::uint32_t>(std::countr_zero(warp.mask)));
  }
}

bool assemble(Warp& warp, const Op* op, std::uint32_t members) {
  if ((members & ~warp.mask) == 0) [[likely]]
    return true;
  for (std::size_t k = 0; k < warp.fragments.size();) {
    Fragment& other = warp.fragments[k];
    if (other.op == op && other.state == FragmentState::at_warp_op) {
      if (other.detail != members) {
        suspect(warp, op, SuspicionKind::shuffle_mask,
                static_cast<std::uint32_t>(std::countr_zero(other.mask)));
      }
      warp.mask |= other.mask;
      members |= other.detail;
      other = warp.fragments.back();
      warp.fragments.pop_back();
    } else {
      ++k;
    }
  }
  if ((members & warp.live & ~warp.mask) != 0 && warp.forced != op) {
    park(warp, op, FragmentState::at_warp_op, members);
    return false;
  }
  check_members(warp, op, members);
  warp.forced = nullptr;
  return true;
}

const Op* shuffle_step(Warp& warp, const Op* op) {
  const Wide& wide = warp.wide[op->extra];
  const std::uint32_t members = members_of(warp, op, wide, 3);
  if (const Op* next = meet_elsewhere(warp, op, members); next != nullptr) return next;
  if (!assemble(warp, op, members)) return next_fragment(warp);
  const Instruction& instruction = instruction_of(warp, op);
  const auto* values = reinterpret_cast<const Word*>(warp.registers + wide.src[0]);
  const auto* selectors = reinterpret_cast<const Word*>(warp.registers + wide.src[1]);
  const auto* controls = reinterpret_cast<const Word*>(warp.registers + wide.src[2]);
  const auto* masks = reinterpret_cast<const Word*>(warp.registers + wide.src[3]);
  const std::uint32_t value_poison = warp.poison[wide.src_poison[0]];
  alignas(64) std::uint32_t results[lanes];
  std::uint32_t in_range = 0;
  std::uint32_t poisoned = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const auto [from, inside] =
        semantics::shuffle_source(instruction.shuffle, lane, selectors[lane], controls[lane]);
    in_range |= static_cast<std::uint32_t>(inside) << lane;
    results[lane] = values[from];
    // What is read from a lane that takes no part is undefined: one that is not here, or not among the lanes
    // that this one names.
    poisoned |= ((value_poison | ~(warp.mask & masks[lane])) >> from & 1U) << lane;
  }
  if (warp.mask == all_lanes) {
    std::memcpy(warp.registers + wide.dst[0], results, sizeof results);
  } else {
    blend<4>(warp.registers + wide.dst[0], reinterpret_cast<const std::byte*>(results), warp.mask);
  }
  poisoned |= warp.poison[wide.src_poison[1]] | warp.poison[wide.src_poison[2]];
  set_poison(warp, wide.dst_poison[0], poisoned);
  if (wide.dst_count > 1) {
    store_mask(warp, wide.dst[1], in_range);
    set_poison(warp, wide.dst_poison[1], warp.poison[wide.src_poison[1]] | warp.poison[wide.src_poison[2]]);
  }
  return op + 1;
}

const Op* vote_step(Warp& warp, const Op* op) {
  const Wide& wide = warp.wide[op->extra];
  const std::uint32_t named = members_of(warp, op, wide, 1);
  if (const Op* next = meet_elsewhere(warp, op, named); next != nullptr) return next;
  if (!assemble(warp, op, named)) return next_fragment(warp);
  const VoteMode mode = instruction_of(warp, op).vote;
  const std::uint32_t predicate = warp.predicate(wide.src[0]);
  const std::uint32_t predicate_poison = warp.poison[wide.src_poison[0]];
  std::uint32_t result = 0;
  std::uint32_t poisoned = 0;
  std::byte* out = warp.registers + wide.dst[0];
  for_each_group(warp, warp.registers + wide.src[1], [&](std::uint32_t members, std::uint32_t same) {
    const std::uint32_t voters = members & warp.mask;
    const std::uint32_t yes = predicate & voters;
    if ((predicate_poison & voters) != 0) poisoned |= same;
    bool value = false;
    switch (mode) {
      case VoteMode::all:
        value = yes == voters;
        break;
      case VoteMode::any:
        value = yes != 0;
        break;
      case VoteMode::uni:
        value = yes == 0 || yes == voters;
        break;
      default:
        for (std::uint32_t left = same; left != 0; left &= left - 1) {
          write_lane<std::uint32_t>(out, static_cast<unsigned>(std::countr_zero(left)), yes);
        }
        break;
    }
    if (value) result |= same;
  });
  if (mode != VoteMode::ballot) store_mask(warp, wide.dst[0], result);
  set_poison(warp, wide.dst_poison[0], poisoned);
  return op + 1;
}

const Op* match_step(Warp& warp, const Op* op) {
  const Wide& wide = warp.wide[op->extra];
  const std::uint32_t named = members_of(warp, op, wide, 1);
  if (const Op* next = meet_elsewhere(warp, op, named); next != nullptr) return next;
  if (!assemble(warp, op, named)) return next_fragment(warp);
  const bool all = instruction_of(warp, op).vote == VoteMode::all;
  const std::byte* slot = warp.registers + wide.src[0];
  const auto value = [&](unsigned lane) {
    return wide.src_class[0] == 8 ? read_lane<std::uint64_t>(slot, lane)
                                  : read_lane<std::uint32_t>(slot, lane);
  };
  std::uint32_t equal = 0;
  alignas(64) std::uint32_t results[lanes] = {};
  for_each_group(warp, warp.registers + wide.src[1], [&](std::uint32_t members, std::uint32_t same) {
    const std::uint32_t group = members & warp.mask;
    for (std::uint32_t left = same; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      std::uint32_t matching = 0;
      for (std::uint32_t others = group; others != 0; others &= others - 1) {
        const auto other = static_cast<unsigned>(std::countr_zero(others));
        if (value(other) == value(lane)) matching |= 1U << other;
      }
      const bool whole = matching == group;
      results[lane] = all && !whole ? 0 : matching;
      if (whole) equal |= 1U << lane;
    }
  });
  blend<4>(warp.registers + wide.dst[0], reinterpret_cast<const std::byte*>(results), warp.mask);
  const std::uint32_t poisoned = (warp.poison[wide.src_poison[0]] & warp.mask) != 0 ? all_lanes : 0;
  set_poison(warp, wide.dst_poison[0], poisoned);
  if (wide.dst_count > 1) {
    store_mask(warp, wide.dst[1], equal);
    set_poison(warp, wide.dst_poison[1], poisoned);
  }
  return op + 1;
}

const Op* redux_step(Warp& warp, const Op* op) {
  const Wide& wide = warp.wide[op->extra];
  const std::uint32_t named = members_of(warp, op, wide, 1);
  if (const Op* next = meet_elsewhere(warp, op, named); next != nullptr) return next;
  if (!assemble(warp, op, named)) return next_fragment(warp);
  const Instruction& instruction = instruction_of(warp, op);
  const bool is_signed = instruction.type == Type::s32;
  const std::byte* slot = warp.registers + wide.src[0];
  std::byte* out = warp.registers + wide.dst[0];
  std::uint32_t poisoned = 0;
  alignas(64) std::uint32_t results[lanes] = {};
  for_each_group(warp, warp.registers + wide.src[1], [&](std::uint32_t members, std::uint32_t same) {
    const std::uint32_t group = members & warp.mask;
    bool first = true;
    std::uint32_t total = 0;
    for (std::uint32_t left = group; left != 0; left &= left - 1) {
      const auto value = read_lane<std::uint32_t>(slot, static_cast<unsigned>(std::countr_zero(left)));
      if (first) {
        total = value;
        first = false;
        continue;
      }
      const bool below =
          is_signed ? static_cast<std::int32_t>(value) < static_cast<std::int32_t>(total) : value < total;
      switch (instruction.atomic) {
        case AtomicOp::min:
          total = below ? value : total;
          break;
        case AtomicOp::max:
          total = below ? total : value;
          break;
        case AtomicOp::and_:
          total &= value;
          break;
        case AtomicOp::or_:
          total |= value;
          break;
        case AtomicOp::xor_:
          total ^= value;
          break;
        default:
          total += value;
          break;
      }
    }
    if ((warp.poison[wide.src_poison[0]] & group) != 0) poisoned |= same;
    for (std::uint32_t left = same; left != 0; left &= left - 1) results[std::countr_zero(left)] = total;
  });
  blend<4>(out, reinterpret_cast<const std::byte*>(results), warp.mask);
  set_poison(warp, wide.dst_poison[0], poisoned);
  return op + 1;
}

const Op* elect_step(Warp& warp, const Op* op) {
  const Wide& wide = warp.wide[op->extra];
  if (!assemble(warp, op, members_of(warp, op, wide, 0))) return next_fragment(warp);
  std::byte* out = warp.registers + wide.dst[0];
  std::uint32_t leaders = 0;
  for_each_group(warp, warp.registers + wide.src[0], [&](std::uint32_t named, std::uint32_t same) {
    const auto leader = static_cast<std::uint32_t>(std::countr_zero(named));
    leaders |= std::uint32_t{1} << leader;
    for (std::uint32_t left = same; left != 0; left &= left - 1) {
      write_lane<std::uint32_t>(out, static_cast<unsigned>(std::countr_zero(left)), leader);
    }
  });
  set_poison(warp, wide.dst_poison[0], 0);
  if (wide.dst_count > 1) {
    store_mask(warp, wide.dst[1], leaders);
    set_poison(warp, wide.dst_poison[1], 0);
  }
  return op + 1;
}

const Op* activemask_step(Warp& warp, const Op* op) {
  const Wide& wide = warp.wide[op->extra];
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    write_lane<std::uint32_t>(warp.registers + wide.dst[0], static_cast<unsigned>(std::countr_zero(left)),
                              warp.mask);
  }
  set_poison(warp, wide.dst_poison[0], 0);
  return op + 1;
}

}  // namespace evo::evaluators::virtual_device::warp
