// One PTX instruction a line, on every input triple: what the virtual device and a GPU must agree on.
// EXACT lines must be bit-equal. BOUND lines may differ by the given number of units in the last place of their
// result (approximate instructions). The host reads the names and bounds from these lines, in this order.
// x, y, z are the inputs in the line's type, d the result; x64.. where a conversion needs another width.

#define WRITE(value) out[(unsigned long long)(index++) * count + i] = (value)

#define RUN_F32(body)                                                                                         \
  {                                                                                                           \
    unsigned r;                                                                                               \
    asm volatile("{.reg .f32 x,y,z,d; mov.b32 x,%1; mov.b32 y,%2; mov.b32 z,%3; " body " mov.b32 %0,d;}"      \
                 : "=r"(r) : "r"(a32), "r"(b32), "r"(c32));                                                   \
    WRITE(r);                                                                                                 \
  }
#define RUN_B32(body)                                                                                         \
  {                                                                                                           \
    unsigned r;                                                                                               \
    asm volatile("{.reg .b32 x,y,z,d; .reg .pred p; mov.b32 x,%1; mov.b32 y,%2; mov.b32 z,%3; " body          \
                 " mov.b32 %0,d;}" : "=r"(r) : "r"(a32), "r"(b32), "r"(c32));                                 \
    WRITE(r);                                                                                                 \
  }
#define RUN_B64(body)                                                                                         \
  {                                                                                                           \
    unsigned long long r;                                                                                     \
    asm volatile("{.reg .b64 x,y,z,d; .reg .b32 n; mov.b64 x,%1; mov.b64 y,%2; mov.b64 z,%3; cvt.u32.u64 n,%3; " body \
                 " mov.b64 %0,d;}" : "=l"(r) : "l"(a), "l"(b), "l"(c));                                       \
    WRITE(r);                                                                                                 \
  }
#define RUN_F64(body)                                                                                         \
  {                                                                                                           \
    unsigned long long r;                                                                                     \
    asm volatile("{.reg .f64 x,y,z,d; mov.b64 x,%1; mov.b64 y,%2; mov.b64 z,%3; " body " mov.b64 %0,d;}"      \
                 : "=l"(r) : "l"(a), "l"(b), "l"(c));                                                         \
    WRITE(r);                                                                                                 \
  }
#define RUN_F16(body)                                                                                         \
  {                                                                                                           \
    unsigned short r;                                                                                         \
    asm volatile("{.reg .b16 x,y,z,d; .reg .pred p; mov.b16 x,%1; mov.b16 y,%2; mov.b16 z,%3; " body          \
                 " mov.b16 %0,d;}" : "=h"(r) : "h"(a16), "h"(b16), "h"(c16));                                 \
    WRITE(r);                                                                                                 \
  }
#define RUN_F16_TO_F32(body)                                                                                  \
  {                                                                                                           \
    unsigned r;                                                                                               \
    asm volatile("{.reg .b16 x; .reg .f32 d; mov.b16 x,%1; " body " mov.b32 %0,d;}" : "=r"(r) : "h"(a16));    \
    WRITE(r);                                                                                                 \
  }
#define RUN_F32_TO_F16(body)                                                                                  \
  {                                                                                                           \
    unsigned short r;                                                                                         \
    asm volatile("{.reg .b16 d; .reg .f32 x; mov.b32 x,%1; " body " mov.b16 %0,d;}" : "=h"(r) : "r"(a32));    \
    WRITE(r);                                                                                                 \
  }
#define RUN_F32_TO_B32(body)                                                                                  \
  {                                                                                                           \
    unsigned r;                                                                                               \
    asm volatile("{.reg .f32 x,y; .reg .b32 d; .reg .pred p; mov.b32 x,%1; mov.b32 y,%2; " body " mov.b32 %0,d;}" \
                 : "=r"(r) : "r"(a32), "r"(b32));                                                             \
    WRITE(r);                                                                                                 \
  }
#define RUN_B32_TO_F32(body)                                                                                  \
  {                                                                                                           \
    unsigned r;                                                                                               \
    asm volatile("{.reg .b32 x; .reg .f32 d; mov.b32 x,%1; " body " mov.b32 %0,d;}" : "=r"(r) : "r"(a32));    \
    WRITE(r);                                                                                                 \
  }
#define RUN_F64_TO_F32(body)                                                                                  \
  {                                                                                                           \
    unsigned r;                                                                                               \
    asm volatile("{.reg .f64 x; .reg .f32 d; mov.b64 x,%1; " body " mov.b32 %0,d;}" : "=r"(r) : "l"(a));      \
    WRITE(r);                                                                                                 \
  }
#define RUN_F32_TO_F64(body)                                                                                  \
  {                                                                                                           \
    unsigned long long r;                                                                                     \
    asm volatile("{.reg .f32 x; .reg .f64 d; mov.b32 x,%1; " body " mov.b64 %0,d;}" : "=l"(r) : "r"(a32));    \
    WRITE(r);                                                                                                 \
  }

// Matrix instructions, by whole warps: x and y are registers of factors, z one of the accumulator, the results are
// d, e, f and g (more of them: to k). EXACT lines write a mixture of all results, BOUND lines d alone. The factors of
// EXACT lines with floats are integers from -4 to 3, so that every sum is exact and only the layout counts; those of
// BOUND lines are in [1, 2), so that nothing cancels and the bound of semantics/matrix_multiply.hpp, (k + 4) 2^-23 of the
// sum, is 2 (k + 4) units in the last place.
#define RUN_MATRIX(body, first, second, third, result)                                                        \
  {                                                                                                           \
    unsigned r, s, t, u;                                                                                      \
    asm volatile("{.reg .b32 x,y,z,d,e,f,g; mov.b32 x,%4; mov.b32 y,%5; mov.b32 z,%6; mov.b32 d,0; mov.b32 e,0; " \
                 "mov.b32 f,0; mov.b32 g,0; " body " mov.b32 %0,d; mov.b32 %1,e; mov.b32 %2,f; mov.b32 %3,g;}" \
                 : "=r"(r), "=r"(s), "=r"(t), "=r"(u) : "r"(first), "r"(second), "r"(third));                 \
    (void)(s + t + u);                                                                                        \
    WRITE(result);                                                                                            \
  }
#define MIXED (r + 3 * s + 5 * t + 7 * u)
#define RUN_INT_F16(body) RUN_MATRIX(body, halves(a32, false), halves(b32, false), small(c32), MIXED)
#define RUN_INT_F16_SUMS(body) RUN_MATRIX(body, halves(a32, false), halves(b32, false), halves(c32, false), MIXED)
#define RUN_INT_BF16(body) RUN_MATRIX(body, halves(a32, true), halves(b32, true), small(c32), MIXED)
#define RUN_INT_TF32(body) RUN_MATRIX(body, small(a32), small(b32), small(c32), MIXED)
#define RUN_BYTES(body) RUN_MATRIX(body, a32, b32, c32, MIXED)
#define RUN_MOVED(body) RUN_MATRIX(body, a32, b32, c32, r)
#define RUN_ONES_F16(body) RUN_MATRIX(body, a32 & 0x03ff03ff | 0x3c003c00, b32 & 0x03ff03ff | 0x3c003c00, one(c32), r)
#define RUN_ONES_F16_SUMS(body)                                                                               \
  RUN_MATRIX(body, a32 & 0x03ff03ff | 0x3c003c00, b32 & 0x03ff03ff | 0x3c003c00, c32 & 0x03ff03ff | 0x3c003c00, r & 0xffff)
#define RUN_ONES_BF16(body) RUN_MATRIX(body, a32 & 0x007f007f | 0x3f803f80, b32 & 0x007f007f | 0x3f803f80, one(c32), r)
#define RUN_ONES_TF32(body) RUN_MATRIX(body, one(a32), one(b32), one(c32), r)

// The same with a tile of the warp in shared memory: w its address, v that of a row of it, 32 rows of 16 bytes in another
// order for each lane.
#define RUN_TILE(body)                                                                                        \
  {                                                                                                           \
    unsigned r;                                                                                               \
    asm volatile("{.reg .b32 x,y,w,v,d,e,f,g,h,i,j,k; mov.b32 x,%1; mov.b32 y,%2; mov.b32 w,%3; mov.b32 v,%4; " \
                 "mov.b32 d,0; mov.b32 e,0; mov.b32 f,0; mov.b32 g,0; mov.b32 h,0; mov.b32 i,0; mov.b32 j,0; mov.b32 k,0; " \
                 "bar.warp.sync -1; " body " bar.warp.sync -1; mad.lo.s32 d,e,3,d; mad.lo.s32 d,f,5,d; mad.lo.s32 d,g,7,d; " \
                 "mad.lo.s32 d,h,11,d; mad.lo.s32 d,i,13,d; mad.lo.s32 d,j,17,d; mad.lo.s32 d,k,19,d; mov.b32 %0,d;}" \
                 : "=r"(r) : "r"(a32), "r"(b32), "r"(tile), "r"(tile + (threadIdx.x * 11 % 32) * 16) : "memory"); \
    WRITE(r);                                                                                                 \
  }

__device__ unsigned small(unsigned bits) { return __float_as_uint((float)((int)(bits & 7) - 4)); }
__device__ unsigned one(unsigned bits) { return bits & 0x007fe000 | 0x3f800000; }
/// Two integers as f16 or bf16.
__device__ unsigned halves(unsigned bits, bool bf16) {
  const float low = (float)((int)(bits & 7) - 4), high = (float)((int)(bits >> 3 & 7) - 4);
  unsigned result;
  if (bf16) {
    asm("cvt.rn.bf16x2.f32 %0,%1,%2;" : "=r"(result) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.f16x2.f32 %0,%1,%2;" : "=r"(result) : "f"(high), "f"(low));
  }
  return result;
}

#define EXACT(kind, body) RUN_##kind(body)
#define BOUND(ulp, kind, body) RUN_##kind(body)

extern "C" __global__ void instructions(const unsigned long long* in_a, const unsigned long long* in_b,
                                        const unsigned long long* in_c, unsigned long long* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned long long a = in_a[i], b = in_b[i], c = in_c[i];
  const unsigned a32 = (unsigned)a, b32 = (unsigned)b, c32 = (unsigned)c;
  const unsigned short a16 = (unsigned short)a, b16 = (unsigned short)b, c16 = (unsigned short)c;
  int index = 0;
  __shared__ __align__(128) unsigned tiles[4][256];
  const unsigned tile = (unsigned)__cvta_generic_to_shared(&tiles[threadIdx.x / 32][0]);
  for (int word = 0; word < 8; ++word) {
    tiles[threadIdx.x / 32][word * 32 + threadIdx.x % 32] = a32 * (2 * word + 1) + b32 * 40503 * word + c32;
  }
  EXACT(F32, "add.rn.f32 d,x,y;")
  EXACT(F32, "add.rz.f32 d,x,y;")
  EXACT(F32, "add.rm.f32 d,x,y;")
  EXACT(F32, "add.rp.f32 d,x,y;")
  EXACT(F32, "add.rn.ftz.f32 d,x,y;")
  EXACT(F32, "add.rn.sat.f32 d,x,y;")
  EXACT(F32, "sub.rn.f32 d,x,y;")
  EXACT(F32, "mul.rn.f32 d,x,y;")
  EXACT(F32, "mul.rz.f32 d,x,y;")
  EXACT(F32, "mul.rp.f32 d,x,y;")
  EXACT(F32, "mul.rn.ftz.f32 d,x,y;")
  EXACT(F32, "fma.rn.f32 d,x,y,z;")
  EXACT(F32, "fma.rz.f32 d,x,y,z;")
  EXACT(F32, "fma.rm.f32 d,x,y,z;")
  EXACT(F32, "fma.rp.f32 d,x,y,z;")
  EXACT(F32, "fma.rn.ftz.f32 d,x,y,z;")
  EXACT(F32, "fma.rn.sat.f32 d,x,y,z;")
  EXACT(F32, "div.rn.f32 d,x,y;")
  EXACT(F32, "rcp.rn.f32 d,x;")
  EXACT(F32, "sqrt.rn.f32 d,x;")
  EXACT(F32, "min.f32 d,x,y;")
  EXACT(F32, "max.f32 d,x,y;")
  EXACT(F32, "max.NaN.f32 d,x,y;")
  EXACT(F32, "abs.f32 d,x;")
  EXACT(F32, "neg.f32 d,x;")
  EXACT(F32, "copysign.f32 d,x,y;")
  EXACT(F32, "cvt.rni.f32.f32 d,x;")
  EXACT(F32, "cvt.rzi.f32.f32 d,x;")
  EXACT(F32, "cvt.rmi.f32.f32 d,x;")
  EXACT(F32, "cvt.rpi.f32.f32 d,x;")
  EXACT(F32, "cvt.sat.f32.f32 d,x;")
  BOUND(2, F32, "ex2.approx.f32 d,x;")
  BOUND(2, F32, "ex2.approx.ftz.f32 d,x;")
  BOUND(1, F32, "rcp.approx.ftz.f32 d,x;")
  BOUND(2, F32, "rsqrt.approx.f32 d,x;")
  BOUND(3, F32, "sqrt.approx.f32 d,x;")
  BOUND(2, F32, "div.approx.f32 d,x,y;")
  EXACT(B32, "add.s32 d,x,y;")
  EXACT(B32, "sub.s32 d,x,y;")
  EXACT(B32, "add.sat.s32 d,x,y;")
  EXACT(B32, "sub.sat.s32 d,x,y;")
  EXACT(B32, "mul.lo.s32 d,x,y;")
  EXACT(B32, "mul.hi.s32 d,x,y;")
  EXACT(B32, "mul.hi.u32 d,x,y;")
  EXACT(B32, "mad.lo.s32 d,x,y,z;")
  EXACT(B32, "mad.hi.u32 d,x,y,z;")
  EXACT(B32, "mul24.lo.s32 d,x,y;")
  EXACT(B32, "sad.s32 d,x,y,z;")
  EXACT(B32, "sad.u32 d,x,y,z;")
  EXACT(B32, "div.s32 d,x,y;")
  EXACT(B32, "div.u32 d,x,y;")
  EXACT(B32, "rem.s32 d,x,y;")
  EXACT(B32, "rem.u32 d,x,y;")
  EXACT(B32, "abs.s32 d,x;")
  EXACT(B32, "neg.s32 d,x;")
  EXACT(B32, "min.s32 d,x,y;")
  EXACT(B32, "max.u32 d,x,y;")
  EXACT(B32, "and.b32 d,x,y;")
  EXACT(B32, "or.b32 d,x,y;")
  EXACT(B32, "xor.b32 d,x,y;")
  EXACT(B32, "not.b32 d,x;")
  EXACT(B32, "cnot.b32 d,x;")
  EXACT(B32, "shl.b32 d,x,y;")
  EXACT(B32, "shr.u32 d,x,y;")
  EXACT(B32, "shr.s32 d,x,y;")
  EXACT(B32, "shf.l.wrap.b32 d,x,y,z;")
  EXACT(B32, "shf.l.clamp.b32 d,x,y,z;")
  EXACT(B32, "shf.r.wrap.b32 d,x,y,z;")
  EXACT(B32, "shf.r.clamp.b32 d,x,y,z;")
  EXACT(B32, "popc.b32 d,x;")
  EXACT(B32, "clz.b32 d,x;")
  EXACT(B32, "brev.b32 d,x;")
  EXACT(B32, "bfind.u32 d,x;")
  EXACT(B32, "bfind.s32 d,x;")
  EXACT(B32, "bfind.shiftamt.u32 d,x;")
  EXACT(B32, "bfe.u32 d,x,y,z;")
  EXACT(B32, "bfe.s32 d,x,y,z;")
  EXACT(B32, "bfi.b32 d,x,y,z,7;")
  EXACT(B32, "prmt.b32 d,x,y,z;")
  EXACT(B32, "lop3.b32 d,x,y,z,0x96;")
  EXACT(B32, "lop3.b32 d,x,y,z,0x1b;")
  EXACT(B32, "dp4a.s32.s32 d,x,y,z;")
  EXACT(B32, "dp4a.u32.s32 d,x,y,z;")
  EXACT(B32, "setp.lt.s32 p,x,y; selp.b32 d,x,y,p;")
  EXACT(B32, "setp.hi.u32 p,x,y; selp.b32 d,x,y,p;")
  EXACT(B32, "set.ge.u32.s32 d,x,y;")
  EXACT(B32, "slct.s32.s32 d,x,y,z;")
  EXACT(B32, "add.f16x2 d,x,y;")
  EXACT(B32, "mul.f16x2 d,x,y;")
  EXACT(B32, "fma.rn.f16x2 d,x,y,z;")
  EXACT(B32, "max.f16x2 d,x,y;")
  EXACT(B32, "min.f16x2 d,x,y;")
  EXACT(B32, "fma.rn.bf16x2 d,x,y,z;")
  EXACT(F32_TO_B32, "cvt.rni.s32.f32 d,x;")
  EXACT(F32_TO_B32, "cvt.rzi.s32.f32 d,x;")
  EXACT(F32_TO_B32, "cvt.rmi.s32.f32 d,x;")
  EXACT(F32_TO_B32, "cvt.rzi.u32.f32 d,x;")
  EXACT(F32_TO_B32, "cvt.rn.f16x2.f32 d,x,y;")
  EXACT(F32_TO_B32, "cvt.rn.bf16x2.f32 d,x,y;")
  EXACT(F32_TO_B32, "cvt.rna.tf32.f32 d,x;")
  EXACT(F32_TO_B32, "setp.lt.f32 p,x,y; selp.b32 d,1,0,p;")
  EXACT(F32_TO_B32, "setp.ltu.f32 p,x,y; selp.b32 d,1,0,p;")
  EXACT(F32_TO_B32, "setp.num.f32 p,x,y; selp.b32 d,1,0,p;")
  EXACT(F32_TO_B32, "testp.finite.f32 p,x; selp.b32 d,1,0,p;")
  EXACT(F32_TO_B32, "testp.subnormal.f32 p,x; selp.b32 d,1,0,p;")
  EXACT(B32_TO_F32, "cvt.rn.f32.s32 d,x;")
  EXACT(B32_TO_F32, "cvt.rn.f32.u32 d,x;")
  EXACT(B32_TO_F32, "cvt.rz.f32.s32 d,x;")
  EXACT(F16, "add.f16 d,x,y;")
  EXACT(F16, "sub.f16 d,x,y;")
  EXACT(F16, "mul.f16 d,x,y;")
  EXACT(F16, "fma.rn.f16 d,x,y,z;")
  EXACT(F16, "fma.rn.sat.f16 d,x,y,z;")
  EXACT(F16, "max.f16 d,x,y;")
  EXACT(F16, "min.f16 d,x,y;")
  EXACT(F16, "neg.f16 d,x;")
  EXACT(F16, "abs.f16 d,x;")
  EXACT(F16, "setp.lt.f16 p,x,y; selp.b16 d,x,y,p;")
  EXACT(F16, "add.s16 d,x,y;")
  EXACT(F16, "mul.lo.s16 d,x,y;")
  EXACT(F16, "fma.rn.bf16 d,x,y,z;")
  EXACT(F16, "neg.bf16 d,x;")
  EXACT(F16, "abs.bf16 d,x;")
  EXACT(F16_TO_F32, "cvt.f32.f16 d,x;")
  EXACT(F16_TO_F32, "cvt.f32.bf16 d,x;")
  EXACT(F32_TO_F16, "cvt.rn.f16.f32 d,x;")
  EXACT(F32_TO_F16, "cvt.rz.f16.f32 d,x;")
  EXACT(F32_TO_F16, "cvt.rn.bf16.f32 d,x;")
  EXACT(B64, "add.s64 d,x,y;")
  EXACT(B64, "sub.s64 d,x,y;")
  EXACT(B64, "mul.lo.s64 d,x,y;")
  EXACT(B64, "mul.hi.u64 d,x,y;")
  EXACT(B64, "mul.hi.s64 d,x,y;")
  EXACT(B64, "div.s64 d,x,y;")
  EXACT(B64, "rem.u64 d,x,y;")
  EXACT(B64, "min.s64 d,x,y;")
  EXACT(B64, "and.b64 d,x,y;")
  EXACT(B64, "shl.b64 d,x,n;")
  EXACT(B64, "shr.s64 d,x,n;")
  EXACT(B64, "shr.u64 d,x,n;")
  EXACT(B64, "brev.b64 d,x;")
  EXACT(F64, "add.rn.f64 d,x,y;")
  EXACT(F64, "mul.rn.f64 d,x,y;")
  EXACT(F64, "fma.rn.f64 d,x,y,z;")
  EXACT(F64, "div.rn.f64 d,x,y;")
  EXACT(F64, "rcp.rn.f64 d,x;")
  EXACT(F64, "sqrt.rn.f64 d,x;")
  EXACT(F64, "max.f64 d,x,y;")
  EXACT(F64_TO_F32, "cvt.rn.f32.f64 d,x;")
  EXACT(F64_TO_F32, "cvt.rz.f32.f64 d,x;")
  EXACT(F32_TO_F64, "cvt.f64.f32 d,x;")
  EXACT(INT_F16, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {d,e,f,g},{x,y},{y},{z,z,z,z};")
  EXACT(INT_F16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d,e,f,g},{x,y,y,x},{y,x},{z,z,z,z};")
  EXACT(INT_F16_SUMS, "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {d,e},{x,y},{y},{z,z};")
  EXACT(INT_F16_SUMS, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {d,e},{x,y,y,x},{y,x},{z,z};")
  EXACT(INT_BF16, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {d,e,f,g},{x,y},{y},{z,z,z,z};")
  EXACT(INT_BF16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {d,e,f,g},{x,y,y,x},{y,x},{z,z,z,z};")
  EXACT(INT_TF32, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {d,e,f,g},{x,y},{y},{z,z,z,z};")
  EXACT(INT_TF32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {d,e,f,g},{x,y,y,x},{y,x},{z,z,z,z};")
  EXACT(BYTES, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {d,e},{x},{y},{z,z};")
  EXACT(BYTES, "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {d,e,f,g},{x,y},{y},{z,z,z,z};")
  EXACT(BYTES, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {d,e,f,g},{x,y,y,x},{y,x},{z,z,z,z};")
  EXACT(BYTES, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 {d,e},{x},{y},{z,z};")
  EXACT(BYTES, "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32 {d,e,f,g},{x,y},{y},{z,z,z,z};")
  EXACT(BYTES, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {d,e,f,g},{x,y,y,x},{y,x},{z,z,z,z};")
  EXACT(BYTES, "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {d,e},{x},{y},{z,z};")
  EXACT(BYTES, "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {d,e,f,g},{x,y},{y},{z,z,z,z};")
  EXACT(BYTES, "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {d,e,f,g},{x,y,y,x},{y,x},{z,z,z,z};")
  EXACT(BYTES, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.u8.s32 {d,e},{x},{y},{z,z};")
  EXACT(BYTES, "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.u8.s32 {d,e,f,g},{x,y},{y},{z,z,z,z};")
  EXACT(BYTES, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32 {d,e,f,g},{x,y,y,x},{y,x},{z,z,z,z};")
  EXACT(BYTES, "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {d,e},{x},{y},{z,z};")
  EXACT(BYTES, "mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32 {d,e,f,g},{x,y},{y},{z,z,z,z};")
  EXACT(BYTES, "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {d,e,f,g},{x,y,y,x},{y,x},{z,z,z,z};")
  EXACT(BYTES, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32 {d,e},{x},{y},{z,z};")
  EXACT(BYTES, "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32 {d,e,f,g},{x,y},{y},{z,z,z,z};")
  EXACT(BYTES, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {d,e,f,g},{x,y,y,x},{y,x},{z,z,z,z};")
  EXACT(BYTES, "mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {d,e},{x},{y},{z,z};")
  EXACT(BYTES, "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {d,e,f,g},{x,y},{y},{z,z,z,z};")
  EXACT(BYTES, "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {d,e,f,g},{x,y,y,x},{y,x},{z,z,z,z};")
  EXACT(BYTES, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32 {d,e},{x},{y},{z,z};")
  EXACT(BYTES, "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32 {d,e,f,g},{x,y},{y},{z,z,z,z};")
  EXACT(BYTES, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 {d,e,f,g},{x,y,y,x},{y,x},{z,z,z,z};")
  BOUND(24, ONES_F16, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {d,e,f,g},{x,y},{y},{z,z,z,z};")
  BOUND(40, ONES_F16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d,e,f,g},{x,y,y,x},{y,x},{z,z,z,z};")
  BOUND(1, ONES_F16_SUMS, "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {d,e},{x,y},{y},{z,z};")
  BOUND(1, ONES_F16_SUMS, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {d,e},{x,y,y,x},{y,x},{z,z};")
  BOUND(40, ONES_BF16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {d,e,f,g},{x,y,y,x},{y,x},{z,z,z,z};")
  BOUND(24, ONES_TF32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {d,e,f,g},{x,y,y,x},{y,x},{z,z,z,z};")
  EXACT(MOVED, "movmatrix.sync.aligned.m8n8.trans.b16 d,x;")
  EXACT(TILE, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {d},[v];")
  EXACT(TILE, "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {d},[v];")
  EXACT(TILE, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {d,e},[v];")
  EXACT(TILE, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {d,e},[v];")
  EXACT(TILE, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {d,e,f,g},[v];")
  EXACT(TILE, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {d,e,f,g},[v];")
  EXACT(TILE, "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 {d,e,f,g},[w];")
  EXACT(TILE, "wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.a.sync.aligned.col.m16n16k16.shared.f16 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.c.sync.aligned.col.m16n16k16.shared.f16 {d,e,f,g},[w];")
  EXACT(TILE, "wmma.load.c.sync.aligned.col.m16n16k16.shared.f32 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.a.sync.aligned.row.m32n8k16.shared.f16 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.b.sync.aligned.row.m32n8k16.shared.f16 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.c.sync.aligned.row.m32n8k16.shared.f16 {d,e,f,g},[w];")
  EXACT(TILE, "wmma.load.c.sync.aligned.row.m32n8k16.shared.f32 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.a.sync.aligned.col.m32n8k16.shared.f16 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.b.sync.aligned.col.m32n8k16.shared.f16 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.c.sync.aligned.col.m32n8k16.shared.f16 {d,e,f,g},[w];")
  EXACT(TILE, "wmma.load.c.sync.aligned.col.m32n8k16.shared.f32 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.a.sync.aligned.row.m8n32k16.shared.f16 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.b.sync.aligned.row.m8n32k16.shared.f16 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.c.sync.aligned.row.m8n32k16.shared.f16 {d,e,f,g},[w];")
  EXACT(TILE, "wmma.load.c.sync.aligned.row.m8n32k16.shared.f32 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.a.sync.aligned.col.m8n32k16.shared.f16 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.b.sync.aligned.col.m8n32k16.shared.f16 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.c.sync.aligned.col.m8n32k16.shared.f16 {d,e,f,g},[w];")
  EXACT(TILE, "wmma.load.c.sync.aligned.col.m8n32k16.shared.f32 {d,e,f,g,h,i,j,k},[w];")
  EXACT(TILE, "wmma.load.a.sync.aligned.row.m16n16k8.shared.tf32 {d,e,f,g},[w];")
  EXACT(TILE, "wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 {d,e},[w];")
  EXACT(TILE, "wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16 {d,e,f,g},[w];")
  EXACT(TILE, "wmma.load.b.sync.aligned.row.m16n16k8.shared.tf32 {d,e,f,g},[w];")
  EXACT(TILE, "wmma.load.b.sync.aligned.row.m16n16k16.shared.s8 {d,e},[w];")
  EXACT(TILE, "wmma.load.b.sync.aligned.row.m16n16k16.shared.bf16 {d,e,f,g},[w];")
  EXACT(TILE, "wmma.load.a.sync.aligned.col.m16n16k8.shared.tf32 {d,e,f,g},[w];")
  EXACT(TILE, "wmma.load.a.sync.aligned.col.m16n16k16.shared.s8 {d,e},[w];")
  EXACT(TILE, "wmma.load.a.sync.aligned.col.m16n16k16.shared.bf16 {d,e,f,g},[w];")
  EXACT(TILE, "wmma.load.b.sync.aligned.col.m16n16k8.shared.tf32 {d,e,f,g},[w];")
  EXACT(TILE, "wmma.load.b.sync.aligned.col.m16n16k16.shared.s8 {d,e},[w];")
  EXACT(TILE, "wmma.load.b.sync.aligned.col.m16n16k16.shared.bf16 {d,e,f,g},[w];")
}
