// Intrinsics that few kernels use.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void bits(unsigned* u, int* s, unsigned long long* w, float* f, double* d, long long* clocks) {
  const int t = threadIdx.x;
  const unsigned x = u[t], y = u[t + 32], z = u[t + 64];
  u[t] = __popc(x) + __clz(y) + __brev(z) + __ffs(x) + __byte_perm(x, y, z) + __funnelshift_l(x, y, z) +
         __funnelshift_rc(x, y, z) + __umulhi(x, y) + __usad(x, y, z) + __umul24(x, y) + (x & y ^ ~z) +
         __dp4a(x, y, z) + __vadd4(x, y) + __reduce_add_sync(~0u, x) + __ballot_sync(~0u, y) + __activemask() +
         __match_any_sync(~0u, z);
  s[t] = __dp4a(s[t], s[t + 1], s[t + 2]) + __any_sync(~0u, s[3]) + __all_sync(~0u, s[4]) + __syncthreads_count(s[5]) +
         __syncthreads_and(s[6]) + __syncthreads_or(s[7]) + __isGlobal(s) + __isShared(s) + s[t + 8] / s[9] +
         s[t + 10] % s[11] + __dp2a_lo(s[12], s[13], s[14]) + __mul24(s[15], s[16]) + __float2int_rd(f[1]);
  w[t] = __popcll(w[t]) + __brevll(w[1]) + __umul64hi(w[2], w[3]) + w[4] / w[5] + w[6] % 10 + (w[7] >> x) +
         atomicCAS(&w[8], w[9], w[10]) + atomicMax(&w[11], w[12]) + __double_as_longlong(d[9]);
  f[t] = sinf(f[t]) + __cosf(f[2]) + __fsqrt_rn(f[3]) + rsqrtf(f[4]) + __frcp_rn(f[5]) + f[6] / f[7] + tanhf(f[8]) +
         __logf(f[9]) + powf(f[10], f[11]) + copysignf(f[12], f[13]) + floorf(f[14]) + rintf(f[15]) +
         __saturatef(f[16]) + __fdividef(f[17], f[18]) + fminf(f[19], f[20]) + ldexpf(f[21], 3) +
         __uint_as_float(atomicExch(&u[5], 3u)) + __fadd_rz(f[22], f[23]) + atomicAdd(&f[24], 1.0f);
  d[t] = sqrt(d[t]) + d[1] / d[2] + exp(d[3]) + fma(d[4], d[5], d[6]) + rint(d[7]) + atomicAdd(&d[8], 1.0);
  const __nv_bfloat162 b = __floats2bfloat162_rn(f[30], f[31]);
  f[32] = __bfloat162float(b.x) + __bfloat162float(__hadd(b.x, b.y)) + __half2float(__float2half_rn(f[33]));
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  __nanosleep(20);
  clocks[t] = clock64() + clock() + __cvta_generic_to_shared(u);
  if (x == 77) __trap();
}
