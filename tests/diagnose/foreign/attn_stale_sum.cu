// Block-wise online softmax, BN keys a block; every query has a warp lane group of its own.
#include <cuda_fp16.h>

template <int BN>
__device__ void attend(const __half* q, const __half* k, const __half* v, __half* o, long long ld, long long old_ld,
                       int row, int n, bool causal, float scale) {
  float acc[HEAD_DIM];
#pragma unroll
  for (int d = 0; d < HEAD_DIM; ++d) acc[d] = 0.f;
  float m_i = -INFINITY;
  float l_i = 0.f;
  for (int start = 0; start < n; start += BN) {
    float logits[BN];
    float m_ij = m_i;
    for (int j = 0; j < BN; ++j) {
      logits[j] = -INFINITY;
      const int key = start + j;
      if (key < n && !(causal && key > row)) {
        float x = 0.f;
        for (int d = 0; d < HEAD_DIM; ++d) x += __half2float(q[d]) * __half2float(k[key * ld + d]);
        logits[j] = x * scale;
      }
      m_ij = fmaxf(m_ij, logits[j]);
    }
    const float alpha = expf(m_i - m_ij);
    float l_ij = 0.f;
    for (int d = 0; d < HEAD_DIM; ++d) acc[d] *= alpha;
    for (int j = 0; j < BN; ++j) {
      const float p = expf(logits[j] - m_ij);
      if (p == 0.f) continue;
      l_ij += p;
      for (int d = 0; d < HEAD_DIM; ++d) acc[d] += p * __half2float(v[(start + j) * ld + d]);
    }
    l_i += l_ij;
    m_i = m_ij;
  }
  for (int d = 0; d < HEAD_DIM; ++d) o[d] = __float2half(acc[d] / l_i);
}

extern "C" __global__ void attention_forward_scalar(const __half* q, const __half* k, const __half* v, __half* o,
                                                    long long s0, long long s1, long long s2, long long t0,
                                                    long long t1, long long t2, int n, int causal, float scale) {
  const int row = blockIdx.x * BLOCK_M + threadIdx.x;
  if (threadIdx.x >= BLOCK_M || row >= n) return;
  const long long from = blockIdx.z * s0 + blockIdx.y * s1;
  attend<8>(q + from + row * s2, k + from, v + from, o + blockIdx.z * t0 + blockIdx.y * t1 + row * t2, s2, t2, row, n,
            causal != 0, scale);
}
