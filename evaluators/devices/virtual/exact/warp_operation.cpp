#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/matrix_registers.hpp"
#include "evaluators/devices/virtual/meeting.hpp"
#include "evaluators/devices/virtual/semantics/shuffle.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

constexpr unsigned no_mask = 6, whole_warp = 7;

/// Which source holds the member mask; none for activemask, all lanes for matrix operations.
unsigned mask_source(Opcode op) {
  if (is_matrix(op) || is_warpgroup(op)) return whole_warp;
  switch (op) {
    case Opcode::bar_warp:
    case Opcode::elect:
      return 0;
    case Opcode::shfl:
      return 3;
    case Opcode::activemask:
      return no_mask;
    default:
      return 1;
  }
}

}  // namespace

void Block::report_mask(const Thread& thread, std::string text, const Thread* other) {
  Finding finding;
  finding.kind = FindingKind::shuffle_mask;
  finding.here = site(thread);
  if (other != nullptr) finding.other = site(*other);
  finding.text = std::move(text);
  log_.add(finding);
}

void Block::reach_warp_operation(Thread& thread, const Step& step) {
  const std::uint32_t warp = thread.warp();
  const unsigned where = mask_source(step.instruction->op);
  const std::uint32_t own = 1U << thread.lane();
  thread.mask = where == whole_warp ? lanes_in(warp)
                : where == no_mask  ? 0
                                    : static_cast<std::uint32_t>(source(thread, step, where));
  thread.bad_mask = false;
  if (where < no_mask) {
    if (thread.tainted && thread.poison[step.src[where]] != 0) {
      report_uninitialized(thread, thread.poison[step.src[where]], "is a member mask");
    }
    if ((thread.mask & own) == 0) {
      report_mask(thread,
                  fmt::format("Wrong member mask: {} executes {} with mask {:#010x}, which does not name the "
                              "lane itself (lane {})",
                              place_text(launch_, site(thread)), line_text(*code_.program, thread.pc),
                              thread.mask, thread.lane()));
      thread.mask = own;
      thread.bad_mask = true;
    }
  }
  thread.state = State::at_warp_op;
  ready_[warp] &= ~own;
  // Who waits for this lane has named the same mask: nobody goes on while others of it are still to come.
  if (where != no_mask && (thread.mask & living_[warp] & ready_[warp]) == 0) try_warp_operation(warp);
}

/// Performs every warp operation of this warp for which all living lanes of its mask have come.
void Block::try_warp_operation(std::uint32_t warp) {
  std::uint32_t todo = living_[warp] & ~ready_[warp];
  while (todo != 0) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(todo));
    todo &= todo - 1;
    const Thread& thread = lane_of(warp, lane);
    if (thread.state != State::at_warp_op) continue;
    const Step& step = code_.steps[thread.pc];
    if (step.instruction->op == Opcode::activemask) continue;
    const std::uint32_t needed = thread.mask & living_[warp];
    if ((needed & ready_[warp]) != 0) continue;
    bool complete = true;
    for_each_lane(needed, [&](std::uint32_t other_lane) {
      const Thread& other = lane_of(warp, other_lane);
      complete &= other.state == State::at_warp_op && other.mask == thread.mask &&
                  meets(*step.instruction, *code_.steps[other.pc].instruction);
    });
    if (!complete) continue;
    if (step.instruction->op == Opcode::wgmma) {
      todo &= ~needed;
      if (reach_wgmma(warp, step)) continue;
      return;  // until the other warps come
    }
    perform_warp_operation(warp, needed, step);
    todo &= ~needed;
  }
}

void Block::perform_warp_operation(std::uint32_t warp, std::uint32_t lanes, const Step& step) {
  const Opcode op = step.instruction->op;
  const auto leader = static_cast<std::uint32_t>(std::countr_zero(lanes));
  const Thread& first = lane_of(warp, leader);
  if (op != Opcode::bar_warp && op != Opcode::activemask) check_left_lanes(warp, first);
  switch (op) {
    case Opcode::bar_warp: {
      scratch_.clear();
      for_each_lane(lanes, [&](std::uint32_t lane) { scratch_.push_back(warp * 32 + lane); });
      clocks_.meet(scratch_);
      if (order_ != nullptr) share_knowledge(scratch_);
      note_meeting(scratch_);
      break;
    }
    case Opcode::shfl:
      shuffle(warp, lanes);
      break;
    case Opcode::vote:
      vote(warp, lanes, step);
      break;
    case Opcode::match:
      match(warp, lanes, step);
      break;
    case Opcode::redux:
      reduce(warp, lanes, step);
      break;
    case Opcode::elect:
      for_each_lane(lanes, [&](std::uint32_t lane) {
        set(lane_of(warp, lane), step, 0, leader, 0);
        if (step.dst_count > 1) set(lane_of(warp, lane), step, 1, lane == leader ? 1 : 0, 0);
      });
      break;
    case Opcode::activemask:
      for_each_lane(lanes, [&](std::uint32_t lane) { set(lane_of(warp, lane), step, 0, lanes, 0); });
      break;
    case Opcode::wgmma_fence:
    case Opcode::wgmma_commit:
    case Opcode::wgmma_wait:
    case Opcode::set_max_registers:
      order_wgmma(warp, step);
      break;
    default:
      matrix_operation(warp, lanes, step);
      break;
  }
  if (code_.follows_reads) follow_lanes(warp, lanes, op);
  for_each_lane(lanes, [&](std::uint32_t lane) {
    Thread& thread = lane_of(warp, lane);
    note_arrival(thread, lanes, thread.mask);
    thread.state = State::ready;
    ++thread.pc;
  });
  ready_[warp] |= lanes;
}

void Block::shuffle(std::uint32_t warp, std::uint32_t lanes) {
  Word values[32];
  Word undefined[32];
  std::uint32_t poisons[32];
  for_each_lane(lanes, [&](std::uint32_t lane) {
    const Thread& thread = lane_of(warp, lane);
    const Step& own = code_.steps[thread.pc];
    values[lane] = source(thread, own, 0) & 0xffffffffU;
    poisons[lane] = thread.tainted ? thread.poison[own.src[0]] : 0;
    undefined[lane] = undefined_bits(thread, own.src[0]);
  });
  for_each_lane(lanes, [&](std::uint32_t lane) {
    Thread& thread = lane_of(warp, lane);
    const Step& own = code_.steps[thread.pc];
    const auto [from, inside] = semantics::shuffle_source(own.instruction->shuffle, lane,
                                                          static_cast<std::uint32_t>(source(thread, own, 1)),
                                                          static_cast<std::uint32_t>(source(thread, own, 2)));
    thread.shuffled_from = from;
    // Which lane it reads from decides the value, and whether that lane is one of the segment.
    std::uint32_t chosen = 0;
    if (thread.tainted) {
      chosen = thread.poison[own.src[1]];
      if (chosen == 0) chosen = thread.poison[own.src[2]];
    }
    std::uint32_t poison = chosen;
    Word value = values[lane];
    Word bits = all_undefined;
    if ((lanes >> from & 1) == 0 && !thread.bad_mask) {
      if (poison == 0) poison = origin_of_lane(thread, from);
    } else if (!thread.bad_mask) {
      value = values[from];
      if (poison == 0) {
        poison = poisons[from];
        bits = undefined[from];
      }
    }
    if (poison != 0 && !thread.tainted) thread.tainted = true;
    set(thread, own, 0, value, poison, bits);
    if (own.dst_count > 1) set(thread, own, 1, inside ? 1 : 0, chosen);
  });
}

void Block::vote(std::uint32_t warp, std::uint32_t lanes, const Step& step) {
  std::uint32_t ballot = 0;
  std::uint32_t undefined = 0;
  std::uint32_t poison = 0;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    const Thread& thread = lane_of(warp, lane);
    const Step& own = code_.steps[thread.pc];
    if ((source(thread, own, 0) & 1) != 0) ballot |= 1U << lane;
    const std::uint32_t from = thread.tainted ? thread.poison[own.src[0]] : 0;
    if (from == 0) return;
    undefined |= 1U << lane;
    if (poison == 0) poison = from;
  });
  const std::uint32_t known_true = ballot & ~undefined;
  const std::uint32_t known_false = lanes & ~ballot & ~undefined;
  Word result = ballot;
  bool decided = false;  // whatever the lanes without a value say
  switch (step.instruction->vote) {
    case VoteMode::all:
      result = ballot == lanes ? 1 : 0;
      decided = known_false != 0;
      break;
    case VoteMode::any:
      result = ballot != 0 ? 1 : 0;
      decided = known_true != 0;
      break;
    case VoteMode::uni:
      result = ballot == lanes || ballot == 0 ? 1 : 0;
      decided = known_true != 0 && known_false != 0;
      break;
    default:
      break;
  }
  const Word bits = step.instruction->vote == VoteMode::ballot ? undefined : decided ? 0 : all_undefined;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    Thread& thread = lane_of(warp, lane);
    const Step& own = code_.steps[thread.pc];
    thread.tainted |= poison != 0;
    set(thread, own, 0, result, poison, bits);
  });
}

void Block::match(std::uint32_t warp, std::uint32_t lanes, const Step& step) {
  const Word mask = size_of(step.instruction->type) == 8 ? ~Word{0} : Word{0xffffffffU};
  Word values[32] = {};
  std::uint32_t poison = 0;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    const Thread& thread = lane_of(warp, lane);
    const Step& own = code_.steps[thread.pc];
    values[lane] = source(thread, own, 0) & mask;
    if (thread.tainted && poison == 0) poison = thread.poison[own.src[0]];
  });
  for_each_lane(lanes, [&](std::uint32_t lane) {
    std::uint32_t equal = 0;
    for_each_lane(lanes,
                  [&](std::uint32_t other) { equal |= values[other] == values[lane] ? 1U << other : 0; });
    const bool all = equal == lanes;
    Thread& thread = lane_of(warp, lane);
    const Step& own = code_.steps[thread.pc];
    thread.tainted |= poison != 0;
    set(thread, own, 0, step.instruction->vote == VoteMode::all && !all ? 0 : equal, poison);
    if (own.dst_count > 1) set(thread, own, 1, all ? 1 : 0, poison);
  });
}

void Block::reduce(std::uint32_t warp, std::uint32_t lanes, const Step& step) {
  const bool is_signed = step.instruction->type == Type::s32;
  const auto join = [&](std::uint32_t a, std::uint32_t b) -> std::uint32_t {
    const bool less = is_signed ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
    switch (step.instruction->atomic) {
      case AtomicOp::add:
        return a + b;
      case AtomicOp::min:
        return less ? a : b;
      case AtomicOp::max:
        return less ? b : a;
      case AtomicOp::and_:
        return a & b;
      case AtomicOp::or_:
        return a | b;
      default:
        return a ^ b;
    }
  };
  bool first = true;
  std::uint32_t result = 0;
  std::uint32_t poison = 0;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    const Thread& thread = lane_of(warp, lane);
    const Step& own = code_.steps[thread.pc];
    const auto value = static_cast<std::uint32_t>(source(thread, own, 0));
    result = first ? value : join(result, value);
    first = false;
    if (thread.tainted && poison == 0) poison = thread.poison[own.src[0]];
  });
  for_each_lane(lanes, [&](std::uint32_t lane) {
    Thread& thread = lane_of(warp, lane);
    const Step& own = code_.steps[thread.pc];
    thread.tainted |= poison != 0;
    set(thread, own, 0, result, poison);
  });
}

/// activemask has no mask to wait for: the lanes that stand at the same one when no lane of the warp can go
/// on are the active ones, as on a GPU that runs convergent lanes together.
bool Block::converge_active_lanes(std::uint32_t warp) {
  std::uint32_t lanes = 0;
  std::uint32_t lowest = std::numeric_limits<std::uint32_t>::max();
  for_each_lane(living_[warp], [&](std::uint32_t lane) {
    const Thread& thread = lane_of(warp, lane);
    if (thread.state != State::at_warp_op) return;
    if (code_.steps[thread.pc].instruction->op != Opcode::activemask || thread.pc > lowest) return;
    if (thread.pc < lowest) lanes = 0;
    lowest = thread.pc;
    lanes |= 1U << lane;
  });
  if (lanes == 0) return false;
  perform_warp_operation(warp, lanes, code_.steps[lowest]);
  return true;
}

}  // namespace evo::evaluators::virtual_device::exact
