// The PTX machine's program: what the front end (ptx/) makes of PTX text, and what both interpreters
// (the warp machine and the exact machine) execute. Typed, resolved, not optimised: virtual registers,
// branch targets as instruction indices, every symbol replaced by space + offset.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace evo::evaluators::virtual_device {

enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  u8,
  s8,
  b16,
  u16,
  s16,
  e4m3x2,  ///< two 8-bit floats
  e5m2x2,
  f16,
  bf16,
  f16x2,
  bf16x2,
  b32,
  u32,
  s32,
  f32,
  tf32,
  b64,
  u64,
  s64,
  f64,
};
[[nodiscard]] constexpr unsigned size_of(Type type) {
  switch (type) {
    case Type::none:
    case Type::pred:
      return 0;
    case Type::b8:
    case Type::u8:
    case Type::s8:
      return 1;
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::e4m3x2:
    case Type::e5m2x2:
    case Type::f16:
    case Type::bf16:
      return 2;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
      return 8;
    default:
      return 4;
  }
}

enum class Space : std::uint8_t { none, generic, global, shared, local, constant, param };

/// How addresses look to a program (the machine's side is memory_map.hpp). A generic address of global memory
/// is the address itself. The shared, local, constant and parameter spaces count from 0 (a block's shared
/// memory, a thread's local memory, constant_image, the parameter block); their generic address is a window's
/// base + offset, and cvta adds or subtracts that base. The address of a symbol of these spaces is its
/// offset; that of a module-level .global symbol is global_image_base + its offset in global_image.
inline constexpr std::uint64_t global_image_slot = 15;  ///< of memory_map.hpp; below the first buffer's
inline constexpr std::uint64_t global_image_base = (global_image_slot << 36) + (std::uint64_t{1} << 35);

enum class Opcode : std::uint16_t {
  unsupported,  ///< kept in the program; executing it is the verdict `unsupported`, naming `text` and line
  // integer and float arithmetic
  add,
  addc,
  sub,
  subc,
  mul,
  mad,
  madc,
  mul24,
  mad24,
  sad,
  div,
  rem,
  abs,
  neg,
  min,
  max,
  fma,
  rcp,
  sqrt,
  rsqrt,
  sin,
  cos,
  lg2,
  ex2,
  tanh,
  copysign,
  testp,
  popc,
  clz,
  bfind,
  brev,
  bfe,
  bfi,
  fns,
  dp4a,
  dp2a,
  prmt,
  lop3,
  shf,
  shl,
  shr,
  and_,
  or_,
  xor_,
  not_,
  cnot,
  selp,
  slct,
  set,
  setp,
  mov,
  cvt,
  cvta,
  pack,
  unpack,  ///< mov.b32 {a,b} and back: dst/src counts say which way
  isspacep,
  // memory
  ld,
  st,
  atom,
  red,
  prefetch,
  membar,
  cp_async,         ///< cp.async of 4, 8 or 16 bytes
  cp_async_commit,  ///< cp.async.commit_group
  cp_async_wait,    ///< cp.async.wait_group, cp.async.wait_all
  mbarrier,         ///< mbarrier.*, cp.async.mbarrier.arrive: MbarrierMode says which
  tex,              ///< tex.*: a texel, or a mix of some
  surface,          ///< where a texel of a surface is: suld and sust become this and ld or st
  // control
  bra,
  brx,
  ret,
  exit,
  trap,
  nanosleep,
  // synchronisation and warp
  bar,
  bar_red,
  bar_warp,
  shfl,
  vote,
  match,
  activemask,
  redux,
  elect,
  // matrices, by whole warps
  ldmatrix,
  stmatrix,
  movmatrix,
  mma,
  wmma_load,
  wmma_mma,
  wmma_store,
  // calls that are handled: printf and assertion
  call_vprintf,
  call_assertfail,
};

/// Whether an instruction works on matrices, by whole warps.
[[nodiscard]] constexpr bool is_matrix(Opcode op) {
  switch (op) {
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::movmatrix:
    case Opcode::mma:
    case Opcode::wmma_load:
    case Opcode::wmma_mma:
    case Opcode::wmma_store:
      return true;
    default:
      return false;
  }
}

enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rna, rni, rzi, rmi, rpi };
enum class Compare : std::uint8_t {
  none,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  lo,
  ls,
  hi,
  hs,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan
};
enum class BoolOp : std::uint8_t { none, and_, or_, xor_ };
enum class MulMode : std::uint8_t { none, lo, hi, wide };
enum class ShuffleMode : std::uint8_t { none, up, down, bfly, idx };
enum class VoteMode : std::uint8_t { none, all, any, uni, ballot };
enum class AtomicOp : std::uint8_t { none, add, min, max, and_, or_, xor_, exch, cas, inc, dec };
enum class BarrierMode : std::uint8_t { none, sync, arrive, red_popc, red_and, red_or };
/// What an instruction does to an mbarrier object.
enum class MbarrierMode : std::uint8_t {
  none,
  init,
  inval,
  arrive,
  arrive_drop,
  expect_tx,
  complete_tx,
  wait,           ///< test_wait, try_wait
  pending_count,  ///< of a state, without an object
  copies_arrive,  ///< cp.async.mbarrier.arrive
};
enum class TestClass : std::uint8_t { none, finite, infinite, number, notanumber, normal, subnormal };
enum class Scope : std::uint8_t { none, cta, cluster, gpu, sys };

/// The tile that a matrix instruction works on; m8n8 of 16-bit elements is that of ldmatrix and its kin, the
/// last four are those of wmma.
enum class MatrixShape : std::uint8_t {
  none,
  m8n8,
  m8n8k16,
  m16n8k4,
  m16n8k8,
  m16n8k16,
  m16n8k32,
  m16n16k16,
  m32n8k16,
  m8n32k16,
  m16n16k8,
};
enum class MatrixRole : std::uint8_t { a, b, accumulator };

/// What a matrix instruction is apart from its operands. Loads and stores use role, column_major and `a`,
/// which is then the type of the elements whatever the role; mma and wmma.mma use all four types.
struct MatrixForm {
  MatrixShape shape = MatrixShape::none;
  MatrixRole role = MatrixRole::a;
  bool column_major =
      false;  ///< wmma.load, wmma.store: consecutive elements of a column are neighbours in memory
  bool transposed = false;  ///< .trans of ldmatrix, stmatrix, movmatrix
  std::uint8_t count = 0;   ///< ldmatrix, stmatrix: matrices
  Type a = Type::none, b = Type::none, c = Type::none, d = Type::none;
  friend bool operator==(const MatrixForm&, const MatrixForm&) = default;
};

/// What an access beyond the edge of a surface does.
enum class SurfaceEdge : std::uint8_t { trap, clamp, zero };
/// The texture or surface that an instruction expects, and how it names a place there.
struct TextureForm {
  std::uint8_t dimensions = 0;  ///< 1 to 3, without the layer
  bool layered = false;
  bool whole_coordinates = false;  ///< tex: s32 instead of f32, as tex1Dfetch has them
  SurfaceEdge edge = SurfaceEdge::trap;
  friend bool operator==(const TextureForm&, const TextureForm&) = default;
};

struct Operand {
  enum class Kind : std::uint8_t { none, reg, immediate, special };
  Kind kind = Kind::none;
  bool negated = false;     ///< predicate source written !p
  std::uint32_t index = 0;  ///< register, or SpecialRegister
  std::uint64_t bits = 0;   ///< immediate, as the bit pattern of the instruction's type
};

enum class SpecialRegister : std::uint32_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  clock,
  clock64,
  clock_hi,
  globaltimer,
  globaltimer_lo,
  globaltimer_hi,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  dynamic_smem_size,
  total_smem_size,
  envreg1,  ///< with envreg2: where the blocks of a cooperative launch meet
  envreg2,
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
  Operand src[6];
  Operand guard;                ///< @p / @!p
  Operand base;                 ///< memory operand
  std::int64_t offset = 0;      ///< memory operand, or the symbol's offset
  std::uint64_t immediate = 0;  ///< lop3 table, offset of the source of a cp_async
  std::uint32_t target = 0;     ///< bra: instruction index
  std::uint32_t table = 0;      ///< brx: index into Program::branch_tables
  TextureForm texture;
  MatrixForm matrix;
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

/// One kernel, everything inlined (.func calls are expanded; recursion is `unsupported`).
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
