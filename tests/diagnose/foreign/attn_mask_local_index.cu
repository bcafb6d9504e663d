// 16 queries a turn, eight threads each.
#include <cuda_fp16.h>

constexpr int LANES = 8;
constexpr int PER = HEAD_DIM / LANES;

__device__ float octet(float x) {
#pragma unroll
  for (int m = 1; m < LANES; m <<= 1) x += __shfl_xor_sync(0xffffffffu, x, m);
  return x;
}

extern "C" __global__ void attention_forward_scalar(const __half* Q, const __half* K, const __half* V, __half* O,
                                                    long long s0, long long s1, long long s2, long long d0,
                                                    long long d1, long long d2, int N, int causal, float scale) {
  const int lane = threadIdx.x % LANES;
  const __half* Kp = K + blockIdx.z * s0 + blockIdx.y * s1 + lane * PER;
  const __half* Vp = V + blockIdx.z * s0 + blockIdx.y * s1 + lane * PER;
  for (int base = 0; base < BLOCK_M; base += 16) {
    const int local = base + threadIdx.x / LANES;
    const int row = blockIdx.x * BLOCK_M + local;
    const bool ok = row < N;
    float q[PER], y[PER];
    for (int i = 0; i < PER; ++i) {
      q[i] = ok ? __half2float(Q[blockIdx.z * s0 + blockIdx.y * s1 + row * s2 + lane * PER + i]) : 0.f;
      y[i] = 0.f;
    }
    float m = -INFINITY, l = 0.f;
    for (int key = 0; key < N; ++key) {
      float dot = 0.f;
      for (int i = 0; i < PER; ++i) dot += q[i] * __half2float(Kp[key * s2 + i]);
      dot = octet(dot) * scale;
      if (causal && key > local) continue;
      const float nm = fmaxf(m, dot);
      const float c = expf(m - nm), p = expf(dot - nm);
      l = l * c + p;
      for (int i = 0; i < PER; ++i) y[i] = y[i] * c + p * __half2float(Vp[key * s2 + i]);
      m = nm;
    }
    if (ok) {
      __half* dst = O + blockIdx.z * d0 + blockIdx.y * d1 + row * d2 + lane * PER;
      for (int i = 0; i < PER; ++i) dst[i] = __float2half(y[i] / l);
    }
  }
}
