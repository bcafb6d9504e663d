// A program decoded for the warp machine: one handler a step, operands as byte offsets into the registers of
// a warp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/semantics/fragment_table.hpp"
#include "evaluators/devices/virtual/semantics/scalar.hpp"
#include "evaluators/devices/virtual/warp/matrix.hpp"
#include "evaluators/devices/virtual/warp/warpgroup.hpp"

namespace evo::evaluators::virtual_device::warp {

struct Warp;
struct Op;
/// Executes one step for the lanes of warp.mask and returns the next one; null hands over to the scheduler.
using Handler = const Op* (*)(Warp& warp, const Op* op);

constexpr unsigned lanes = 32;
constexpr std::uint32_t all_lanes = 0xffffffffU;
/// Registers are slots of 32 lanes of 4 bytes; a 64-bit register takes two. Predicates are one mask of 4
/// bytes.
constexpr std::uint32_t slot_size = 128;

struct alignas(64) Op {
  Handler fn = nullptr;
  std::uint32_t d = 0, a = 0, b = 0, c = 0;  ///< byte offsets of the operands' slots
  std::uint32_t pd = 0, pa = 0, pb = 0,
                pc = 0;           ///< indices of their poison masks; 0 is the one that stays zero
  std::uint32_t instruction = 0;  ///< index into Program::code
  std::uint32_t extra = 0;        ///< index into Code::wide, basic block, or jump target
  std::int64_t offset = 0;        ///< of a memory operand; flags of a comparison
};

/// Operands of the steps that have more than an Op holds.
struct Wide {
  std::uint32_t dst[4] = {}, dst_poison[4] = {};
  std::uint32_t src[9] = {}, src_poison[9] = {};
  std::uint8_t dst_class[4] = {}, src_class[9] = {};  ///< 0 predicate, 4 or 8: bytes a lane
  std::uint8_t src_count = 0, dst_count = 0;
  bool avoidable = false;  ///< of ptx::PassBy: barriers and warp operations
  semantics::ScalarFunction scalar = nullptr;
  std::vector<std::uint32_t> targets;  ///< brx: op indices
};

/// Straight-line code that is entered at its first step only.
struct BasicBlock {
  std::uint32_t op = 0;             ///< its `enter` step
  std::uint32_t instruction = 0;    ///< first
  std::uint32_t length = 0;         ///< instructions
  std::uint32_t program_block = 0;  ///< index into Program::block_starts
};

/// A special register's slot.
struct SpecialSlot {
  SpecialRegister which{};
  std::uint32_t offset = 0;
  std::uint8_t lane_class = 4;
};

/// Slots for the operands of a warp operation that lanes execute together from different steps.
struct Meeting {
  std::uint32_t words[4] = {}, word_poison[4] = {};
  std::uint32_t result = 0, result_poison = 0;
  std::uint32_t voter = 0, voter_poison = 0;      ///< predicate source
  std::uint32_t verdict = 0, verdict_poison = 0;  ///< predicate destination
};

/// Where a register of the program is kept.
struct RegisterPlace {
  std::uint32_t offset = 0;
  std::uint8_t lane_class = 4;  ///< 0 predicate
  bool used = false;
};

struct Code {
  const Program* program = nullptr;
  std::vector<Op> ops;
  std::vector<Wide> wide;
  std::vector<MatrixStep> matrix;
  std::vector<semantics::FragmentTable> fragments;
  std::vector<WarpgroupStep> warpgroups;
  std::vector<BasicBlock> blocks;
  std::vector<SpecialSlot> specials;
  Meeting meeting;
  std::vector<RegisterPlace> registers;  ///< by register of the program
  std::vector<std::byte> image;          ///< registers at the start of a block: zero, and the immediates
  std::uint32_t poison_words = 0;
  std::vector<std::uint32_t> born_poisoned;  ///< poison indices of the program's registers
  bool checked = false;                      ///< steps keep poison and shadow state, and feed the race filter
  unsigned shared_granule = 4;               ///< narrowest shared access, at most 4
  unsigned narrowest = 4;                    ///< narrowest access of any space, at most 4
  bool async_copies = false;                 ///< cp.async or its groups occur
  bool early_loads = false;    ///< has strong loads of global memory that may be early: see early_loads.hpp
  bool orders_blocks = false;  ///< has global atomics or ordered accesses: blocks run one after another
};

/// Decodes `program`, which must outlive the code. `checked` as in Code; `wide_vectors` takes the AVX2
/// handlers.
[[nodiscard]] Code decode(const Program& program, bool checked, bool wide_vectors);

}  // namespace evo::evaluators::virtual_device::warp
