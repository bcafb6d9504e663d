#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/bytes.hpp"
#include "evaluators/devices/virtual/ptx/liveness.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

/// Instructions a thread runs before others get a turn: only matters to threads that wait for one another in
/// loops.
constexpr std::uint64_t slice = 1U << 20;
/// Turns that a thread that spins passes at most without a look.
constexpr std::uint32_t turns_of_waiting = 32;

}  // namespace

void Block::leave(Thread& thread) {
  const std::uint32_t warp = thread.warp();
  thread.state = State::exited;
  living_[warp] &= ~(1U << thread.lane());
  ready_[warp] &= ~(1U << thread.lane());
  --living_threads_;
  ++progress_;
  // Those who waited for this thread as well.
  gather_warp(warp);
  try_warp_operation(warp);
  for (std::uint32_t id = 0; id < barriers_.size(); ++id) complete_if_full(id);
}

/// Does it lose its turn in front of what other blocks can see? Asked once for each time that it comes there.
/// Who has waited for others and now tells something always does: those who waited for the same see the end
/// of their wait before they see what it tells, as with the arrivals of two meetings of the grid in a row.
bool Block::gives_way(Thread& thread, const Step& step) {
  const Space space = step.instruction->space;
  const bool access =
      step.kind == StepKind::load || step.kind == StepKind::store || step.kind == StepKind::atomic;
  if (!access || space == Space::local) return false;
  if (step.kind != StepKind::atomic && step.strength == Strength::weak && !step.is_volatile) return false;
  if (space == Space::shared) {
    // Others of its block may come between.
    if (step.polls || std::exchange(thread.was_asked, false) || !change_warps_.now()) return false;
    return thread.was_asked = thread.yielded = true;
  }
  if (!code_.orders_blocks) return false;
  const bool tells = step.kind != StepKind::load;
  if (step.polls && !tells) {
    thread.has_waited = true;
    return false;
  }
  if (std::exchange(thread.was_asked, false)) return false;
  if ((!step.polls && stall_.begins(thread.warp())) || stall_.slows()) {
    thread.was_asked = thread.yielded = gave_way_ = true;
    return true;
  }
  // An arrival is in the loop of the meetings, whose end it decides with what it returns.
  const bool after_wait = tells && std::exchange(thread.has_waited, false);
  if ((step.polls || !give_way_.now()) && !after_wait) return false;
  thread.was_asked = thread.yielded = gave_way_ = true;
  return true;
}

void Block::note_poll(Thread& thread, const Step& step, const Place& place) {
  if (step.width > sizeof(Word)) return;
  if (polls_left_ != 0) --polls_left_;
  Spin& last = thread.spin;
  const Spin now{thread.pc, step.width, place.data, peek(place.data, step.width), false, turns_of_waiting};
  const bool same = last.pc == now.pc && last.data == now.data && last.value == now.value;
  last = now;
  if (polls_left_ == 0 && same) last.waits = thread.yielded = true;
}

bool Block::spins(Thread& thread) {
  Spin& spin = thread.spin;
  spin.waits = --spin.turns != 0 && peek(spin.data, spin.width) == spin.value;
  return spin.waits;
}

void Block::run_thread(Thread& thread) {
  const std::uint64_t start_count = thread.executed;
  const std::uint64_t spent = executed_ + passed_;
  const std::uint64_t left = limit_ > spent ? limit_ - spent : 0;
  const std::uint64_t limit = start_count + std::min(slice, left);
  thread.waits = false;
  while (thread.state == State::ready && !stopping_) {
    if (thread.pc >= code_.steps.size()) {
      leave(thread);
      break;
    }
    const Step& step = code_.steps[thread.pc];
    if (step.leader) covered_[step.block] = 1;
    if (thread.executed >= limit) {
      thread.yielded = true;
      break;
    }
    ++thread.executed;
    if (step.meets_unset) note_first_reads(thread);
    if (step.guarded) {
      if (thread.tainted && thread.poison[step.guard] != 0) {
        report_uninitialized(
            thread, thread.poison[step.guard],
            step.kind == StepKind::branch ? "decides a branch" : "decides whether an instruction runs");
      }
      if (((thread.frame[step.guard] & 1) != 0) == step.guard_negated) {
        ++thread.pc;
        continue;
      }
    }
    if (gives_way(thread, step)) break;
    if (step.reads_clock) refresh_clocks(thread);
    if (step.visible) thread.last_visible = thread.pc;
    if (step.uses != 0) follow_registers(thread, step);
    if (step.takes != 0) take_loaded(thread, step);
    switch (step.kind) {
      case StepKind::arithmetic:
        arithmetic(thread, step);
        break;
      case StepKind::select:
        select(thread, step);
        break;
      case StepKind::pack:
        pack(thread, step);
        break;
      case StepKind::unpack:
        unpack(thread, step);
        break;
      case StepKind::convert_address:
        convert_address(thread, step);
        break;
      case StepKind::is_space: {
        const Space asked = step.instruction->space;
        const bool is = space_of(source(thread, step, 0)) == asked;
        set(thread, step, 0, is ? 1 : 0, thread.tainted ? poison_of(thread, step) : 0);
        break;
      }
      case StepKind::load:
        load(thread, step);
        break;
      case StepKind::store:
        store(thread, step);
        break;
      case StepKind::atomic:
        atomic(thread, step);
        break;
      case StepKind::async_copy:
        copy_async(thread, step);
        break;
      case StepKind::async_commit:
        ++copies_[thread.index].committed;
        break;
      case StepKind::async_wait:
        wait_for_copies(thread, step);
        break;
      case StepKind::bulk_copy:
        issue_bulk_copy(thread, step);
        break;
      case StepKind::bulk_commit:
        ++bulk_committed_[thread.index];
        break;
      case StepKind::bulk_wait:
        wait_for_bulk_copies(thread, step);
        break;
      case StepKind::mbarrier:
        note_meeting({&thread.index, 1});
        mbarrier(thread, step);
        break;
      case StepKind::texture:
        fetch_texture(thread, step);
        break;
      case StepKind::surface:
        find_in_surface(thread, step);
        break;
      case StepKind::branch:
        thread.pc = step.target;
        continue;
      case StepKind::branch_table:
        branch_table(thread, step);
        continue;
      case StepKind::leave:
        leave(thread);
        continue;
      case StepKind::nothing:
        if (step.instruction->op == Opcode::proxy_fence) end_loads(thread);
        break;
      case StepKind::fence:
        end_loads(thread);
        if (order_ != nullptr) fence(thread, step);
        note_fence(thread, step);
        break;
      case StepKind::pause:
        thread.yielded = true;
        break;
      case StepKind::barrier:
        reach_barrier(thread, step);
        continue;
      case StepKind::warp:
      case StepKind::matrix:
      case StepKind::warpgroup:
        reach_warp_operation(thread, step);
        continue;
      case StepKind::print:
        if (step.dst_count > 0) set(thread, step, 0, 0, 0);
        break;
      case StepKind::assertion:
        assertion(thread, step);
        continue;
      case StepKind::trap:
      case StepKind::unsupported: {
        Finding finding;
        finding.kind = step.kind == StepKind::trap ? FindingKind::trap : FindingKind::unsupported;
        finding.here = site(thread);
        log_.add(finding);
        stop();
        continue;
      }
    }
    if (thread.depends != nullptr) follow(thread, step);
    ++thread.pc;
    if (thread.yielded) break;
    if (thread.polls >= polls_before_yield) {
      thread.polls = 0;
      thread.yielded = true;
      break;
    }
  }
  executed_ += thread.executed - start_count;
  if (executed_ + passed_ >= limit_ && !stopping_ && !finished()) {
    stop();
    // Cut short by a fault: not a hang of its own.
    if (faulted_) return;
    Finding finding;
    finding.kind = FindingKind::hang;
    finding.here = site(thread);
    finding.text = fmt::format(
        "Hang: block ({},{},{}) has spent its budget of {} thread instructions and has not ended; {}",
        index_ % launch_.grid[0], index_ / launch_.grid[0] % launch_.grid[1],
        index_ / launch_.grid[0] / launch_.grid[1], budget_, who_waits_where());
    log_.add(finding);
  }
}

}  // namespace evo::evaluators::virtual_device::exact
