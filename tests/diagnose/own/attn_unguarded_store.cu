#include <cuda_fp16.h>

// a thread per query and all keys, twice: sum of exponentials first
__device__ float score(const __half* q, const __half* k, float scale) {
  float s = 0.f;
  for (int d = 0; d < HEAD_DIM; d += 2) {
    s += __half2float(q[d]) * __half2float(k[d]);
    s += __half2float(q[d + 1]) * __half2float(k[d + 1]);
  }
  return s * scale;
}

extern "C" __global__ void attention_forward_scalar(const __half* Q, const __half* K, const __half* V, __half* O,
                                                    long long s0, long long s1, long long s2, long long t0,
                                                    long long t1, long long t2, int n, int causal, float scale) {
  if (threadIdx.x >= BLOCK_M) return;
  const int i = blockIdx.x * BLOCK_M + threadIdx.x;
  const long long from = blockIdx.z * s0 + blockIdx.y * s1;
  const __half* q = Q + from + min(i, n - 1) * s2;
  const int keys = causal ? min(i + 1, n) : n;
  float m = -INFINITY, l = 0.f;
  for (int j = 0; j < keys; ++j) m = fmaxf(m, score(q, K + from + j * s2, scale));
  float acc[HEAD_DIM];
  for (int d = 0; d < HEAD_DIM; ++d) acc[d] = 0.f;
  for (int j = 0; j < keys; ++j) {
    const float p = expf(score(q, K + from + j * s2, scale) - m);
    l += p;
    for (int d = 0; d < HEAD_DIM; ++d) acc[d] += p * __half2float(V[from + j * s2 + d]);
  }
  __half* o = O + blockIdx.z * t0 + blockIdx.y * t1 + i * t2;
  for (int d = 0; d < HEAD_DIM; ++d) o[d] = __float2half(acc[d] / l);
}
