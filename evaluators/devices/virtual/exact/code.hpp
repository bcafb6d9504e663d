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
#include "evaluators/devices/virtual/semantics/fragment_table.hpp"
#include "evaluators/devices/virtual/semantics/matrix_multiply.hpp"
#include "evaluators/devices/virtual/semantics/scalar.hpp"

namespace evo::evaluators::virtual_device::exact {

using Word = std::uint64_t;

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
  branch,
  branch_table,
  leave,  ///< ret, exit
  trap,
  nothing,  ///< prefetch, membar: no effect on one thread
  pause,    ///< nanosleep: lets others run
  barrier,
  warp,    ///< bar.warp, shfl, vote, match, redux, elect, activemask
  matrix,  ///< mma and its kin
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
  bool narrow_base = false;  ///< 32-bit address register: the sum wraps at 32 bits
  bool strong = false;  ///< explicit scope or ordering (relaxed, acquire, release; volatile in global memory)
  std::uint8_t element = 0;  ///< bytes of one element of a memory access
  std::uint8_t vector = 1;
  std::uint32_t width = 0;  ///< bytes of the whole access
  std::uint32_t block = 0;  ///< leader: index into Program::block_starts
  std::uint32_t guard = 0, base = 0, target = 0;
  std::uint32_t dst[4] = {}, src[6] = {};
  std::uint8_t dst_bytes[4] = {};  ///< width of the destination registers, 0 for predicates
  std::int64_t offset = 0;
  semantics::ScalarFunction function = nullptr;
  std::uint32_t matrix = 0;  ///< index into Code::matrix
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

struct Code {
  const Program* program = nullptr;
  std::vector<Step> steps;
  std::vector<MatrixStep> matrix;
  std::uint32_t slots = 0;  ///< size of a frame
  std::uint32_t sink = 0, zero = 0;
  std::vector<std::pair<SpecialRegister, std::uint32_t>> specials;
  std::vector<std::pair<Word, std::uint32_t>> constants;
  /// Narrowest access of any instruction that may reach the space, in bytes, at most 16: accesses are
  /// aligned, so that granules of this size separate what the program separates.
  std::uint32_t shared_granule = 16, global_granule = 16;
  bool orders_blocks =
      false;  ///< global atomics or strong accesses: results may depend on the order of blocks
  bool partial_barriers = false;  ///< bar with a thread count, or bar.arrive
  bool async_copies = false;      ///< cp.async or its groups occur
};

/// `program` must outlive the result.
[[nodiscard]] Code prepare(const Program& program);

}  // namespace evo::evaluators::virtual_device::exact
