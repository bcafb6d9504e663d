// One thread block of the exact machine: runs its threads one at a time, each until it needs others.
//
// The order of warps and lanes alternates from barrier to barrier (up, down), or is drawn from the schedule
// seed, so that a program that only works in lockstep, or only in one order, does not work here by chance.
// What is found does not depend on the order: races are judged by what orders the accesses, not by which came
// first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluators/devices/virtual/exact/access.hpp"
#include "evaluators/devices/virtual/exact/block_state.hpp"
#include "evaluators/devices/virtual/exact/code.hpp"
#include "evaluators/devices/virtual/exact/late_reads.hpp"
#include "evaluators/devices/virtual/exact/launch_order.hpp"
#include "evaluators/devices/virtual/exact/mbarrier.hpp"
#include "evaluators/devices/virtual/exact/pending.hpp"
#include "evaluators/devices/virtual/exact/race.hpp"
#include "evaluators/devices/virtual/exact/thread.hpp"
#include "evaluators/devices/virtual/exact/undefined_bits.hpp"
#include "evaluators/devices/virtual/exact/warpgroup.hpp"
#include "evaluators/devices/virtual/findings.hpp"
#include "evaluators/devices/virtual/launch.hpp"
#include "evaluators/devices/virtual/stall.hpp"

namespace evo::evaluators::virtual_device::exact {

/// How a block ended, or that its threads wait for other blocks and it has to be asked again. `stopped` ends
/// the launch.
enum class BlockEnd : std::uint8_t { done, stopped, waits };

/// Reused for many blocks of one launch; one owner.
class Block : private BlockState {
 public:
  /// What `common` points to is shared by the workers; all must outlive the block.
  Block(const Launch& launch, const Code& code, const LaunchState& common, std::uint64_t instruction_budget);

  /// Begins with block `index` (linear), which is at `position` in the order of the launch.
  void start(std::uint64_t index, std::uint64_t position);
  /// Runs it to its end, or, in a program whose blocks may wait for each other, until no thread of it comes
  /// on by itself. Findings are in log().
  BlockEnd run();

  /// Did all that could run only wait, in the last run()?
  [[nodiscard]] bool idle() const { return idle_; }
  [[nodiscard]] bool stalled() const { return stall_.holds(); }
  void end_stall() { stall_.end(); }

  [[nodiscard]] FindingLog& log() { return log_; }
  [[nodiscard]] std::uint64_t executed() const {
    return executed_;
  }  ///< thread instructions of the last block
  /// Of the last block: see LaunchReport::blocks_independent, and idle_blocks.
  [[nodiscard]] bool independent() const { return independent_; }
  [[nodiscard]] bool stored() const { return stored_; }
  [[nodiscard]] bool raced_with_other_block() const { return raced_with_other_block_; }
  [[nodiscard]] const Misaligned& misaligned() const { return misaligned_; }             ///< of all blocks
  [[nodiscard]] std::uint32_t dynamic_smem_touched() const { return dynamic_touched_; }  ///< of all blocks
  [[nodiscard]] const std::vector<std::uint8_t>& covered() const { return covered_; }    ///< of all blocks

 private:
  // block.cpp: scheduling
  void start_thread(Thread& thread);
  void shuffle_order();
  bool run_warp(std::uint32_t warp);
  void next_interval();
  /// Do clocks cover all threads of the block, and not only those of a warp?
  [[nodiscard]] bool clocks_cover_block() const { return code_.partial_barriers || order_ != nullptr; }
  [[nodiscard]] bool finished() const { return living_threads_ == 0; }
  [[nodiscard]] Site site(const Thread& thread) const { return {index_, thread.index, thread.pc}; }
  void stop() { stopping_ = true; }

  // execute.cpp: one thread until it waits, leaves or gives way
  void run_thread(Thread& thread);
  bool gives_way(Thread& thread, const Step& step);
  /// `thread` has polled in vain.
  void note_poll(Thread& thread, const Step& step, const Place& place);
  /// Does it wait for a change of what it polled? Counts as one of its turns.
  [[nodiscard]] static bool spins(Thread& thread);
  bool note_late_store(const Thread& thread, const Step& step, const Place& place, bool atomic);
  // early_loads.cpp
  /// Is what the load reads an older value, until it is shown again?
  bool reads_early(Thread& thread, const Step& step, const Place& place);
  /// What the thread loads from now on is not older than now (`device`), or than what its block knows.
  void orders_loads(Thread& thread, bool device);
  /// The threads have met, or `thread` fences, acquires or releases.
  void note_meeting(std::span<const std::uint32_t> threads);
  void note_fence(Thread& thread, const Step& step);
  [[nodiscard]] ThreadsOfWarp only(const Thread& thread) const {
    return {index_, thread.warp(), 1U << thread.lane()};
  }
  // dependences.cpp
  void forget_dependences();
  /// Whether accesses of different blocks may be ordered by flags. Only then LaunchOrder knows of them: it
  /// has one owner, and blocks that only flags in shared memory or mbarriers order run on several host
  /// threads.
  [[nodiscard]] bool orders_accesses() const { return order_ != nullptr && code_.orders_blocks; }
  void follow(Thread& thread, const Step& step);
  void follow_lanes(std::uint32_t warp, std::uint32_t lanes, Opcode op);
  void arithmetic(Thread& thread, const Step& step);
  void select(Thread& thread, const Step& step);
  void pack(Thread& thread, const Step& step);
  void unpack(Thread& thread, const Step& step);
  void convert_address(Thread& thread, const Step& step);
  void branch_table(Thread& thread, const Step& step);
  void refresh_clocks(Thread& thread);
  void assertion(Thread& thread, const Step& step);
  void leave(Thread& thread);
  [[nodiscard]] Word source(const Thread& thread, const Step& step, unsigned i) const {
    return thread.frame[step.src[i]] ^ (step.negated >> i & 1U);
  }
  /// `undefined`: the bits that have no value, where there is a poison.
  void set(Thread& thread, const Step& step, unsigned i, Word value, std::uint32_t poison,
           Word undefined = all_undefined) {
    const std::uint32_t slot = step.dst[i];
    thread.frame[slot] = value;
    if (!thread.tainted) return;
    const unsigned bytes = step.dst_bytes[i];
    if (bytes < 8) undefined &= bytes == 0 ? 1 : (Word{1} << 8 * bytes) - 1;
    thread.poison[slot] = undefined != 0 ? poison : 0;
    thread.undefined[slot] = undefined;
  }
  [[nodiscard]] static Word undefined_bits(const Thread& thread, std::uint32_t slot) {
    return thread.tainted && thread.poison[slot] != 0 ? thread.undefined[slot] : 0;
  }
  [[nodiscard]] std::uint32_t poison_of(const Thread& thread, const Step& step) const;
  void report_uninitialized(const Thread& thread, std::uint32_t poison, std::string_view use);
  void note_first_reads(const Thread& thread);
  [[nodiscard]] std::uint32_t first_read_of(const Thread& thread, std::uint32_t unset) const;

  // memory.cpp
  [[nodiscard]] std::uint64_t address_of(const Thread& thread, const Step& step) const;
  /// False if there is nothing to access (which was told): a load then gives zero, a store is dropped. An
  /// access that is only misaligned is told and goes on.
  bool locate(Thread& thread, const Step& step, AccessKind kind, Place& place);
  bool resolve(Thread& thread, const Target& target, AccessKind kind, Place& place);
  void load(Thread& thread, const Step& step);
  void store(Thread& thread, const Step& step);
  /// One element of an access that was located and checked for races; `poison`: its value is uninitialised.
  void put(const Thread& thread, const Step& step, const Place& place, unsigned element, Word value,
           std::uint32_t poison, Word undefined = all_undefined);
  /// Values are not what the kernel meant behind a wrong address, and a loop may never end.
  void limit_after_fault();
  void fault(const Thread& thread, FindingKind kind, AccessKind access, const Place& place);
  [[nodiscard]] std::string text_at(std::uint64_t generic_address) const;  ///< a C string
  std::uint32_t origin_of(const Thread& thread, const Step& step, const Place& place, unsigned element);
  void mark_written(const Place& place, const Step& step, unsigned element, std::uint32_t poison,
                    Word undefined = all_undefined);

  // atomic.cpp
  void atomic(Thread& thread, const Step& step);
  Word atomic_result(const Thread& thread, const Step& step, const Place& place, unsigned element, Word old);

  // async_copy.cpp
  void copy_async(Thread& thread, const Step& step);
  void wait_for_copies(Thread& thread, const Step& step);
  /// `clock`: who knows the thread until then may read it.
  void land(const Thread& thread, const Copy& copy, std::uint32_t clock);
  void forget_copies_over(const Place& place);
  [[nodiscard]] bool overtakes_copy(const Access& access, std::uint64_t granule) const;
  void check_copy_sources(const Site& here, const Place& place, AccessKind kind);
  template <class Visit>
  void for_each_granule(const Place& place, Visit visit) const {
    const std::uint64_t last = (place.address + place.width - 1) / code_.shared_granule;
    for (std::uint64_t g = place.address / code_.shared_granule; g <= last; ++g) visit(g);
  }

  // bulk_copy.cpp: from the issue on
  void issue_bulk_copy(Thread& thread, const Step& step);
  bool describe_bulk_copy(Thread& thread, const Step& step, BulkCopy& copy);
  const TensorMap* tensor_map_of(Thread& thread, const Step& step);
  void issue_bulk_load(Thread& thread, const Step& step, BulkCopy copy);
  void issue_bulk_store(Thread& thread, const Step& step, BulkCopy copy);
  bool told_bulk_overlap(const Site& here, const Access& access, const Place& place);
  [[nodiscard]] bool knows_issue(const Access& access, const Access& issue) const;
  void report_bulk(const Thread& thread, FindingKind kind, std::string text);

  // late_reads.cpp
  /// Before the step runs: what it uses is there.
  void take_loaded(const Thread& thread, const Step& step);
  void end_loads(const Thread& thread);
  /// False where nobody asks when the load is over; else late_reads_ is to know what it reads.
  bool begin_load(const Thread& thread, const Step& step);
  void check_late_reads(const BulkCopy& copy);
  void report_late_reads(const std::vector<LateReads::Overtaken>& told);

  // bulk_landing.cpp: until others may use what they move
  void wait_for_bulk_copies(Thread& thread, const Step& step);
  /// What a wait for the phase asks for: the copies whose bytes alone are missing land.
  void deliver_bulk_copies(std::uint64_t address, Mbarrier& object);
  void land_bulk_load(const BulkCopy& copy, std::uint32_t engine);
  void read_bulk_store(BulkCopy& copy);
  void finish_bulk_stores();
  [[nodiscard]] std::uint32_t engine_of(std::uint64_t mbarrier);
  /// Of a thread as the clocks count it: who issued the copy that an engine has made.
  [[nodiscard]] std::uint32_t issuer_of(std::uint32_t thread) const {
    return thread < thread_count_ ? thread : bulk_issuers_[thread - thread_count_];
  }

  // warpgroup.cpp
  bool reach_wgmma(std::uint32_t warp, const Step& step);
  void issue_wgmma(std::uint32_t first, std::uint32_t end, const Step& step);
  void check_operands_agree(std::uint32_t first, std::uint32_t end, const Step& step);
  void multiply_rows(std::uint32_t warp, const Step& step, const MatrixTiles* of_a, const MatrixTiles& of_b,
                     bool adds, std::uint32_t number);
  void order_wgmma(std::uint32_t warp, const Step& step);
  // warpgroup_memory.cpp
  void gather(Thread& thread, const Step& step, unsigned operand, unsigned first_piece, unsigned pieces,
              MatrixTiles& tiles);
  void check_matrix_reads(const Site& here, const Place& place, AccessKind kind);
  [[nodiscard]] bool knows_end(std::uint32_t thread, std::uint32_t group, std::uint32_t number) const;
  // warpgroup_registers.cpp
  void follow_registers(Thread& thread, const Step& step);
  void check_registers(std::uint32_t warp, const Step& step);
  void report_fence(const Thread& thread, std::uint32_t followed, std::string_view why);
  void report_register(const Thread& thread, std::uint32_t followed, std::uint32_t number,
                       std::string_view use);

  // texture.cpp
  const Texture* texture_of(Thread& thread, const Step& step, std::span<Word> sources);
  void report_texture(const Thread& thread, FindingKind kind, std::string text);
  void fetch_texture(Thread& thread, const Step& step);
  void find_in_surface(Thread& thread, const Step& step);

  // mbarrier.cpp
  void mbarrier(Thread& thread, const Step& step);
  void change_mbarrier(Thread& thread, const Step& step, const Place& place, Word operand);
  void arrive_at(Thread& thread, const Step& step, const Place& place, Mbarrier& object, Word operand);
  void wait_at(Thread& thread, const Step& step, const Place& place, Mbarrier& object, Word operand);
  void copies_arrive_at(const Thread& thread, const Step& step, const Place& place, Mbarrier& object);
  void complete_phases(Mbarrier& object);
  void bad_mbarrier(const Thread& thread, const Place& place, std::string_view what);
  /// Other stores end the objects that they touch.
  void overwrite_mbarriers(const Place& place);
  bool report_endless_wait();

  // check_races.cpp
  void check_races(const Site& here, Order order, const Place& place, AccessKind kind,
                   const std::uint8_t* new_bytes);
  void note_dependence(const Place& place, AccessKind kind, std::uint64_t first, std::uint64_t last);
  void report_race(FindingKind kind, const Site& here, const Site& other, AccessKind other_kind,
                   AccessKind kind_now, const Place& place, bool equal = false);

  void check_non_coherent(const Site& here, Order order, std::uint64_t granule, const Place& place,
                          AccessKind kind);

  // flags.cpp
  [[nodiscard]] Order order_of(const Step& step, const Place& place) const;
  [[nodiscard]] SharedKnowledge knowledge_of(const Thread& thread);
  void learn(const Thread& thread, const SharedKnowledge& knowledge);
  void share_knowledge(std::span<const std::uint32_t> threads);
  void fence(const Thread& thread, const Step& step);
  /// `old`: the thread reads what a late store has replaced.
  void read_flag(const Thread& thread, const Step& step, const Place& place, bool old);
  /// `updates`: a read-modify-write. `late`: others may go on reading what was there.
  void write_flag(const Thread& thread, const Step& step, const Place& place, bool updates, bool late);
  template <class Visit>
  void for_each_flag(const Place& place, Visit visit);

  // barrier.cpp
  void reach_barrier(Thread& thread, const Step& step);
  void gather_warp(std::uint32_t warp);
  void arrive(std::span<const std::uint32_t> threads, bool counts_as_warp);
  void complete_if_full(std::uint32_t id);
  void complete(std::uint32_t id);
  void report_deadlock();
  [[nodiscard]] std::string who_waits_where() const;

  // warp_operation.cpp
  void reach_warp_operation(Thread& thread, const Step& step);
  void try_warp_operation(std::uint32_t warp);
  void perform_warp_operation(std::uint32_t warp, std::uint32_t lanes, const Step& step);
  void shuffle(std::uint32_t warp, std::uint32_t lanes);
  void vote(std::uint32_t warp, std::uint32_t lanes, const Step& step);
  void match(std::uint32_t warp, std::uint32_t lanes, const Step& step);
  void reduce(std::uint32_t warp, std::uint32_t lanes, const Step& step);
  bool converge_active_lanes(std::uint32_t warp);
  void check_left_lanes(std::uint32_t warp, const Thread& first);
  /// Has the thread, which has exited, done what others do behind this step, and never executed it? Who did
  /// at least once, in a loop that others have not finished, has left as threads may.
  [[nodiscard]] bool passed_by(const Thread& gone, std::uint32_t meeting, std::uint32_t mask);
  [[nodiscard]] Came& came_to(std::uint32_t warp, std::uint32_t pc) {
    return came_[std::size_t{warp} * code_.meetings + code_.steps[pc].meeting];
  }
  void note_arrival(const Thread& thread, std::uint32_t lanes, std::uint32_t mask);
  [[nodiscard]] std::uint32_t origin_of_lane(const Thread& thread, std::uint32_t from);

  // matrix.cpp, matrix_memory.cpp: `lanes` execute together
  void matrix_operation(std::uint32_t warp, std::uint32_t lanes, const Step& step);
  void multiply(std::uint32_t warp, std::uint32_t lanes, const Step& step);
  void move_matrix(std::uint32_t warp, std::uint32_t lanes, const Step& step);
  void load_rows(std::uint32_t warp, std::uint32_t lanes, const Step& step);
  void store_rows(std::uint32_t warp, std::uint32_t lanes, const Step& step);
  void load_fragment(std::uint32_t warp, std::uint32_t lanes, const Step& step);
  void store_fragment(std::uint32_t warp, std::uint32_t lanes, const Step& step);
  [[nodiscard]] Target piece_at(std::uint64_t address, const Thread& thread, const Step& step) const;
  bool locate_row(Thread& thread, const Step& step, AccessKind kind, Place& place);
  bool fragment_address(std::uint32_t warp, std::uint32_t lanes, const Step& step, AccessKind kind,
                        std::uint64_t& base, std::uint64_t& stride);
  void set_register(Thread& thread, std::uint32_t slot, std::uint32_t value, std::uint32_t poison);
  void report_mask(const Thread& thread, std::string text, const Thread* other = nullptr);
  [[nodiscard]] Thread& lane_of(std::uint32_t warp, std::uint32_t lane) { return threads_[warp * 32 + lane]; }
  [[nodiscard]] std::uint32_t lanes_in(std::uint32_t warp) const;  ///< that exist
};

}  // namespace evo::evaluators::virtual_device::exact
