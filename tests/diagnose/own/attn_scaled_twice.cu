// two passes over the keys: first the maximum, then weights and sum. A half-warp per query.
#include <cuda_fp16.h>

constexpr int W = 16;

__device__ float half_warp_sum(float v) {
  for (int o = W / 2; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o, W);
  return v;
}

__device__ float logit_of(const float* q, const __half* key, int lane, float scale) {
  float partial = 0.f;
  for (int d = 0; d < HEAD_DIM / W; ++d) partial += q[d] * __half2float(key[d * W + lane]);
  return half_warp_sum(partial) * scale;
}

extern "C" __global__ void attention_forward_scalar(const __half* Q, const __half* K, const __half* V, __half* O,
                                                    long long qb, long long qh, long long qr, long long ob,
                                                    long long oh, long long orow, int len, int causal, float scale) {
  const long long at = blockIdx.z * qb + blockIdx.y * qh;
  const int lane = threadIdx.x % W, team = threadIdx.x / W, teams = blockDim.x / W;
  const int first = blockIdx.x * BLOCK_M;
  for (int step = 0; step < BLOCK_M; step += teams) {
    const int i = first + step + team;
    const int row = min(i, len - 1);
    float q[HEAD_DIM / W], out[HEAD_DIM / W];
    for (int d = 0; d < HEAD_DIM / W; ++d) {
      q[d] = scale * __half2float(Q[at + row * qr + d * W + lane]);
      out[d] = 0.f;
    }
    float top = -INFINITY, sum = 0.f;
    for (int j = 0; j < len; ++j) {
      const float s = logit_of(q, K + at + j * qr, lane, scale);
      if (!causal || j <= row) top = fmaxf(top, s);
    }
    for (int j = 0; j < len; ++j) {
      const float s = logit_of(q, K + at + j * qr, lane, scale);
      const float e = !causal || j <= row ? expf(s - top) : 0.f;
      sum += e;
      for (int d = 0; d < HEAD_DIM / W; ++d) out[d] += e * __half2float(V[at + j * qr + d * W + lane]);
    }
    if (i < len)
      for (int d = 0; d < HEAD_DIM / W; ++d)
        O[blockIdx.z * ob + blockIdx.y * oh + i * orow + d * W + lane] = __float2half(out[d] / sum);
  }
}
