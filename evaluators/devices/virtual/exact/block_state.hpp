// What the exact machine keeps of a thread block: its threads, its memories, who knows what of whom, and what
// was found. What is done with it: block.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "evaluators/devices/virtual/early_loads.hpp"
#include "evaluators/devices/virtual/exact/access.hpp"
#include "evaluators/devices/virtual/exact/code.hpp"
#include "evaluators/devices/virtual/exact/global_shadow.hpp"
#include "evaluators/devices/virtual/exact/late_reads.hpp"
#include "evaluators/devices/virtual/exact/launch_order.hpp"
#include "evaluators/devices/virtual/exact/mbarrier.hpp"
#include "evaluators/devices/virtual/exact/pending.hpp"
#include "evaluators/devices/virtual/exact/race.hpp"
#include "evaluators/devices/virtual/exact/thread.hpp"
#include "evaluators/devices/virtual/exact/undefined_bits.hpp"
#include "evaluators/devices/virtual/exact/warpgroup.hpp"
#include "evaluators/devices/virtual/findings.hpp"
#include "evaluators/devices/virtual/give_way.hpp"
#include "evaluators/devices/virtual/late_stores.hpp"
#include "evaluators/devices/virtual/launch.hpp"
#include "evaluators/devices/virtual/ptx/pass_by.hpp"
#include "evaluators/devices/virtual/stall.hpp"

namespace evo::evaluators::virtual_device::exact {

/// What the blocks of a launch have in common.
struct LaunchState {
  BlockRaces* races = nullptr;
  LaunchOrder* order = nullptr;           ///< where flags may order accesses; then `races` is not asked
  NonCoherentReads* read_only = nullptr;  ///< where the program has ld.global.nc
  LateStores* late = nullptr;             ///< null in natural order
  EarlyLoads* early = nullptr;            ///< null in natural order, and without loads that may be early
};

/// Misaligned addresses, or-ed: what is wrong with them is in the low bits. 0 = none.
struct Misaligned {
  std::uint64_t shared = 0, global = 0;
};

/// Of one block at a time; what a launch has once is told to the constructor. Its vectors are sized by Block.
struct BlockState {
  BlockState(const Launch& launch, const Code& code, const LaunchState& common,
             std::uint64_t instruction_budget)
      : launch_(launch),
        code_(code),
        common_(common),
        order_(common.order),
        budget_(instruction_budget),
        thread_count_(launch.threads_per_block()),
        warps_((thread_count_ + 31) / 32),
        shared_bytes_(launch.shared_bytes()),
        global_granules_(*launch.memory),
        races_(clocks_, &dependences_) {}

  /// Lanes that have come to a barrier or warp operation, with which mask (the last one that was used there).
  struct Came {
    std::uint32_t lanes = 0, mask = 0;
  };

  const Launch& launch_;
  const Code& code_;
  const LaunchState common_;
  LaunchOrder* const order_;  ///< of common_
  const std::uint64_t budget_;
  const std::uint32_t thread_count_;
  const std::uint32_t warps_;
  const std::uint32_t shared_bytes_;

  std::vector<Thread> threads_;
  std::vector<Word> frames_, frame_template_;
  std::vector<std::uint32_t> poisons_;
  std::vector<Word> undefined_;
  std::vector<std::uint8_t> locals_, local_shadows_;
  std::vector<std::uint64_t> shared_storage_;  ///< 8-byte aligned
  std::uint8_t* shared_ = nullptr;
  std::vector<std::uint8_t> shared_shadow_;
  std::vector<Granule> shared_granules_;
  GranulePages global_granules_;
  Clocks clocks_;
  Dependences dependences_;
  std::vector<Dependences::Id> depends_;
  RaceChecker races_;
  Messages shared_messages_;
  std::vector<FlagState> flags_;                 ///< by thread; empty without order_
  std::map<std::uint64_t, Mbarrier> mbarriers_;  ///< by address in shared memory
  std::uint64_t idle_rounds_ = 0;                ///< in which all threads only waited for mbarriers
  std::vector<CopyQueue> copies_;                ///< by thread; empty without cp.async
  std::vector<Access> in_flight_;                ///< by shared granule: the issue of a copy to it, or epoch 0
  std::vector<std::uint32_t> sources_in_flight_;  ///< by region: copies that read there

  std::vector<Warpgroup> warpgroups_;         ///< empty without wgmma
  std::vector<WarpOfGroup> warps_of_groups_;  ///< by warp
  std::vector<FollowedRegister> followed_;    ///< by thread, then as Code::followed
  /// To the clocks, the copies that complete on one mbarrier are what one more thread writes: an engine. Who
  /// has waited for the mbarrier knows of them, and nobody else.
  static constexpr std::uint32_t bulk_engines = 32;
  std::map<std::uint64_t, std::uint32_t> engines_;  ///< by address of the mbarrier
  std::vector<std::uint32_t> bulk_issuers_;         ///< by engine: who issued its last copy
  std::vector<BulkCopy> bulk_stores_;               ///< that no thread has waited for
  std::vector<std::uint32_t> bulk_committed_;       ///< by thread: groups
  LateReads late_reads_;                            ///< counts where Code::loaded is not 0

  std::uint64_t index_ = 0;  ///< of the block, linear
  std::array<std::uint32_t, 3> id_{};
  /// Strong accesses before a thread gives way: it may be polling.
  static constexpr std::uint32_t polls_before_yield = 32;
  std::uint64_t executed_ = 0;
  std::uint64_t passed_ =
      0;  ///< what turns that spinning threads let pass count for in the budget: the polls of each
  std::uint64_t interval_ = 0;
  std::uint32_t living_threads_ = 0;
  std::vector<std::uint32_t> living_;  ///< per warp: lanes that have not exited
  std::vector<std::uint32_t> ready_;   ///< per warp
  std::vector<std::uint32_t> warp_order_;
  std::vector<std::array<std::uint8_t, 32>> lane_order_;
  std::array<Barrier, 16> barriers_;
  bool stopping_ = false;
  std::uint64_t progress_ = 0;  ///< grows when something happens that others may wait for
  GiveWay give_way_, change_warps_;
  Stall stall_;
  bool idle_ = false;
  std::uint64_t most_ordered_ = 0;  ///< LoadOrder::device of the thread that knows most
  bool gave_way_ = false;           ///< in front of a strong access, since run() began
  std::uint64_t polls_left_ = 0;    ///< before who sees the same again waits for a change
  bool faulted_ = false;            ///< an address of this block was wrong
  std::uint64_t limit_ = 0;         ///< thread instructions of this block: the budget, less after a fault
  Misaligned misaligned_;
  bool raced_with_other_block_ = false;
  bool independent_ = true, stored_ = false;
  std::vector<std::uint32_t> scratch_;

  FindingLog log_;
  std::vector<Origin> origins_;
  std::vector<std::uint32_t> origin_of_instruction_;
  std::vector<std::uint32_t>
      first_reads_;  ///< by thread and Code::unset: 1 + the step that met the register first, or 0
  std::optional<ptx::PassBy> pass_by_;
  std::vector<Came> came_;                                           ///< by warp and meeting
  std::unordered_map<std::uint64_t, std::uint32_t> poisoned_bytes_;  ///< shadow_poisoned bytes: their origin
  std::vector<LaneTrace> traces_;
  std::vector<std::uint8_t> covered_;
  std::uint32_t dynamic_touched_ = 0;
};

}  // namespace evo::evaluators::virtual_device::exact
