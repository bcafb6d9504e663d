#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "evaluators/devices/virtual/exact/block.hpp"

namespace evo::evaluators::virtual_device::exact {

void Block::reach_barrier(Thread& thread, const Step& step) {
  const bool returns = step.kind == StepKind::barrier && step.instruction->op == Opcode::bar_red;
  if (thread.tainted) {
    if (const std::uint32_t poison = poison_of(thread, step); poison != 0) {
      report_uninitialized(thread, poison, "is an operand of a barrier");
    }
  }
  const bool counted = step.instruction->src[1].kind != Operand::Kind::none;
  thread.barrier = static_cast<std::uint32_t>(source(thread, step, 0));
  thread.barrier_count = counted ? static_cast<std::uint32_t>(source(thread, step, 1)) : 0;
  thread.predicate = returns && (source(thread, step, 2) & 1) != 0;
  const bool bad_count = counted && (thread.barrier_count == 0 || thread.barrier_count % 32 != 0);
  if (thread.barrier >= barriers_.size() || bad_count) {
    Finding finding;
    finding.kind = FindingKind::barrier_divergence;
    finding.here = site(thread);
    finding.text = fmt::format(
        "Bad barrier: {} asks at {} for barrier {} with {} threads; there are 16 barriers, and counts are "
        "positive "
        "multiples of 32",
        place_text(launch_, finding.here), line_text(*code_.program, thread.pc), thread.barrier,
        thread.barrier_count);
    log_.add(finding);
    stop();
    return;
  }
  end_loads(thread);
  thread.state = State::gathering;
  ready_[thread.warp()] &= ~(1U << thread.lane());
  if (step.instruction->uniform) {
    gather_warp(thread.warp());
  } else {
    const std::uint32_t one[] = {thread.index};
    arrive(one, false);
  }
}

/// bar.sync and its kin are executed by a warp as one: it arrives when all its lanes stand at the same
/// instruction.
void Block::gather_warp(std::uint32_t warp) {
  // Asked at each thread's arrival: while another can still run there is nothing to look at.
  if (living_[warp] == 0 || (living_[warp] & ready_[warp]) != 0) return;
  const Thread* first = nullptr;
  std::uint32_t members[32];
  std::size_t count = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((living_[warp] >> lane & 1) == 0) continue;
    const Thread& thread = lane_of(warp, lane);
    if (thread.state != State::gathering) return;
    if (first == nullptr) first = &thread;
    if (thread.pc != first->pc || thread.barrier != first->barrier ||
        thread.barrier_count != first->barrier_count) {
      return;
    }
    members[count++] = thread.index;
  }
  arrive({members, count}, true);
}

void Block::arrive(std::span<const std::uint32_t> threads, bool counts_as_warp) {
  const Thread& first = threads_[threads.front()];
  const std::uint32_t id = first.barrier;
  Barrier& barrier = barriers_[id];
  note_meeting(threads);
  const bool fresh = barrier.arrived == 0;
  if (!fresh && barrier.count != first.barrier_count) {
    Finding finding;
    finding.kind = FindingKind::barrier_divergence;
    finding.here = site(first);
    finding.text = fmt::format("{} arrives at barrier {} ({}) for {} threads while others wait there for {}",
                               place_text(launch_, finding.here), id, line_text(*code_.program, first.pc),
                               first.barrier_count == 0 ? thread_count_ : first.barrier_count,
                               barrier.count == 0 ? thread_count_ : barrier.count);
    log_.add(finding);
    stop();
    return;
  }
  barrier.count = first.barrier_count;
  const bool only_arrives = code_.steps[first.pc].instruction->barrier == BarrierMode::arrive;
  // With a thread count, the hardware counts whole warps.
  const bool whole = counts_as_warp && barrier.count != 0;
  barrier.arrived += whole ? 32U : static_cast<std::uint32_t>(threads.size());
  barrier.arrive_only |= only_arrives;
  for (const std::uint32_t index : threads) {
    Thread& thread = threads_[index];
    note_arrival(thread, 1U << thread.lane(), 0);
    barrier.true_count += thread.predicate ? 1 : 0;
    barrier.all_true &= thread.predicate;
    // A barrier of all threads ends the epoch, which says the same.
    if (barrier.count != 0 && clocks_cover_block()) clocks_.release(index, barrier.joined);
    if (order_ != nullptr) barrier.shared.unite(flags_[index].meeting);
    if (only_arrives) {
      thread.state = State::ready;
      ready_[thread.warp()] |= 1U << thread.lane();
      ++thread.pc;
    } else {
      thread.state = State::at_barrier;
      barrier.waiting.push_back(index);
    }
  }
  complete_if_full(id);
}

void Block::complete_if_full(std::uint32_t id) {
  const Barrier& barrier = barriers_[id];
  if (barrier.arrived == 0) return;
  if (barrier.count != 0) {
    if (barrier.arrived >= barrier.count) complete(id);
    return;
  }
  const std::uint32_t exited = thread_count_ - living_threads_;
  if (barrier.arrived + exited < thread_count_) return;
  // Who has exited need not come: PTX ISA, exit and barrier; CUDA C++ Programming Guide, "Independent Thread
  // Scheduling" of compute capability 7.x ("until reached by all non-exited threads in the block"). Who went
  // past is told.
  const auto gone = exited == 0 || barrier.waiting.empty()
                        ? threads_.end()
                        : std::find_if(threads_.begin(), threads_.end(), [&](const Thread& thread) {
                            return thread.state == State::exited &&
                                   passed_by(thread, threads_[barrier.waiting.front()].pc, 0);
                          });
  if (gone != threads_.end()) {
    Finding finding;
    finding.kind = FindingKind::barrier_divergence;
    finding.here = site(threads_[barrier.waiting.front()]);
    finding.other = site(*gone);
    finding.text = fmt::format(
        "Barrier not reached by all threads: {} waits at {} ({} threads do), but {} threads have left the "
        "kernel, and {} of them went past the barrier, to {}; __syncthreads() must be reached by every "
        "thread of the "
        "block that has not exited",
        place_text(launch_, finding.here), line_text(*code_.program, finding.here.instruction),
        barrier.waiting.size(), exited, place_text(launch_, *finding.other),
        line_text(*code_.program, gone->last_visible));
    log_.add(finding);
  }
  complete(id);
}

void Block::complete(std::uint32_t id) {
  Barrier barrier = std::move(barriers_[id]);
  barriers_[id] = Barrier{};
  ++progress_;
  note_meeting(barrier.waiting);
  for (const std::uint32_t index : barrier.waiting) {
    Thread& thread = threads_[index];
    const Step& step = code_.steps[thread.pc];
    if (step.dst_count > 0) {
      Word value = barrier.true_count;
      if (step.instruction->barrier == BarrierMode::red_and) value = barrier.all_true ? 1 : 0;
      if (step.instruction->barrier == BarrierMode::red_or) value = barrier.true_count > 0 ? 1 : 0;
      set(thread, step, 0, value, 0);
    }
    if (barrier.count != 0 && clocks_cover_block()) clocks_.acquire(index, barrier.joined);
    if (order_ != nullptr) flags_[index].meeting = barrier.shared.sum();
    thread.state = State::ready;
    ready_[thread.warp()] |= 1U << thread.lane();
    ++thread.pc;
  }
  if (!barrier.arrive_only && barrier.waiting.size() == living_threads_) {
    clocks_.new_epoch();
    // What was read before it is in nobody's way any more.
    if (dependences_.half_full()) forget_dependences();
    next_interval();
  }
}

std::string Block::who_waits_where() const {
  struct Group {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  std::map<std::tuple<State, std::uint32_t>, Group> groups;
  for (const Thread& thread : threads_) {
    const State state = thread.state == State::gathering ? State::at_barrier : thread.state;
    Group& group = groups[{state, thread.pc}];
    if (group.count++ == 0) group.first = thread.index;
  }
  std::string text;
  constexpr std::size_t most = 6;
  std::size_t told = 0;
  for (const auto& [key, group] : groups) {
    if (told++ == most) {
      text += fmt::format(", and {} more places", groups.size() - most);
      break;
    }
    const auto [state, pc] = key;
    const Site first{index_, group.first, pc};
    std::string_view what = "is at";
    if (state == State::at_barrier) what = "waits at the barrier of";
    if (state == State::at_warp_op) what = "waits for other lanes at";
    if (state == State::exited) what = "left the kernel at";
    text += fmt::format("{}{} {} {}", told == 1 ? "" : ", ", place_text(launch_, first), what,
                        line_text(*code_.program, pc));
    if (group.count > 1) text += fmt::format(" ({} threads do)", group.count);
  }
  return text;
}

void Block::report_deadlock() {
  // The one that waits for threads that will not come, and one of those.
  const Thread* waiting = nullptr;
  const Thread* absent = nullptr;
  const auto blocked = [](const Thread& thread, State state) { return thread.state == state; };
  for (const State state : {State::gathering, State::at_barrier, State::at_warp_op}) {
    for (const Thread& thread : threads_) {
      if (waiting == nullptr && blocked(thread, state)) waiting = &thread;
    }
  }
  for (const Thread& thread : threads_) {
    const bool in_question = waiting->state != State::gathering || thread.warp() == waiting->warp();
    if (absent == nullptr && in_question && thread.pc != waiting->pc) absent = &thread;
  }
  const Step& step = code_.steps[waiting->pc];
  Finding finding;
  finding.here = site(*waiting);
  if (absent != nullptr) finding.other = site(*absent);
  const bool at_barrier = waiting->state == State::gathering || waiting->state == State::at_barrier;
  if (at_barrier && waiting->barrier_count != 0 && waiting->state == State::at_barrier) {
    finding.kind = FindingKind::hang;
    finding.text =
        fmt::format("Hang: barrier {} waits for {} threads and only {} come: {}", waiting->barrier,
                    waiting->barrier_count, barriers_[waiting->barrier].arrived, who_waits_where());
  } else if (at_barrier || step.instruction->op == Opcode::bar_warp) {
    finding.kind = FindingKind::barrier_divergence;
    finding.text = fmt::format("Barrier in divergent code: not all threads reach the same {}: {}",
                               at_barrier ? "barrier" : "__syncwarp()", who_waits_where());
  } else if (is_warpgroup(step.instruction->op)) {
    finding.kind = FindingKind::shuffle_mask;
    finding.text = fmt::format(
        "Warpgroup operation that not all reach: {} executes {}, which all threads of a warp execute as one "
        "and, "
        "to multiply, all four warps of a warpgroup (whose first one's number is a multiple of 4): {}",
        place_text(launch_, finding.here), line_text(*code_.program, waiting->pc), who_waits_where());
  } else {
    finding.kind = FindingKind::shuffle_mask;
    finding.text = fmt::format(
        "Warp operation with a mask that names absent lanes: {} executes it with mask {:#010x}, but not all "
        "lanes of "
        "the mask reach it: {}",
        place_text(launch_, finding.here), waiting->mask, who_waits_where());
  }
  log_.add(finding);
}

}  // namespace evo::evaluators::virtual_device::exact
