#include "evaluators/devices/virtual/exact/machine.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/parallel.hpp"
#include "model/random.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

std::vector<std::uint64_t> block_order(const Launch& launch) {
  std::vector<std::uint64_t> order(launch.running_blocks());
  for (std::uint64_t k = 0; k < order.size(); ++k) order[k] = launch.running_block(k);
  if (launch.schedule_seed == 0) return order;
  model::RandomStream random({launch.schedule_seed, 0, 0, "blocks"});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

std::uint64_t block_budget(const Launch& launch) {
  const std::uint64_t share = launch.instruction_budget / std::max<std::uint64_t>(1, launch.blocks());
  return std::max<std::uint64_t>({share, launch.instruction_budget / 16, 1});
}

/// Contents of the mapped buffers, to start over.
class SavedMemory {
 public:
  explicit SavedMemory(const GlobalMap& memory) : memory_(memory) {
    for (const Region& region : memory.regions()) {
      data_.emplace_back(region.data, region.data + region.bytes);
      shadow_.emplace_back(region.shadow, region.shadow + region.bytes);
    }
  }
  void restore() const {
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const Region& region = memory_.regions()[i];
      std::copy(data_[i].begin(), data_[i].end(), region.data);
      std::copy(shadow_[i].begin(), shadow_[i].end(), region.shadow);
    }
  }

 private:
  const GlobalMap& memory_;
  std::vector<std::vector<std::byte>> data_;
  std::vector<std::vector<std::uint8_t>> shadow_;
};

/// Blocks that run behind the first one with a finding: enough to see the tail of most launches.
constexpr std::size_t blocks_after_finding = 256;

/// The widest granule that separates accesses with these addresses.
std::uint32_t granule_of(std::uint32_t granule, std::uint64_t misaligned) {
  const std::uint64_t lowest = misaligned & (~misaligned + 1);
  return misaligned == 0 ? granule : static_cast<std::uint32_t>(std::min<std::uint64_t>(granule, lowest));
}

/// Blocks that wait for others, beside the one that runs, get company: as many again as there are.
std::size_t newcomers(std::size_t waiting) {
  return std::max<std::size_t>(1, waiting / 2);
}

/// One pass over the blocks, with some number of workers.
class Pass {
 public:
  Pass(const Launch& launch, const Code& code)
      : launch_(launch),
        code_(code),
        order_(block_order(launch)),
        races_(*launch.memory, code.global_granule) {
    common_.races = &races_;
    if (code.orders_by_flags) common_.order = &order_of_launch_.emplace(*launch.memory, code.global_granule);
    if (launch.schedule_seed != 0 && code.orders_blocks) common_.late = &late_.emplace(*launch.memory);
    if (launch.schedule_seed != 0 && code.early_loads) common_.early = &early_.emplace(*launch.memory);
    if (code.non_coherent) common_.read_only = &read_only_.emplace(*launch.memory, code.global_granule);
  }

  /// False if blocks raced while running in parallel: then the outcome may depend on timing.
  bool run(std::size_t workers) {
    run_.executed_blocks.assign(code_.program->block_starts.size(), 0);
    found_.resize(order_.size());
    outcomes_.resize(order_.size());
    parallel_ = workers > 1;
    if (parallel_) {
      run_workers(workers, [&](std::size_t) { work(); });
    } else if (code_.orders_blocks) {
      take_turns();
    } else {
      work();
    }
    return !raced_;
  }

  [[nodiscard]] const Misaligned& misaligned() const { return misaligned_; }

  ExactRun result() {
    // What blocks behind the one that ended the launch did is not told: it would depend on timing.
    const std::size_t last = std::min<std::size_t>(stopped_at_, order_.empty() ? 0 : order_.size() - 1);
    for (std::size_t i = 0; i < order_.size() && i <= last; ++i) {
      std::move(found_[i].begin(), found_[i].end(), std::back_inserter(run_.findings));
      run_.independent &= outcomes_[i].independent;
      run_.idle_blocks += outcomes_[i].stored ? 0 : 1;
    }
    return std::move(run_);
  }

 private:
  void work() {
    Block block(launch_, code_, common_, block_budget(launch_));
    std::uint64_t executed = 0;
    for (std::size_t i = next_++; i < order_.size() && i <= stopped_at_ && !(parallel_ && raced_);
         i = next_++) {
      block.start(order_[i], i);
      const BlockEnd end = block.run();
      executed += block.executed();
      outcomes_[i] = {block.independent(), block.stored()};
      if (block.raced_with_other_block()) raced_ = true;
      if (!block.log().empty()) {
        found_[i] = std::move(block.log().findings());
        end_at(i + blocks_after_finding);
      }
      if (end == BlockEnd::stopped) end_at(i);
    }
    add(block, executed);
  }

  /// What a worker leaves.
  void add(const Block& block, std::uint64_t executed) {
    const std::lock_guard lock(mutex_);
    misaligned_.shared |= block.misaligned().shared;
    misaligned_.global |= block.misaligned().global;
    run_.thread_instructions += executed;
    run_.dynamic_smem_touched =
        std::max<std::uint64_t>(run_.dynamic_smem_touched, block.dynamic_smem_touched());
    for (std::size_t b = 0; b < run_.executed_blocks.size(); ++b)
      run_.executed_blocks[b] |= block.covered()[b];
  }

  struct Live {
    std::size_t position = 0;
    std::unique_ptr<Block> block;
  };

  /// All blocks on this thread, in turns. Those that wait are asked again and again; if nobody comes on, the
  /// budget of one of them ends the launch.
  void take_turns() {
    const std::size_t most = launch_.resident_blocks == 0 ? order_.size() : launch_.resident_blocks;
    std::vector<Live> live;
    std::vector<std::unique_ptr<Block>> idle;
    bool stopped = false;
    StallWatch watch;
    const auto turn = [&](Live& one) {
      const BlockEnd end = one.block->run();
      if (end == BlockEnd::waits) return false;
      stopped |= end == BlockEnd::stopped;
      retire(one);
      idle.push_back(std::move(one.block));
      return true;
    };
    while (!stopped) {
      bool ended = false;
      for (Live& one : live) {
        ended |= turn(one);
        if (stopped) break;
      }
      std::erase_if(live, [](const Live& one) { return one.block == nullptr; });
      if (stopped || (ended && !live.empty())) continue;
      const auto stalled =
          std::find_if(live.rbegin(), live.rend(), [](const Live& one) { return one.block->stalled(); });
      if (stalled != live.rend() && (live.size() >= most || next_ >= order_.size() || next_ > stopped_at_)) {
        const bool waits = std::ranges::all_of(live, [](const Live& one) { return one.block->idle(); });
        if (watch.over(waits)) stalled->block->end_stall();
        continue;
      }
      const std::size_t wanted = live.size() + newcomers(live.size());
      while (!stopped && live.size() < std::min(wanted, most) && next_ < order_.size() &&
             next_ <= stopped_at_) {
        Live fresh;
        fresh.position = next_++;
        if (idle.empty()) {
          fresh.block = std::make_unique<Block>(launch_, code_, common_, block_budget(launch_));
        } else {
          fresh.block = std::move(idle.back());
          idle.pop_back();
        }
        fresh.block->start(order_[fresh.position], fresh.position);
        if (!turn(fresh)) {
          live.push_back(std::move(fresh));
        } else if (live.empty()) {
          break;
        }
      }
      if (live.empty() && (next_ >= order_.size() || next_ > stopped_at_)) break;
    }
    for (Live& one : live) {
      if (one.block == nullptr) continue;
      retire(one);
      idle.push_back(std::move(one.block));
    }
    for (const auto& block : idle) add(*block, 0);
    if (stopped) stopped_at_ = std::numeric_limits<std::size_t>::max();
  }

  /// Keeps what a block found, that ended or will not go on.
  void retire(Live& one) {
    run_.thread_instructions += one.block->executed();
    outcomes_[one.position] = {one.block->independent(), one.block->stored()};
    if (one.block->log().empty()) return;
    found_[one.position] = std::move(one.block->log().findings());
    end_at(one.position + blocks_after_finding);
  }

  /// `position` is the last one that counts, if not one before it.
  void end_at(std::size_t position) {
    std::size_t known = stopped_at_;
    while (position < known && !stopped_at_.compare_exchange_weak(known, position)) {
    }
  }

  const Launch& launch_;
  const Code& code_;
  std::vector<std::uint64_t> order_;
  BlockRaces races_;
  std::optional<LaunchOrder> order_of_launch_;
  std::optional<NonCoherentReads> read_only_;
  std::optional<LateStores> late_;
  std::optional<EarlyLoads> early_;
  LaunchState common_;
  std::vector<std::vector<Finding>> found_;
  /// What else is known of a block, by position.
  struct Outcome {
    bool independent = true, stored = false;
  };
  std::vector<Outcome> outcomes_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> stopped_at_ = std::numeric_limits<std::size_t>::max();
  std::atomic<bool> raced_ = false;
  bool parallel_ = false;
  std::mutex mutex_;
  Misaligned misaligned_;
  ExactRun run_;
};

}  // namespace

std::shared_ptr<const Code> prepared(const Program& program) {
  return std::make_shared<const Code>(prepare(program));
}

ExactRun run(const Launch& launch, const Code* given) {
  std::optional<Code> own;  // where the launch needs another than the given
  if (given == nullptr) given = &own.emplace(prepare(*launch.program));
  const Code& code = *given;
  const std::size_t workers =
      code.orders_blocks ? 1 : std::min<std::size_t>(available_workers(), launch.running_blocks());
  const SavedMemory saved(*launch.memory);
  // One after another at the second attempt, if blocks raced at the first.
  const auto attempt = [&](const Code& chosen, Misaligned& misaligned) {
    if (workers > 1) {
      Pass pass(launch, chosen);
      if (pass.run(workers)) {
        misaligned = pass.misaligned();
        return pass.result();
      }
      saved.restore();
    }
    Pass pass(launch, chosen);
    pass.run(1);
    misaligned = pass.misaligned();
    return pass.result();
  };
  Misaligned misaligned;
  ExactRun run = attempt(code, misaligned);
  const std::uint32_t shared = granule_of(code.shared_granule, misaligned.shared);
  const std::uint32_t global = granule_of(code.global_granule, misaligned.global);
  if (shared == code.shared_granule && global == code.global_granule) return run;
  Code finer = code;
  finer.shared_granule = shared;
  finer.global_granule = global;
  saved.restore();
  return attempt(finer, misaligned);
}

}  // namespace evo::evaluators::virtual_device::exact
