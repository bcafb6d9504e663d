#include "evaluators/devices/virtual/warp/worker.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "evaluators/devices/virtual/special_value.hpp"
#include "evaluators/devices/virtual/warp/random_order.hpp"
#include "evaluators/devices/virtual/warp/schedule.hpp"

namespace evo::evaluators::virtual_device::warp {

Worker::Bytes Worker::allocate(std::size_t bytes) {
  return Bytes(static_cast<std::byte*>(::operator new[](bytes + 64, std::align_val_t{64})));
}

Worker::Worker(const LaunchContext& context) : context_(context) {
  const Launch& launch = *context.launch;
  const Code& code = *context.code;
  block_.launch = &launch;
  block_.code = &code;
  block_.threads = launch.threads_per_block();
  block_.global_races = context.global_races;
  block_.late = context.late;
  block_.early = context.early;
  block_.limit = context.block_limit;
  block_.spent_by_all = context.spent;
  const std::uint32_t warps = (block_.threads + lanes - 1) / lanes;
  block_.warps.resize(warps);
  register_stride_ = (code.image.size() + 63) / 64 * 64;
  registers_ = allocate(register_stride_ * warps);
  poison_.resize(std::size_t{code.poison_words} * warps);
  shared_ = allocate(launch.shared_bytes() + 16);
  shared_shadow_.resize(launch.shared_bytes() + 16);
  const std::size_t local = std::size_t{code.program->local_bytes} * lanes;
  local_ = allocate(local * warps + 16);
  local_shadow_.resize(local * warps + 16);
  if (code.checked) {
    races_.emplace(context.options.races, launch.shared_bytes(), warps, code.shared_granule,
                   *context.hot_lines);
  }
  if (code.async_copies) copies_.resize(warps);
  entries_.assign(code.blocks.size() + 1, 0);
  lane_entries_.assign(code.blocks.size() + 1, 0);
  counts_.footprint = context.footprint;
  if (launch.count) counts_.of_instruction.resize(code.program->code.size());
  for (std::uint32_t index = 0; index < warps; ++index) {
    Warp& warp = block_.warps[index];
    warp.registers = registers_.get() + register_stride_ * index;
    warp.poison = poison_.data() + std::size_t{code.poison_words} * index;
    warp.index = index;
    warp.ops = code.ops.data();
    warp.wide = code.wide.data();
    warp.block = &block_;
    warp.entries = entries_.data();
    warp.lane_entries = lane_entries_.data();
    warp.local = local_.get() + local * index;
    warp.local_shadow = local_shadow_.data() + local * index;
    warp.shared = shared_.get();
    warp.shared_shadow = shared_shadow_.data();
    warp.shared_bytes = launch.shared_bytes();
    warp.counts = launch.count ? &counts_ : nullptr;
    warp.races = races_ ? &*races_ : nullptr;
    warp.copies = copies_.empty() ? nullptr : &copies_[index];
  }
}

template <typename Lane>
void Worker::set_special(Warp& warp, const SpecialSlot& special, std::uint32_t index) const {
  std::array<Lane, lanes> values{};
  const bool one_for_all = !differs_by_lane(special.which);
  for (std::uint32_t lane = 0; lane < (one_for_all ? 1 : lanes); ++lane) {
    values[lane] =
        static_cast<Lane>(special_value(special.which, *context_.launch, block_.id, index * lanes + lane));
  }
  if (one_for_all) values.fill(values[0]);
  std::memcpy(warp.registers + special.offset, values.data(), sizeof values);
}

void Worker::start_warp(Warp& warp, std::uint32_t index) {
  const Code& code = *context_.code;
  std::memcpy(warp.registers, code.image.data(), code.image.size());
  std::fill_n(warp.poison, code.poison_words, 0);
  if (code.checked) {
    for (const std::uint32_t poison : code.born_poisoned) warp.poison[poison] = all_lanes;
  }
  for (const SpecialSlot& special : code.specials) {
    if (special.lane_class == 8) {
      set_special<std::uint64_t>(warp, special, index);
    } else {
      set_special<std::uint32_t>(warp, special, index);
    }
  }
  const std::uint32_t count = std::min(lanes, block_.threads - index * lanes);
  warp.live = warp.began = count == lanes ? all_lanes : (1U << count) - 1;
  warp.mask = 0;
  warp.carry = 0;
  warp.instructions = 0;
  warp.thread_instructions = 0;
  warp.picks = 0;
  warp.burst = 0;
  warp.polls = 0;
  warp.in_vain = 0;
  warp.polled = false;
  warp.forced = nullptr;
  warp.spinning.clear();
  warp.load_order.fill({block_.most_ordered, block_.most_ordered});
  if (warp.copies != nullptr) warp.copies->clear();
  warp.fragments.assign(1, {code.ops.data(), warp.live, FragmentState::runnable, 0, 0});
}

void Worker::start(std::uint64_t index, std::uint64_t position, bool sampled) {
  const Launch& launch = *context_.launch;
  block_.index = index;
  block_.id = block_id(launch, index);
  block_.barriers.fill({});
  block_.mbarrier_bytes.clear();
  block_.stopped = false;
  block_.independent = true;
  block_.stored = false;
  block_.moment = 0;
  block_.shared_top = 0;
  block_.spent = 0;
  block_.polls_left = polls_in_full(launch.running_blocks());
  block_.give_way.start(launch.schedule_seed, index);
  block_.change_warps.start(launch.schedule_seed, ~index);
  block_.stall.start(launch.schedule_seed, position, launch.running_blocks(),
                     static_cast<std::uint32_t>(block_.warps.size()), launch.all_stop_at);
  block_.most_ordered = block_.early != nullptr ? block_.early->now() : 0;
  block_.findings.clear();
  counts_.detailed = sampled;
  if (sampled) ++counts_.sampled_blocks;
  std::memset(shared_.get(), 0, launch.shared_bytes());
  std::fill(shared_shadow_.begin(), shared_shadow_.end(), shadow_unwritten);
  const std::size_t local = std::size_t{context_.code->program->local_bytes} * lanes * block_.warps.size();
  std::memset(local_.get(), 0, local);
  std::fill(local_shadow_.begin(), local_shadow_.end(), shadow_unwritten);
  if (races_) races_->start_block();
  for (std::uint32_t warp = 0; warp < block_.warps.size(); ++warp) start_warp(block_.warps[warp], warp);
  block_.order = permutation(block_.warps.size(), launch.schedule_seed, index + 1);
}

void Worker::give_up() {
  stop_for_hang(block_);
}

bool Worker::proceed() {
  if (!run_block(block_)) return false;
  for (const Warp& warp : block_.warps) longest_warp_ = std::max(longest_warp_, warp.instructions);
  shared_top_ = std::max(shared_top_, block_.shared_top);
  return true;
}

}  // namespace evo::evaluators::virtual_device::warp
