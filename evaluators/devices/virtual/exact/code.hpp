// A Program, prepared for one thread at a time: every operand is a slot of the thread's frame.
//
// A frame holds the virtual registers, then a sink for `_` destinations, a slot that is always zero, the
// special registers that occur, and the immediates that occur. So an operand is one index, whatever its kind.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/ptx/entry_live.hpp"
#include "evaluators/devices/virtual/semantics/fragment_table.hpp"
#include "evaluators/devices/virtual/semantics/matrix_multiply.hpp"
#include "evaluators/devices/virtual/semantics/scalar.hpp"
#include "evaluators/devices/virtual/semantics/warpgroup_multiply.hpp"

namespace evo::evaluators::virtual_device::exact {

using Word = std::uint64_t;

/// How far an access is strong (PTX ISA, "Scope" and "Morally Strong Operations"): with an explicit order,
/// atomic, or volatile in global memory. Clusters of more than one block are not run, so that their scope is
/// the block's.
enum class Strength : std::uint8_t { weak, block, device };

/// What the interpreter switches on.
enum class StepKind : std::uint8_t {
  arithmetic,  ///< through Step::function
  select,      ///< selp: only the chosen source poisons the result
  pack,
  unpack,
  convert_address,  ///< cvta
  is_space,
  load,
  store,
  atomic,        ///< atom and red
  async_copy,    ///< cp.async
  async_commit,  ///< cp.async.commit_group
  async_wait,    ///< cp.async.wait_group, cp.async.wait_all
  bulk_copy,     ///< cp.async.bulk and its kin
  bulk_commit,   ///< cp.async.bulk.commit_group
  bulk_wait,     ///< cp.async.bulk.wait_group
  mbarrier,      ///< mbarrier.*, cp.async.mbarrier.arrive
  texture,       ///< tex
  surface,       ///< where an access to a surface goes
  branch,
  branch_table,
  leave,  ///< ret, exit
  trap,
  nothing,  ///< prefetch
  fence,    ///< membar, fence
  pause,    ///< nanosleep: lets others run
  barrier,
  warp,       ///< bar.warp, shfl, vote, match, redux, elect, activemask
  matrix,     ///< mma and its kin
  warpgroup,  ///< wgmma and its kin
  print,
  assertion,
  unsupported,
};

struct Step {
  StepKind kind = StepKind::unsupported;
  std::uint8_t dst_count = 0, src_count = 0;
  std::uint8_t negated = 0;  ///< bit i: predicate source i is written !p
  bool guarded = false;
  bool guard_negated = false;
  bool reads_clock = false;  ///< some source is a clock: refresh clock slots first
  bool leader = false;       ///< first of a basic block
  bool visible = false;      ///< see ptx::is_visible
  bool meets_unset = false;  ///< may be the first to read a register that nothing has written
  bool narrow_base = false;  ///< 32-bit address register: the sum wraps at 32 bits
  bool acquire = false, release = false;
  bool sequential = false;    ///< a fence that all others of its kind agree on
  bool is_volatile = false;   ///< without an explicit order: strong in global memory only
  bool polls = false;         ///< a load that decides whether a loop goes on
  bool non_coherent = false;  ///< ld.global.nc
  bool may_be_early = false;  ///< a strong load of global memory: see early_loads.hpp
  bool fixed_value = false;   ///< see ptx::stores_of_fixed_values
  Strength strength = Strength::weak;
  std::uint8_t element = 0;  ///< bytes of one element of a memory access
  std::uint8_t vector = 1;
  std::uint32_t width = 0;  ///< bytes of the whole access
  std::uint32_t block = 0;  ///< leader: index into Program::block_starts
  std::uint32_t guard = 0, base = 0, target = 0;
  std::uint32_t dst[4] = {}, src[8] = {};
  std::uint8_t dst_bytes[4] = {};  ///< width of the destination registers, 0 for predicates
  std::int64_t offset = 0;
  semantics::ScalarFunction function = nullptr;
  std::uint32_t matrix = 0;  ///< index into Code::matrix or, of wgmma, Code::warpgroups
  std::uint32_t uses = 0;    ///< 1 + index into Code::uses: touches registers that wgmma uses; 0: none
  std::uint32_t takes = 0;   ///< 1 + index into Code::loaded_uses: touches registers that loads give; 0: none
  std::uint32_t meeting = 0;  ///< barriers and warp operations: which one, below Code::meetings
  const Instruction* instruction = nullptr;
};

/// Slots of the registers of a matrix instruction, and what it does with them. Loads have d, stores and
/// movmatrix's source a.
struct MatrixStep {
  std::array<std::uint32_t, semantics::max_fragment> d{}, a{}, b{}, c{};
  unsigned of_d = 0, of_a = 0, of_b = 0, of_c = 0;
  semantics::MatrixMultiply multiply = nullptr;
  semantics::FragmentTable table;  ///< wmma.load and wmma.store
};

/// Of a wgmma: slots of its registers, and their numbers among those that are followed.
struct WarpgroupStep {
  std::vector<std::uint32_t> d, a, d_followed, a_followed;
  semantics::WarpgroupMultiply multiply;
};

/// What an instruction other than wgmma does with registers that are followed, by their numbers.
struct RegisterUse {
  static constexpr std::uint32_t none = 0xffffffff;
  std::vector<std::uint32_t> reads, writes;
  /// It only gives a value another name, as compilers do anywhere: a mov. `from` is the register, if it is
  /// one that is followed.
  bool renames = false;
  std::uint32_t from = none;
};

struct Code {
  const Program* program = nullptr;
  std::vector<Step> steps;
  std::vector<MatrixStep> matrix;
  std::vector<WarpgroupStep> warpgroups;
  std::vector<RegisterUse> uses;
  std::vector<std::uint32_t> followed;  ///< registers that wgmma uses, and what a mov takes them from or to
  /// As `uses`, of registers that loads of shared memory give values to; empty without bulk copies.
  std::vector<RegisterUse> loaded_uses;
  std::uint32_t loaded = 0;  ///< how many such registers there are
  std::uint32_t slots = 0;   ///< size of a frame
  std::uint32_t sink = 0, zero = 0;
  std::uint32_t meetings = 0;
  std::vector<std::pair<SpecialRegister, std::uint32_t>> specials;
  std::vector<std::pair<Word, std::uint32_t>> constants;
  std::vector<ptx::EntryLive> unset;  ///< registers that start without a value
  /// Narrowest access of any instruction that may reach the space, in bytes, at most 16: accesses are
  /// aligned, so that granules of this size separate what the program separates.
  std::uint32_t shared_granule = 16, global_granule = 16;
  bool orders_blocks =
      false;  ///< global atomics or strong accesses: results may depend on the order of blocks
  bool partial_barriers = false;  ///< bar with a thread count, bar.arrive, mbarrier or bulk copies
  bool async_copies = false;      ///< cp.async, its groups or its arrivals occur
  bool bulk_copies = false;       ///< cp.async.bulk or its kin occur
  bool orders_by_flags = false;   ///< fences or acquires and releases occur, with something that they order
  bool non_coherent = false;      ///< ld.global.nc occurs
  bool early_loads = false;       ///< some Step::may_be_early
  bool follows_reads = false;     ///< lanes exchange values, and something is stored to shared memory
};

/// `program` must outlive the result.
[[nodiscard]] Code prepare(const Program& program);

}  // namespace evo::evaluators::virtual_device::exact
