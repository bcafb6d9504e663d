// The words of the PTX machine's instructions: types, spaces, operations and their modes.
#pragma once

#include <cstdint>

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
  video,  ///< vadd2, vabsdiff4 and their kin; semantics/video.hpp says what immediate is
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
  bulk_copy,        ///< cp.async.bulk.*, cp.reduce.async.bulk.*: BulkForm says which
  bulk_commit,      ///< cp.async.bulk.commit_group
  bulk_wait,        ///< cp.async.bulk.wait_group
  proxy_fence,      ///< fence.proxy.*, fence.mbarrier_init: orders no accesses of threads
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
  // matrices, by warpgroups: four warps, of which the first one's number is a multiple of 4
  wgmma,              ///< wgmma.mma_async: WarpgroupForm says which
  wgmma_fence,        ///< wgmma.fence
  wgmma_commit,       ///< wgmma.commit_group
  wgmma_wait,         ///< wgmma.wait_group
  set_max_registers,  ///< setmaxnreg: to values, nothing
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

/// Whether whole warps of a warpgroup execute the instruction (.sync.aligned).
[[nodiscard]] constexpr bool is_warpgroup(Opcode op) {
  return op == Opcode::wgmma || op == Opcode::wgmma_fence || op == Opcode::wgmma_commit ||
         op == Opcode::wgmma_wait || op == Opcode::set_max_registers;
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
/// What a bulk copy (TMA) does: global to shared memory, back, back with arithmetic, or into the L2 cache.
enum class BulkMode : std::uint8_t { none, load, store, reduce, prefetch };
struct BulkForm {
  BulkMode mode = BulkMode::none;
  std::uint8_t dimensions = 0;  ///< of the tensor; 0: consecutive bytes
  bool multicast = false;
  bool only_reads = false;          ///< bulk_wait: .read
  std::int64_t barrier_offset = 0;  ///< load: added to src[1]
  friend bool operator==(const BulkForm&, const BulkForm&) = default;
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

/// What a wgmma.mma_async is apart from its operands: 64 x n x k, of elements whose types MatrixForm has.
/// There e4m3x2 and e5m2x2 stand for one element of 8 bits.
struct WarpgroupForm {
  std::uint16_t n = 0;
  std::uint8_t k = 0;
  bool a_in_registers = false;
  bool a_transposed = false, b_transposed = false;  ///< imm-trans: M, or N, and not K is contiguous
  bool a_negated = false, b_negated = false;        ///< imm-scale -1
  friend bool operator==(const WarpgroupForm&, const WarpgroupForm&) = default;
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

}  // namespace evo::evaluators::virtual_device
