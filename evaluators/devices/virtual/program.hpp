// The PTX machine's program: what the front end (ptx/) makes of PTX text, and what both interpreters
// (the warp machine and the exact machine) execute. Typed, resolved, not optimised: virtual registers,
// branch targets as instruction indices, every symbol replaced by space + offset.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "evaluators/devices/virtual/instruction_set.hpp"

namespace evo::evaluators::virtual_device {

struct Operand {
  enum class Kind : std::uint8_t { none, reg, immediate, special };
  Kind kind = Kind::none;
  bool negated = false;     ///< predicate source written !p
  std::uint32_t index = 0;  ///< register, or SpecialRegister
  std::uint64_t bits = 0;   ///< immediate, as the bit pattern of the instruction's type
};

struct SourceLine {
  std::uint32_t file = 0;  ///< index into Program::files; 0 = unknown
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// One instruction. Memory operands: address = base register (or none) + offset, in `space`.
///
/// Operands by opcode, where PTX leaves it open:
/// - A `_` destination is Kind::none inside dst_count. An immediate source has the bit pattern of the type at
/// its
///   place (shift amounts, masks and lane numbers: u32; predicates: 0 or 1), zero-extended to 64 bits.
/// - mul.wide, mad.wide: type is the narrow source type; dst and the addend are twice as wide.
/// - popc, clz, bfind: dst is u32. dp4a, dp2a: type is a's, type2 is b's; dst and c are s32 if either is
/// signed.
/// - setp: dst[0], optionally dst[1]; src[2] is the predicate of bool_op. f16x2: dst[0] low half, dst[1] high
/// half.
/// - cvt with src_count 2 packs: src[0] becomes the upper half.
/// - ld: dst[0..vector-1]. st: src[0..vector-1]. atom: src[0], cas: src[0] compare, src[1] value. red: as
/// atom, no dst.
/// - cp_async: base + offset is the shared destination; src[0] + immediate the global source (src[0] may be
/// an
///   immediate), src[1] source size in bytes (Kind::none: all), src[2] ignore-src (Kind::none: never). It
///   copies size_of(type) * vector bytes. cp_async_wait: src[0] how many groups may stay in flight, an
///   immediate; src_count 0: wait_all.
/// - mbarrier: base + offset is the object. init: src[0] count. arrive, arrive_drop: dst[0] the state before
/// it
///   (may be a sink), src[0] count (Kind::none: 1) or, with expects, how many bytes. wait: dst[0] predicate,
///   src[0] state or, with parity, parity. expect_tx, complete_tx: src[0] bytes. pending_count: dst[0] of
///   src[0].
/// - bulk_copy: base + offset is the place in shared memory (prefetch: none); src[0] + immediate the one in
/// global
///   memory or, of a tensor, the map; src[1] + bulk.barrier_offset the mbarrier of a load; src[2] the blocks
///   of a multicast; from src[3] on the size in bytes or the coordinates, the contiguous one first. reduce:
///   atomic and, where no tensor says it, type. bulk_wait: src[0] how many groups may stay, an immediate.
/// - bar: src[0] barrier, src[1] thread count (Kind::none: all), src[2] predicate of bar_red. bar_warp:
/// src[0] mask.
/// - shfl: src[0] value, src[1] lane, src[2] clamp and segment, src[3] mask; dst[1] predicate if dst_count 2.
/// - vote, match, redux: src[0] value, src[1] mask; match: vote is any or all. elect: src[0] mask; dst[0]
/// leader,
///   dst[1] predicate. redux: atomic is the operation. membar: also fence; scope tells how far.
/// - pack: type is the whole, src[0] the lowest part; unpack: dst[0] the lowest part.
/// - tex: dst[0..3], of type; src[0] handle, then the layer if layered, then the coordinates. surface: dst[0]
///   the address, dst[1] whether there is one; sources as tex, the first coordinate in bytes; an access of
///   size_of(type) * vector bytes.
/// - brx: src[0] index. call_vprintf: src[0] format, src[1] arguments (generic addresses), dst[0] result if
/// any.
/// - call_assertfail: src[0..4] message, file, line, function (addresses generic), character size.
/// - ret ends the thread as exit does: calls are inlined.
/// - Matrix instructions have their registers, all of 32 bits, in Program::matrix_operands, matrix_dst
/// destinations
///   from matrix_first on, then matrix_src sources: mma and wmma.mma: d, a, b, c; ldmatrix, wmma.load: d;
///   stmatrix, wmma.store: the values; movmatrix: d, a. wmma.load and wmma.store: src[0] is the stride in
///   elements (src_count 0: that of a matrix without gaps). saturate is .satfinite.
/// - wgmma: src[0] descriptor of A (Kind::none: A is in registers), src[1] that of B, src[2] whether D is
///   added (scale-d). Program::matrix_operands: D, then D again as what is added, then the four registers of
///   A, if it is there. wgmma_wait: immediate says how many groups may stay in flight.
struct Instruction {
  Opcode op = Opcode::unsupported;
  Type type = Type::none;   ///< operation type; cvt: destination; set: source compared type is type2
  Type type2 = Type::none;  ///< cvt: source; set/setp/slct: compared type; mul.wide: as type
  Rounding rounding = Rounding::none;
  Compare compare = Compare::none;
  BoolOp bool_op = BoolOp::none;
  MulMode mul_mode = MulMode::none;
  ShuffleMode shuffle = ShuffleMode::none;
  VoteMode vote = VoteMode::none;
  AtomicOp atomic = AtomicOp::none;
  BarrierMode barrier = BarrierMode::none;
  MbarrierMode mbarrier = MbarrierMode::none;
  TestClass test = TestClass::none;
  Scope scope = Scope::none;  ///< membar, fence, atom, red, ld, st
  Space space = Space::none;  ///< memory; cvta and isspacep: the space that is not generic
  std::uint8_t vector = 1;    ///< elements of a vector ld/st
  bool ftz = false, saturate = false, approx = false, relu = false, nan_propagating = false,
       wrap = false;     ///< wrap: shf
  bool uniform = false;  ///< bra.uni, bar.sync aligned, ...
  bool is_volatile = false, acquire = false, release = false;
  bool sequential = false;    ///< fence.sc, and membar, which is the same
  bool non_coherent = false;  ///< ld.global.nc
  bool carry_out = false;     ///< add.cc, sub.cc, mad.cc; addc, subc and madc also take the carry in
  bool to_space = false;      ///< cvta.to.space: from generic to the space
  bool right = false;         ///< shf.r (else shf.l)
  bool shift_amount = false;  ///< bfind.shiftamt
  bool full_range = false;    ///< div.full (approx is set too)
  bool no_complete = false;   ///< mbarrier arrive: .noComplete
  bool expects = false;       ///< mbarrier arrive: .expect_tx
  bool parity = false;        ///< mbarrier wait: .parity
  bool no_increment = false;  ///< mbarrier copies_arrive: .noinc
  std::uint8_t dst_count = 0, src_count = 0;
  Operand dst[4];  ///< setp with two destinations: dst[0], dst[1]; shfl d|p likewise
  Operand src[8];
  Operand guard;            ///< @p / @!p
  Operand base;             ///< memory operand
  std::int64_t offset = 0;  ///< memory operand, or the symbol's offset
  /// lop3 table, offset of the source of a cp_async or of src[0] of a bulk_copy, groups of wgmma_wait
  std::uint64_t immediate = 0;
  std::uint32_t target = 0;  ///< bra: instruction index
  std::uint32_t table = 0;   ///< brx: index into Program::branch_tables
  TextureForm texture;
  BulkForm bulk;
  MatrixForm matrix;
  WarpgroupForm warpgroup;
  std::uint8_t matrix_dst = 0, matrix_src = 0;
  std::uint32_t matrix_first = 0;  ///< into Program::matrix_operands
  SourceLine source;
  std::uint32_t ptx_line = 0;  ///< 1-based
  /// Index into Program::texts: the opcode as written ("ld.global.v4.u32"); unsupported: the whole statement.
  std::uint32_t text = 0;
};

struct Parameter {
  std::string name;
  Type type = Type::none;
  std::uint32_t offset = 0;  ///< in the parameter block
  std::uint32_t bytes = 0;   ///< > size_of(type) for a struct passed by value
  std::uint32_t align = 1;
};

/// Module-level .global or .const data, laid out in one image per space.
struct DataSymbol {
  std::string name;
  Space space = Space::global;
  std::uint64_t offset = 0, bytes = 0;
  bool initialised = false;
};

/// One kernel, everything inlined (.func calls are expanded, recursions as deep as ptx::recursion_depths
/// says).
struct Program {
  std::string entry;
  std::string target;  ///< "sm_89"
  std::vector<Instruction> code;
  std::vector<Operand> matrix_operands;
  std::vector<Type> registers;  ///< type of each virtual register
  std::vector<std::string> register_names;
  std::vector<Parameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t static_smem = 0;  ///< dynamic shared memory starts here (aligned as declared)
  std::uint32_t dynamic_smem_align = 16;
  std::uint32_t local_bytes = 0;  ///< per thread
  std::vector<std::uint8_t> constant_image, global_image;
  std::vector<DataSymbol> data_symbols;
  std::vector<std::vector<std::uint32_t>> branch_tables;
  std::vector<std::uint32_t> block_starts;  ///< sorted indices of basic-block leaders
  std::vector<std::string> files;           ///< [0] is ""
  std::vector<std::string> texts;
  std::uint32_t required_threads = 0;  ///< .reqntid product, 0 = none
  std::uint32_t max_threads = 0;       ///< .maxntid product, 0 = none

  [[nodiscard]] std::span<const Operand> matrix_destinations(const Instruction& i) const {
    return std::span(matrix_operands).subspan(i.matrix_first, i.matrix_dst);
  }
  [[nodiscard]] std::span<const Operand> matrix_sources(const Instruction& i) const {
    return std::span(matrix_operands).subspan(i.matrix_first + i.matrix_dst, i.matrix_src);
  }
};

}  // namespace evo::evaluators::virtual_device
