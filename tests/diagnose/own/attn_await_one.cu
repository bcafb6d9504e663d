// Keys and values come by cp.async, two stages, one commit group a tile.
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>

constexpr int kKeys = 16;
constexpr int kDim = HEAD_DIM;

struct Stage {
  alignas(16) __half k[kKeys][kDim];
  alignas(16) __half v[kKeys][kDim];
};

__device__ void request(Stage& to, const __half* K, const __half* V, long long pitch, int first, int n) {
  for (int i = threadIdx.x; i < kKeys * kDim / 2; i += blockDim.x) {
    const int r = 2 * i / kDim, c = 2 * i % kDim;
    const long long from = (first + r) * pitch + c;
    const bool there = first + r < n;
    if (there && (reinterpret_cast<size_t>(K + from) % 4 == 0) && (reinterpret_cast<size_t>(V + from) % 4 == 0)) {
      __pipeline_memcpy_async(&to.k[r][c], K + from, 4);
      __pipeline_memcpy_async(&to.v[r][c], V + from, 4);
    } else {
      for (int d = 0; d < 2; ++d) {
        to.k[r][c + d] = there ? K[from + d] : __float2half(0.f);
        to.v[r][c + d] = there ? V[from + d] : __float2half(0.f);
      }
    }
  }
  __pipeline_commit();
}

extern "C" __global__ void attention_forward_scalar(const __half* Q, const __half* K, const __half* V, __half* O,
                                                    long long bs, long long hs, long long rs, long long obs,
                                                    long long ohs, long long ors, int n, int causal, float scale) {
  __shared__ Stage ring[2];
  const long long head = blockIdx.z * bs + blockIdx.y * hs;
  const int part = threadIdx.x % 4;
  const int query = blockIdx.x * BLOCK_M + threadIdx.x / 4;

  float qv[kDim / 4], acc[kDim / 4];
#pragma unroll
  for (int d = 0; d < kDim / 4; ++d) {
    acc[d] = 0.f;
    qv[d] = query < n ? __half2float(Q[head + query * rs + part * (kDim / 4) + d]) : 0.f;
  }
  float peak = -INFINITY, total = 0.f;

  const int tiles = (n + kKeys - 1) / kKeys;
  request(ring[0], K + head, V + head, rs, 0, n);
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) request(ring[(t + 1) % 2], K + head, V + head, rs, (t + 1) * kKeys, n);
    __pipeline_wait_prior(1);
    __syncthreads();
    const Stage& now = ring[t % 2];
    for (int j = 0; j < kKeys; ++j) {
      float dot = 0.f;
      for (int d = 0; d < kDim / 4; ++d) dot += qv[d] * __half2float(now.k[j][part * (kDim / 4) + d]);
      dot += __shfl_xor_sync(0xffffffffu, dot, 1);
      dot += __shfl_xor_sync(0xffffffffu, dot, 2);
      const int key = t * kKeys + j;
      if (key >= n || (causal && key > query)) continue;
      dot *= scale;
      const float higher = fmaxf(peak, dot);
      const float fade = expf(peak - higher), weight = expf(dot - higher);
      total = total * fade + weight;
      for (int d = 0; d < kDim / 4; ++d)
        acc[d] = acc[d] * fade + weight * __half2float(now.v[j][part * (kDim / 4) + d]);
      peak = higher;
    }
    __syncthreads();
  }
  if (query < n) {
    __half* o = O + blockIdx.z * obs + blockIdx.y * ohs + query * ors + part * (kDim / 4);
    for (int d = 0; d < kDim / 4; ++d) o[d] = __float2half(acc[d] / total);
  }
}
