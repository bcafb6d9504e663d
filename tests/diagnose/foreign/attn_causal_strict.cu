// Scores of a query in shared memory, one warp a query; sequences up to 1024.
#include <cuda_fp16.h>

extern "C" __global__ void attention_forward_scalar(const __half* query, const __half* key, const __half* value,
                                                    __half* result, long long bs, long long hs, long long rs,
                                                    long long obs, long long ohs, long long ors, int n, int causal,
                                                    float scale) {
  __shared__ float score[4][1024];
  const int lane = threadIdx.x & 31;
  const int w = threadIdx.x >> 5;
  query += blockIdx.z * bs + blockIdx.y * hs;
  key += blockIdx.z * bs + blockIdx.y * hs;
  value += blockIdx.z * bs + blockIdx.y * hs;
  result += blockIdx.z * obs + blockIdx.y * ohs;
  for (int r = w; r < BLOCK_M; r += 4) {
    const int i = blockIdx.x * BLOCK_M + r;
    if (i >= n) return;
    float top = -1e30f;
    for (int j = lane; j < n; j += 32) {
      float s = 0;
      for (int d = 0; d < HEAD_DIM; ++d) s += __half2float(query[i * rs + d]) * __half2float(key[j * rs + d]);
      s *= scale;
      if (causal && j >= i) s = -1e30f;
      score[w][j] = s;
      top = fmaxf(top, s);
    }
    for (int k = 16; k > 0; k /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, k));
    float sum = 0;
    for (int j = lane; j < n; j += 32) {
      const float e = score[w][j] <= -1e29f ? 0.f : expf(score[w][j] - top);
      score[w][j] = e;
      sum += e;
    }
    for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffff, sum, k);
    __syncwarp();
    for (int d = lane; d < HEAD_DIM; d += 32) {
      float a = 0;
      for (int j = 0; j < n; ++j) a += score[w][j] * __half2float(value[j * rs + d]);
      result[i * ors + d] = __float2half(a / sum);
    }
    __syncwarp();
  }
}
