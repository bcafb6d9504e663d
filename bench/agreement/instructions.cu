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
}
