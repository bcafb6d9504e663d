// Warp operations and barriers that some do not come to: who may be missing, and what comes from who is.
#include <bit>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "evaluators/devices/virtual/exact/block.hpp"

namespace evo::evaluators::virtual_device::exact {

/// Lanes that have exited need not take part, but in a matrix operation or an election ("all threads in the
/// warp", "all threads in the membermask"); those that went past are told. See ptx/pass_by.hpp.
void Block::check_left_lanes(std::uint32_t warp, const Thread& first) {
  const Opcode op = code_.steps[first.pc].instruction->op;
  const bool needs_all = is_matrix(op) || is_warpgroup(op) || op == Opcode::elect;
  for (std::uint32_t left = first.mask & lanes_in(warp) & ~living_[warp]; left != 0; left &= left - 1) {
    const Thread& gone = lane_of(warp, static_cast<std::uint32_t>(std::countr_zero(left)));
    const bool passed = !needs_all && passed_by(gone, first.pc, first.mask);
    if (!needs_all && !passed) continue;
    report_mask(
        first,
        fmt::format("Warp operation with a mask that names absent lanes: {} executes {} with mask {:#010x}, "
                    "but lane {} {} {}",
                    place_text(launch_, site(first)), line_text(*code_.program, first.pc), first.mask,
                    gone.lane(), passed ? "went past it, to" : "left the kernel at",
                    line_text(*code_.program, passed ? gone.last_visible : gone.pc)),
        &gone);
    return;
  }
}

void Block::note_arrival(const Thread& thread, std::uint32_t lanes, std::uint32_t mask) {
  Came& came = came_to(thread.warp(), thread.pc);
  if (came.mask != mask) came = {0, mask};
  came.lanes |= lanes;
}

bool Block::passed_by(const Thread& gone, std::uint32_t meeting, std::uint32_t mask) {
  if (gone.last_visible == Thread::no_step) return false;
  const Came& came = came_to(gone.warp(), meeting);
  if ((came.lanes >> gone.lane() & 1) != 0 && came.mask == mask) return false;
  if (!pass_by_) pass_by_.emplace(*code_.program);
  return pass_by_->behind(meeting, gone.last_visible);
}

/// What the thread reads from a lane that takes no part, which is undefined (CUDA C++ Programming Guide,
/// "Warp Shuffle Functions": "If the target thread is inactive, the retrieved value is undefined"): no fault
/// while it is not used.
std::uint32_t Block::origin_of_lane(const Thread& thread, std::uint32_t from) {
  std::uint32_t& known = origin_of_instruction_[thread.pc];
  if (known != 0) return known;
  const bool exists = (lanes_in(thread.warp()) >> from & 1) != 0;
  const bool lives = (living_[thread.warp()] >> from & 1) != 0;
  const std::string_view what = !exists ? "the block does not have"
                                : lives ? "does not take part"
                                        : "has exited";
  Origin origin;
  origin.site = site(thread);
  origin.shuffle = fmt::format(
      "Shuffle from an absent lane: {} (lane {}) reads at {} from lane {}, which {}; the mask is {:#010x}",
      place_text(launch_, origin.site), thread.lane(), line_text(*code_.program, thread.pc), from, what,
      thread.mask);
  if (exists) origin.absent = site(lane_of(thread.warp(), from));
  origins_.push_back(std::move(origin));
  known = static_cast<std::uint32_t>(origins_.size());
  return known;
}

}  // namespace evo::evaluators::virtual_device::exact
