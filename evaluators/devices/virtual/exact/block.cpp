#include "evaluators/devices/virtual/exact/block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "evaluators/devices/virtual/special_value.hpp"
#include "model/random.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

/// Polls of a block that are made in full, in a launch of `blocks`: see warp/spinning.hpp.
std::uint64_t polls_in_full(std::uint64_t blocks) {
  constexpr std::uint64_t of_launch = 1U << 16, of_block = 1024;
  return std::max(of_block, of_launch / std::max<std::uint64_t>(blocks, 1));
}

}  // namespace

Block::Block(const Launch& launch, const Code& code, const LaunchState& common,
             std::uint64_t instruction_budget)
    : BlockState(launch, code, common, instruction_budget) {
  const std::uint64_t local_bytes = (std::uint64_t{code.program->local_bytes} + 15) / 16 * 16;
  threads_.resize(thread_count_);
  frame_template_.assign(code.slots, 0);
  for (const auto& [bits, slot] : code.constants) frame_template_[slot] = bits;
  frames_.resize(std::size_t{code.slots} * thread_count_);
  poisons_.resize(frames_.size());
  undefined_.resize(frames_.size());
  if (code.follows_reads) depends_.resize(frames_.size());
  locals_.resize(local_bytes * thread_count_ + 16);
  local_shadows_.resize(locals_.size());
  shared_storage_.resize(shared_bytes_ / 8 + 2);
  shared_ = reinterpret_cast<std::uint8_t*>(shared_storage_.data());
  shared_shadow_.resize(shared_bytes_ + 16);
  shared_granules_.resize(shared_bytes_ / code.shared_granule + 1);
  living_.resize(warps_);
  ready_.resize(warps_);
  warp_order_.resize(warps_);
  lane_order_.resize(warps_);
  origin_of_instruction_.resize(code.steps.size());
  traces_.resize(2 * code.steps.size());
  if (code.async_copies) {
    copies_.resize(thread_count_);
    in_flight_.resize(shared_granules_.size());
    sources_in_flight_.resize(launch.memory->regions().size());
  }
  if (!code.warpgroups.empty()) {
    warpgroups_.resize((warps_ + warps_of_group - 1) / warps_of_group);
    warps_of_groups_.resize(warps_);
    followed_.resize(code.followed.size() * thread_count_);
  }
  if (code.bulk_copies) {
    in_flight_.resize(shared_granules_.size());
    sources_in_flight_.resize(launch.memory->regions().size());
    bulk_committed_.resize(thread_count_);
    bulk_issuers_.resize(bulk_engines);
  }
  came_.resize(std::size_t{code.meetings} * warps_);
  first_reads_.resize(code.unset.size() * thread_count_);
  if (order_ != nullptr) flags_.resize(thread_count_);
  covered_.resize(code.program->block_starts.size());
  for (std::uint32_t t = 0; t < thread_count_; ++t) {
    Thread& thread = threads_[t];
    thread.index = t;
    thread.frame = &frames_[std::size_t{t} * code.slots];
    thread.poison = &poisons_[std::size_t{t} * code.slots];
    thread.undefined = &undefined_[std::size_t{t} * code.slots];
    if (code.follows_reads) thread.depends = &depends_[std::size_t{t} * code.slots];
    thread.local = &locals_[t * local_bytes];
    thread.local_shadow = &local_shadows_[t * local_bytes];
  }
}

void Block::start(std::uint64_t index, std::uint64_t position) {
  index_ = index;
  id_ = block_id(launch_, index);
  executed_ = passed_ = 0;
  interval_ = 0;
  stopping_ = false;
  limit_ = budget_;
  faulted_ = false;
  polls_left_ = polls_in_full(launch_.running_blocks());
  give_way_.start(launch_.schedule_seed, index);
  change_warps_.start(launch_.schedule_seed, ~index);
  stall_.start(launch_.schedule_seed, position, launch_.running_blocks(), warps_, launch_.all_stop_at);
  most_ordered_ = common_.early != nullptr ? common_.early->now() : 0;
  raced_with_other_block_ = false;
  independent_ = true;
  stored_ = false;
  log_.clear();
  origins_.clear();
  for (std::uint32_t unset = 0; unset < code_.unset.size(); ++unset) {
    origins_.push_back({{index_, 0, code_.unset[unset].reads.front()}, Space::none, 0, 0, unset});
  }
  std::fill(first_reads_.begin(), first_reads_.end(), 0U);
  std::fill(came_.begin(), came_.end(), Came{});
  poisoned_bytes_.clear();
  std::fill(origin_of_instruction_.begin(), origin_of_instruction_.end(), 0);
  std::fill(traces_.begin(), traces_.end(), LaneTrace{});
  std::fill(locals_.begin(), locals_.end(), 0);
  std::fill(local_shadows_.begin(), local_shadows_.end(), shadow_unwritten);
  std::fill(shared_storage_.begin(), shared_storage_.end(), 0);
  std::fill(shared_shadow_.begin(), shared_shadow_.end(), shadow_unwritten);
  global_granules_.clear();
  for (CopyQueue& queue : copies_) queue = CopyQueue{};
  std::fill(in_flight_.begin(), in_flight_.end(), Access{});
  std::fill(sources_in_flight_.begin(), sources_in_flight_.end(), 0U);
  for (Warpgroup& group : warpgroups_) {
    group.issued.clear();
    group.readers.assign(shared_granules_.size(), 0);
  }
  for (WarpOfGroup& warp : warps_of_groups_) {
    warp = WarpOfGroup{};
    warp.sums.resize(code_.followed.size());
    warp.factors.resize(code_.followed.size());
  }
  std::fill(followed_.begin(), followed_.end(), FollowedRegister{});
  shared_messages_.clear();
  mbarriers_.clear();
  idle_rounds_ = 0;
  for (FlagState& flags : flags_) flags = FlagState{};
  engines_.clear();
  bulk_stores_.clear();
  if (code_.loaded != 0) late_reads_.start(thread_count_, code_.loaded);
  std::fill(bulk_committed_.begin(), bulk_committed_.end(), 0U);
  clocks_.start(thread_count_ + static_cast<std::uint32_t>(bulk_issuers_.size()), clocks_cover_block());
  for (Barrier& barrier : barriers_) barrier = Barrier{};
  forget_dependences();
  living_threads_ = thread_count_;
  for (std::uint32_t w = 0; w < warps_; ++w) living_[w] = ready_[w] = lanes_in(w);
  for (Thread& thread : threads_) start_thread(thread);
  shuffle_order();
}

void Block::start_thread(Thread& thread) {
  std::memcpy(thread.frame, frame_template_.data(), frame_template_.size() * sizeof(Word));
  if (thread.tainted) std::memset(thread.poison, 0, frame_template_.size() * sizeof(std::uint32_t));
  for (const auto& [special, slot] : code_.specials) {
    thread.frame[slot] = special_value(special, launch_, id_, thread.index);
  }
  thread.pc = 0;
  thread.state = State::ready;
  thread.tainted = !code_.unset.empty();
  for (std::uint32_t unset = 0; unset < code_.unset.size(); ++unset) {
    thread.poison[code_.unset[unset].reg] = unset + 1;
    thread.undefined[code_.unset[unset].reg] = all_undefined;
  }
  thread.yielded = thread.waits = thread.carry = thread.was_asked = thread.has_waited = false;
  thread.last_visible = Thread::no_step;
  thread.polls = 0;
  thread.reads = 0;
  thread.spin = {};
  thread.executed = 0;
  thread.load_order = {most_ordered_, most_ordered_};
}

void Block::shuffle_order() {
  std::iota(warp_order_.begin(), warp_order_.end(), 0U);
  for (auto& lanes : lane_order_) std::iota(lanes.begin(), lanes.end(), std::uint8_t{0});
  if (launch_.schedule_seed == 0) {
    if (interval_ % 2 == 0) return;
    std::reverse(warp_order_.begin(), warp_order_.end());
    for (auto& lanes : lane_order_) std::reverse(lanes.begin(), lanes.end());
    return;
  }
  model::RandomStream random({launch_.schedule_seed, index_, interval_, "schedule"});
  const auto permute = [&](auto& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
  };
  permute(warp_order_);
  for (auto& lanes : lane_order_) permute(lanes);
}

void Block::next_interval() {
  ++interval_;
  shuffle_order();
}

std::uint32_t Block::lanes_in(std::uint32_t warp) const {
  const std::uint32_t count = std::min(32U, thread_count_ - warp * 32);
  return count == 32 ? 0xffffffffU : (1U << count) - 1;
}

bool Block::run_warp(std::uint32_t warp) {
  bool ran = false;
  for (bool again = true; again && !stopping_ && !stall_.holds(warp);) {
    again = false;
    const std::uint64_t interval = interval_;
    for (std::size_t i = 0; i < 32 && !stopping_ && !stall_.holds(warp); ++i) {
      const std::uint32_t lane = lane_order_[warp][i];
      if ((ready_[warp] >> lane & 1) == 0) continue;
      Thread& thread = lane_of(warp, lane);
      if (thread.yielded) continue;
      if (thread.spin.waits && spins(thread)) {
        passed_ += polls_before_yield;
        ran = thread.yielded = true;
        continue;
      }
      run_thread(thread);
      ran = again = true;
      if (interval_ != interval) break;  // the order is a new one
    }
    if (!again && !stopping_ && !stall_.holds(warp)) again = converge_active_lanes(warp);
  }
  return ran;
}

BlockEnd Block::run() {
  gave_way_ = false;
  while (!finished() && !stopping_) {
    bool ran = false;
    const std::uint64_t interval = interval_;
    const std::uint64_t progress = progress_;
    for (std::size_t i = 0; i < warp_order_.size() && !stopping_; ++i) {
      ran |= run_warp(warp_order_[i]);
      if (interval_ != interval) break;
    }
    const bool only_waited = !mbarriers_.empty() && !stall_.holds() && progress_ == progress &&
                             std::ranges::all_of(threads_, [](const Thread& thread) {
                               return thread.state != State::ready || thread.waits;
                             });
    idle_rounds_ = only_waited ? idle_rounds_ + 1 : 0;
    if (ran && !stopping_ && report_endless_wait()) stop();
    for (Thread& thread : threads_) thread.yielded = false;
    if (!ran && stall_.holds()) {
      idle_ = true;
      return BlockEnd::waits;
    }
    if (!ran && !finished() && !stopping_) {
      report_deadlock();
      stop();
    }
    // All that can run polls, or computes without a word to anybody: another block has its turn.
    const bool waits = code_.orders_blocks && (progress_ == progress || gave_way_);
    idle_ = progress_ == progress && !gave_way_;
    if (waits && !finished() && !stopping_) return BlockEnd::waits;
  }
  if (finished() && !stopping_) finish_bulk_stores();
  return stopping_ ? BlockEnd::stopped : BlockEnd::done;
}

}  // namespace evo::evaluators::virtual_device::exact
