// The PTX of evo's own kernels.
#include "evaluators/devices/cuda/helper_kernels.hpp"

namespace evo::evaluators::cuda {
namespace {

// Volatile accesses, so that no compiler of the driver drops a store that nothing reads. The load ends by the
// GPU's own clock: whatever becomes of the host, it is over in time.
constexpr std::string_view ptx = R"(
.version 7.0
.target sm_70
.address_size 64

.extern .shared .align 16 .b8 evo_shared[];

.visible .entry evo_fill_shared(.param .u32 pattern, .param .u32 words)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  ld.param.u32 %r1, [pattern];
  ld.param.u32 %r2, [words];
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, evo_shared;
FILL:
  setp.ge.u32 %p1, %r3, %r2;
  @%p1 bra FILLED;
  shl.b32 %r6, %r3, 2;
  add.u32 %r7, %r5, %r6;
  st.volatile.shared.u32 [%r7], %r1;
  add.u32 %r3, %r3, %r4;
  bra FILL;
FILLED:
  ret;
}

.visible .entry evo_move_memory(.param .u64 base, .param .u32 words, .param .u64 nanoseconds)
{
  .reg .pred %p<4>;
  .reg .b32 %r<10>;
  .reg .b64 %d<10>;
  ld.param.u64 %d1, [base];
  ld.param.u32 %r1, [words];
  ld.param.u64 %d2, [nanoseconds];
  cvta.to.global.u64 %d1, %d1;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  mov.u32 %r6, %nctaid.x;
  mul.lo.u32 %r7, %r6, %r3;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra MOVED;
  mov.u32 %r8, %r5;
  mov.u64 %d3, %globaltimer;
MOVE:
  mul.wide.u32 %d4, %r8, 4;
  add.u64 %d5, %d1, %d4;
  ld.volatile.global.u32 %r9, [%d5];
  add.u32 %r9, %r9, 1;
  st.volatile.global.u32 [%d5], %r9;
  add.u32 %r8, %r8, %r7;
  setp.ge.u32 %p2, %r8, %r1;
  selp.u32 %r8, %r5, %r8, %p2;
  mov.u64 %d6, %globaltimer;
  sub.u64 %d7, %d6, %d3;
  setp.lt.u64 %p3, %d7, %d2;
  @%p3 bra MOVE;
MOVED:
  ret;
}

// Zones of a block's y: a byte a thread and turn, since they begin and end anywhere. guard_word() in guard.cpp is
// the same formula.
.visible .entry evo_guards(.param .align 8 .b8 zones[2048], .param .u64 sums)
{
  .reg .pred %p<5>;
  .reg .b32 %r<14>;
  .reg .b64 %d<14>;
  mov.u32 %r1, %ctaid.y;
  mul.wide.u32 %d1, %r1, 32;
  mov.b64 %d2, zones;
  add.u64 %d2, %d2, %d1;
  ld.param.u64 %d1, [%d2];
  ld.param.u64 %d3, [%d2+8];
  ld.param.u32 %r2, [%d2+16];
  ld.param.u32 %r3, [%d2+20];
  ld.param.u32 %r4, [%d2+24];
  ld.param.u64 %d4, [sums];
  cvta.to.global.u64 %d1, %d1;
  setp.ne.u64 %p3, %d4, 0;
  cvta.to.global.u64 %d4, %d4;
  mul.wide.u32 %d5, %r1, 8;
  add.u64 %d4, %d4, %d5;
  add.u32 %r5, %r2, %r3;
  mov.u32 %r6, %ctaid.x;
  mov.u32 %r7, %ntid.x;
  mov.u32 %r8, %tid.x;
  mad.lo.u32 %r8, %r6, %r7, %r8;
  mov.u32 %r9, %nctaid.x;
  mul.lo.u32 %r9, %r9, %r7;
  cvt.u64.u32 %d5, %r4;
  add.u64 %d5, %d5, 1;
  mul.lo.u64 %d5, %d5, 0xd1b54a32d192ed03;
  mov.u64 %d6, 0;
  setp.ge.u32 %p1, %r8, %r5;
  @%p1 bra GUARDED;
GUARD:
  sub.u32 %r10, %r8, %r2;
  cvt.u64.u32 %d7, %r10;
  add.u64 %d7, %d7, %d3;
  cvt.u64.u32 %d8, %r8;
  setp.lt.u32 %p2, %r8, %r2;
  selp.b64 %d8, %d8, %d7, %p2;
  shr.u64 %d9, %d8, 3;
  add.u64 %d9, %d9, 1;
  mul.lo.u64 %d9, %d9, 0x9e3779b97f4a7c15;
  xor.b64 %d9, %d9, %d5;
  shr.u64 %d10, %d9, 32;
  xor.b64 %d9, %d9, %d10;
  mul.lo.u64 %d9, %d9, 0xda942042e4dd58b5;
  and.b64 %d9, %d9, 0x800e800e800e800e;
  or.b64 %d9, %d9, 0x7ff17ff17ff17ff1;
  cvt.u32.u64 %r11, %d8;
  shl.b32 %r11, %r11, 3;
  and.b32 %r11, %r11, 56;
  shr.u64 %d9, %d9, %r11;
  add.u64 %d11, %d1, %d8;
  @%p3 bra COMPARE;
  st.volatile.global.u8 [%d11], %d9;
  bra NEXT;
COMPARE:
  and.b64 %d9, %d9, 255;
  ld.volatile.global.u8 %d12, [%d11];
  setp.ne.u64 %p4, %d12, %d9;
  selp.u64 %d12, 1, 0, %p4;
  add.u64 %d6, %d6, %d12;
NEXT:
  add.u32 %r8, %r8, %r9;
  setp.lt.u32 %p1, %r8, %r5;
  @%p1 bra GUARD;
GUARDED:
  setp.eq.u64 %p4, %d6, 0;
  @%p4 bra INTACT;
  red.global.add.u64 [%d4], %d6;
INTACT:
  ret;
}

// digest_of() in digest.cpp is the same formula. Blocks of whole warps; the stretch of a block's y begins anywhere.
.visible .entry evo_digest(.param .align 8 .b8 stretches[1024], .param .u64 key, .param .u64 sums)
{
  .reg .pred %p<4>;
  .reg .b32 %r<10>;
  .reg .b64 %d<16>;
  mov.u32 %r1, %ctaid.y;
  mul.wide.u32 %d1, %r1, 16;
  mov.b64 %d2, stretches;
  add.u64 %d2, %d2, %d1;
  ld.param.u64 %d1, [%d2];
  ld.param.u64 %d2, [%d2+8];
  ld.param.u64 %d3, [key];
  ld.param.u64 %d4, [sums];
  mul.wide.u32 %d5, %r1, 8;
  add.u64 %d4, %d4, %d5;
  cvta.to.global.u64 %d1, %d1;
  cvta.to.global.u64 %d4, %d4;
  add.u64 %d5, %d2, 7;
  shr.u64 %d5, %d5, 3;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  cvt.u64.u32 %d6, %r4;
  mov.u32 %r5, %nctaid.x;
  mul.lo.u32 %r5, %r5, %r2;
  cvt.u64.u32 %d7, %r5;
  mov.u64 %d8, 0;
WORD:
  setp.ge.u64 %p1, %d6, %d5;
  @%p1 bra SUMMED;
  shl.b64 %d9, %d6, 3;
  add.u64 %d10, %d1, %d9;
  sub.u64 %d11, %d2, %d9;
  min.u64 %d11, %d11, 8;
  cvt.u32.u64 %r6, %d11;
  and.b64 %d12, %d10, 7;
  setp.ne.u64 %p2, %d12, 0;
  setp.lt.or.u64 %p2, %d11, 8, %p2;
  @%p2 bra BYTES;
  ld.volatile.global.u64 %d13, [%d10];
  bra MIX;
BYTES:
  mov.u64 %d13, 0;
  mov.u32 %r7, 0;
BYTE:
  cvt.u64.u32 %d14, %r7;
  add.u64 %d14, %d10, %d14;
  ld.volatile.global.u8 %d15, [%d14];
  shl.b32 %r8, %r7, 3;
  shl.b64 %d15, %d15, %r8;
  or.b64 %d13, %d13, %d15;
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p3, %r7, %r6;
  @%p3 bra BYTE;
MIX:
  xor.b64 %d13, %d13, %d3;
  add.u64 %d14, %d6, 1;
  mul.lo.u64 %d15, %d3, 0xd1b54a32d192ed03;
  or.b64 %d15, %d15, 1;
  mul.lo.u64 %d14, %d14, %d15;
  add.u64 %d13, %d13, %d14;
  shr.u64 %d14, %d13, 32;
  xor.b64 %d13, %d13, %d14;
  mul.lo.u64 %d13, %d13, 0xda942042e4dd58b5;
  shr.u64 %d14, %d13, 29;
  xor.b64 %d13, %d13, %d14;
  mul.lo.u64 %d13, %d13, 0xd1b54a32d192ed03;
  shr.u64 %d14, %d13, 32;
  xor.b64 %d13, %d13, %d14;
  add.u64 %d8, %d8, %d13;
  add.u64 %d6, %d6, %d7;
  bra WORD;
SUMMED:
  mov.b64 {%r6, %r7}, %d8;
  shfl.sync.down.b32 %r8, %r6, 16, 31, -1;
  shfl.sync.down.b32 %r9, %r7, 16, 31, -1;
  mov.b64 %d9, {%r8, %r9};
  add.u64 %d8, %d8, %d9;
  mov.b64 {%r6, %r7}, %d8;
  shfl.sync.down.b32 %r8, %r6, 8, 31, -1;
  shfl.sync.down.b32 %r9, %r7, 8, 31, -1;
  mov.b64 %d9, {%r8, %r9};
  add.u64 %d8, %d8, %d9;
  mov.b64 {%r6, %r7}, %d8;
  shfl.sync.down.b32 %r8, %r6, 4, 31, -1;
  shfl.sync.down.b32 %r9, %r7, 4, 31, -1;
  mov.b64 %d9, {%r8, %r9};
  add.u64 %d8, %d8, %d9;
  mov.b64 {%r6, %r7}, %d8;
  shfl.sync.down.b32 %r8, %r6, 2, 31, -1;
  shfl.sync.down.b32 %r9, %r7, 2, 31, -1;
  mov.b64 %d9, {%r8, %r9};
  add.u64 %d8, %d8, %d9;
  mov.b64 {%r6, %r7}, %d8;
  shfl.sync.down.b32 %r8, %r6, 1, 31, -1;
  shfl.sync.down.b32 %r9, %r7, 1, 31, -1;
  mov.b64 %d9, {%r8, %r9};
  add.u64 %d8, %d8, %d9;
  and.b32 %r3, %r3, 31;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra TOLD;
  setp.eq.u64 %p1, %d8, 0;
  @%p1 bra TOLD;
  red.global.add.u64 [%d4], %d8;
TOLD:
  ret;
}
)";

}  // namespace

std::string_view helper_ptx() {
  return ptx;
}

}  // namespace evo::evaluators::cuda
