#include "evaluators/devices/virtual/exact/machine.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/parallel.hpp"
#include "model/random.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

std::vector<std::uint64_t> block_order(const Launch& launch) {
  std::vector<std::uint64_t> order(launch.blocks());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
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

/// One pass over the blocks, with some number of workers.
class Pass {
 public:
  Pass(const Launch& launch, const Code& code)
      : launch_(launch),
        code_(code),
        order_(block_order(launch)),
        races_(*launch.memory, code.global_granule) {}

  /// False if blocks raced while running in parallel: then the outcome may depend on timing.
  bool run(std::size_t workers) {
    run_.executed_blocks.assign(code_.program->block_starts.size(), 0);
    found_.resize(order_.size());
    parallel_ = workers > 1;
    if (parallel_) {
      run_workers(workers, [&](std::size_t) { work(); });
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
    }
    return std::move(run_);
  }

 private:
  void work() {
    Block block(launch_, code_, races_, block_budget(launch_));
    std::uint64_t executed = 0;
    for (std::size_t i = next_++; i < order_.size() && i <= stopped_at_ && !(parallel_ && raced_);
         i = next_++) {
      const BlockEnd end = block.run(order_[i]);
      executed += block.executed();
      if (block.raced_with_other_block()) raced_ = true;
      if (!block.log().empty()) {
        found_[i] = std::move(block.log().findings());
        end_at(i + blocks_after_finding);
      }
      if (end == BlockEnd::stopped) end_at(i);
    }
    const std::lock_guard lock(mutex_);
    misaligned_.shared |= block.misaligned().shared;
    misaligned_.global |= block.misaligned().global;
    run_.thread_instructions += executed;
    run_.dynamic_smem_touched =
        std::max<std::uint64_t>(run_.dynamic_smem_touched, block.dynamic_smem_touched());
    for (std::size_t b = 0; b < run_.executed_blocks.size(); ++b)
      run_.executed_blocks[b] |= block.covered()[b];
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
  std::vector<std::vector<Finding>> found_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> stopped_at_ = std::numeric_limits<std::size_t>::max();
  std::atomic<bool> raced_ = false;
  bool parallel_ = false;
  std::mutex mutex_;
  Misaligned misaligned_;
  ExactRun run_;
};

}  // namespace

ExactRun run(const Launch& launch) {
  Code code = prepare(*launch.program);
  const std::size_t workers =
      code.orders_blocks ? 1 : std::min<std::size_t>(available_workers(), launch.blocks());
  const SavedMemory saved(*launch.memory);
  // One after another at the second attempt, if blocks raced at the first.
  const auto attempt = [&](Misaligned& misaligned) {
    if (workers > 1) {
      Pass pass(launch, code);
      if (pass.run(workers)) {
        misaligned = pass.misaligned();
        return pass.result();
      }
      saved.restore();
    }
    Pass pass(launch, code);
    pass.run(1);
    misaligned = pass.misaligned();
    return pass.result();
  };
  Misaligned misaligned;
  ExactRun run = attempt(misaligned);
  const std::uint32_t shared = granule_of(code.shared_granule, misaligned.shared);
  const std::uint32_t global = granule_of(code.global_granule, misaligned.global);
  if (shared == code.shared_granule && global == code.global_granule) return run;
  code.shared_granule = shared;
  code.global_granule = global;
  saved.restore();
  return attempt(misaligned);
}

}  // namespace evo::evaluators::virtual_device::exact
