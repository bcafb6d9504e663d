#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/matrix_registers.hpp"
#include "evaluators/devices/virtual/semantics/shuffle.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

constexpr unsigned no_mask = 6, whole_warp = 7;

/// Which source holds the member mask; none for activemask, all lanes for matrix operations.
unsigned mask_source(Opcode op) {
  if (is_matrix(op)) return whole_warp;
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
  if (where != no_mask) try_warp_operation(warp);
}

/// Performs every warp operation of this warp for which all living lanes of its mask have come. shfl, vote,
/// match and redux exchange values at one instruction; bar.warp.sync may be met at several.
void Block::try_warp_operation(std::uint32_t warp) {
  std::uint32_t todo = living_[warp] & ~ready_[warp];
  while (todo != 0) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(todo));
    todo &= todo - 1;
    const Thread& thread = lane_of(warp, lane);
    if (thread.state != State::at_warp_op) continue;
    const Step& step = code_.steps[thread.pc];
    const Opcode op = step.instruction->op;
    if (op == Opcode::activemask) continue;
    const std::uint32_t needed = thread.mask & living_[warp];
    bool complete = true;
    for_each_lane(needed, [&](std::uint32_t other_lane) {
      const Thread& other = lane_of(warp, other_lane);
      const bool here =
          other.state == State::at_warp_op && other.mask == thread.mask &&
          (other.pc == thread.pc ||
           (op == Opcode::bar_warp && code_.steps[other.pc].instruction->op == Opcode::bar_warp));
      complete &= here;
    });
    if (!complete) continue;
    perform_warp_operation(warp, needed, step);
    todo &= ~needed;
  }
}

void Block::perform_warp_operation(std::uint32_t warp, std::uint32_t lanes, const Step& step) {
  const Opcode op = step.instruction->op;
  const auto leader = static_cast<std::uint32_t>(std::countr_zero(lanes));
  const Thread& first = lane_of(warp, leader);
  const std::uint32_t left = first.mask & lanes_in(warp) & ~living_[warp];
  if (left != 0 && op != Opcode::bar_warp && op != Opcode::activemask) {
    const Thread& gone = lane_of(warp, static_cast<std::uint32_t>(std::countr_zero(left)));
    report_mask(
        first,
        fmt::format("Warp operation with a mask that names absent lanes: {} executes {} with mask {:#010x}, "
                    "but lane {} left the kernel at {}",
                    place_text(launch_, site(first)), line_text(*code_.program, first.pc), first.mask,
                    gone.lane(), line_text(*code_.program, gone.pc)),
        &gone);
  }
  switch (op) {
    case Opcode::bar_warp: {
      scratch_.clear();
      for_each_lane(lanes, [&](std::uint32_t lane) { scratch_.push_back(warp * 32 + lane); });
      clocks_.synchronise(scratch_, scratch_);
      break;
    }
    case Opcode::shfl:
      shuffle(warp, lanes, step);
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
    default:
      matrix_operation(warp, lanes, step);
      break;
  }
  for_each_lane(lanes, [&](std::uint32_t lane) {
    Thread& thread = lane_of(warp, lane);
    thread.state = State::ready;
    ++thread.pc;
  });
  ready_[warp] |= lanes;
}

void Block::shuffle(std::uint32_t warp, std::uint32_t lanes, const Step& step) {
  Word values[32];
  std::uint32_t poisons[32];
  for_each_lane(lanes, [&](std::uint32_t lane) {
    const Thread& thread = lane_of(warp, lane);
    values[lane] = source(thread, step, 0) & 0xffffffffU;
    poisons[lane] = thread.tainted ? thread.poison[step.src[0]] : 0;
  });
  for_each_lane(lanes, [&](std::uint32_t lane) {
    Thread& thread = lane_of(warp, lane);
    const auto [from, inside] = semantics::shuffle_source(
        step.instruction->shuffle, lane, static_cast<std::uint32_t>(source(thread, step, 1)),
        static_cast<std::uint32_t>(source(thread, step, 2)));
    std::uint32_t poison = 0;
    Word value = values[lane];
    if ((lanes >> from & 1) == 0 && !thread.bad_mask) {
      const bool exists = (lanes_in(warp) >> from & 1) != 0;
      report_mask(
          thread,
          fmt::format(
              "Shuffle from an absent lane: {} (lane {}) reads at {} from lane {}, which {}; the mask "
              "is {:#010x}",
              place_text(launch_, site(thread)), lane, line_text(*code_.program, thread.pc), from,
              exists ? "does not take part" : "the block does not have", thread.mask),
          exists ? &lane_of(warp, from) : nullptr);
    } else if (!thread.bad_mask) {
      value = values[from];
      poison = poisons[from];
    }
    if (poison != 0 && !thread.tainted) thread.tainted = true;
    set(thread, step, 0, value, poison);
    if (step.dst_count > 1) set(thread, step, 1, inside ? 1 : 0, 0);
  });
}

void Block::vote(std::uint32_t warp, std::uint32_t lanes, const Step& step) {
  std::uint32_t ballot = 0;
  std::uint32_t poison = 0;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    const Thread& thread = lane_of(warp, lane);
    if ((source(thread, step, 0) & 1) != 0) ballot |= 1U << lane;
    if (thread.tainted && poison == 0) poison = thread.poison[step.src[0]];
  });
  Word result = ballot;
  switch (step.instruction->vote) {
    case VoteMode::all:
      result = ballot == lanes ? 1 : 0;
      break;
    case VoteMode::any:
      result = ballot != 0 ? 1 : 0;
      break;
    case VoteMode::uni:
      result = ballot == lanes || ballot == 0 ? 1 : 0;
      break;
    default:
      break;
  }
  for_each_lane(lanes, [&](std::uint32_t lane) {
    Thread& thread = lane_of(warp, lane);
    thread.tainted |= poison != 0;
    set(thread, step, 0, result, poison);
  });
}

void Block::match(std::uint32_t warp, std::uint32_t lanes, const Step& step) {
  const Word mask = size_of(step.instruction->type) == 8 ? ~Word{0} : Word{0xffffffffU};
  Word values[32] = {};
  std::uint32_t poison = 0;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    const Thread& thread = lane_of(warp, lane);
    values[lane] = source(thread, step, 0) & mask;
    if (thread.tainted && poison == 0) poison = thread.poison[step.src[0]];
  });
  for_each_lane(lanes, [&](std::uint32_t lane) {
    std::uint32_t equal = 0;
    for_each_lane(lanes,
                  [&](std::uint32_t other) { equal |= values[other] == values[lane] ? 1U << other : 0; });
    const bool all = equal == lanes;
    Thread& thread = lane_of(warp, lane);
    thread.tainted |= poison != 0;
    set(thread, step, 0, step.instruction->vote == VoteMode::all && !all ? 0 : equal, poison);
    if (step.dst_count > 1) set(thread, step, 1, all ? 1 : 0, poison);
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
    const auto value = static_cast<std::uint32_t>(source(thread, step, 0));
    result = first ? value : join(result, value);
    first = false;
    if (thread.tainted && poison == 0) poison = thread.poison[step.src[0]];
  });
  for_each_lane(lanes, [&](std::uint32_t lane) {
    Thread& thread = lane_of(warp, lane);
    thread.tainted |= poison != 0;
    set(thread, step, 0, result, poison);
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
