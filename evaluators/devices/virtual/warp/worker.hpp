// What one host thread needs to run blocks, allocated once a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "evaluators/devices/virtual/warp/machine.hpp"
#include "evaluators/devices/virtual/warp/state.hpp"

namespace evo::evaluators::virtual_device::warp {

/// Shared by the workers of a launch.
struct LaunchContext {
  const Launch* launch = nullptr;
  const Code* code = nullptr;
  RunOptions options;
  GlobalRaces* global_races = nullptr;
  LateStores* late = nullptr;   ///< null in natural order
  EarlyLoads* early = nullptr;  ///< null in natural order, and without loads that may be early
  Footprint* footprint = nullptr;
  std::uint64_t block_limit = 0;  ///< thread instructions
  const HotLines* hot_lines = nullptr;
  std::atomic<std::uint64_t>* spent = nullptr;  ///< with Launch::whole_budget
};

class Worker {
 public:
  explicit Worker(const LaunchContext& context);

  /// Begins with block `index` (linear), which is at `position` in the order of the launch.
  void start(std::uint64_t index, std::uint64_t position, bool sampled);
  /// Runs it, to its end (true) or until its warps only poll, or for a while: then it has to be called again.
  /// The findings are in block() until the next start().
  [[nodiscard]] bool proceed();
  /// The block will not end: tells the hang, and ends it.
  void give_up();

  /// Its block goes on where it stood still.
  void end_stall() { block_.stall.end(); }

  [[nodiscard]] const BlockState& block() const { return block_; }
  [[nodiscard]] const std::vector<std::uint64_t>& entries() const { return entries_; }
  [[nodiscard]] const std::vector<std::uint64_t>& lane_entries() const { return lane_entries_; }
  [[nodiscard]] const AccessCounts& counts() const { return counts_; }
  [[nodiscard]] const SharedRaces* races() const { return races_ ? &*races_ : nullptr; }
  [[nodiscard]] std::uint64_t longest_warp() const { return longest_warp_; }
  [[nodiscard]] std::uint32_t shared_top() const { return shared_top_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };
  using Bytes = std::unique_ptr<std::byte[], Free>;
  [[nodiscard]] static Bytes allocate(std::size_t bytes);

  void start_warp(Warp& warp, std::uint32_t index);
  template <typename Lane>
  void set_special(Warp& warp, const SpecialSlot& special, std::uint32_t index) const;

  const LaunchContext& context_;
  BlockState block_;
  std::size_t register_stride_ = 0;
  Bytes registers_;
  std::vector<std::uint32_t> poison_;
  Bytes shared_;
  std::vector<std::uint8_t> shared_shadow_;
  Bytes local_;
  std::vector<std::uint8_t> local_shadow_;
  std::optional<SharedRaces> races_;
  std::vector<AsyncQueue> copies_;  ///< by warp; empty without cp.async
  std::vector<std::uint64_t> entries_, lane_entries_;
  AccessCounts counts_;
  std::uint64_t longest_warp_ = 0;
  std::uint32_t shared_top_ = 0;
};

}  // namespace evo::evaluators::virtual_device::warp
