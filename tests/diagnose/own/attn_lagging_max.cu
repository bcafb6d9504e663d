#include <cuda_fp16.h>

// A warp per query; lanes share the keys for the logits and the columns for the output.
namespace mine {
constexpr int LANES = 32;
constexpr int PER = HEAD_DIM / LANES;

__device__ float wmax(float v) {
  for (int o = LANES / 2; o; o /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  return v;
}
__device__ float wsum(float v) {
  for (int o = LANES / 2; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
  return v;
}
}  // namespace mine

extern "C" __global__ void attention_forward_scalar(const half* q, const half* k, const half* v, half* o, long long b0,
                                                    long long h0, long long r0, long long b1, long long h1,
                                                    long long r1, int seq, int causal, float scale) {
  using namespace mine;
  const int lane = threadIdx.x % LANES;
  const int warps = blockDim.x / LANES;
  const half* qb = q + b0 * blockIdx.z + h0 * blockIdx.y;
  const half* kb = k + b0 * blockIdx.z + h0 * blockIdx.y;
  const half* vb = v + b0 * blockIdx.z + h0 * blockIdx.y;
  half* ob = o + b1 * blockIdx.z + h1 * blockIdx.y;

  for (int i = blockIdx.x * BLOCK_M + threadIdx.x / LANES; i < min((int)(blockIdx.x + 1) * BLOCK_M, seq); i += warps) {
    const int visible = causal ? i + 1 : seq;
    float out[PER];
    for (int c = 0; c < PER; ++c) out[c] = 0;
    float m = -INFINITY, den = 0;
    for (int first = 0; first < visible; first += LANES) {
      const int key = first + lane;
      float logit = -INFINITY;
      if (key < visible) {
        logit = 0;
        for (int c = 0; c < HEAD_DIM; ++c) logit += __half2float(qb[i * r0 + c]) * __half2float(kb[key * r0 + c]);
        logit *= scale;
      }
      const float m_new = fmaxf(m, wmax(logit));
      const float shrink = first ? expf(m - m_new) : 0.f;
      const float p = first ? expf(logit - m) : expf(logit - m_new);
      den = den * shrink + wsum(p);
      for (int c = 0; c < PER; ++c) out[c] *= shrink;
      for (int j = 0; j < LANES && first + j < visible; ++j) {
        const float pj = __shfl_sync(~0u, p, j);
        for (int c = 0; c < PER; ++c) out[c] += pj * __half2float(vb[(first + j) * r0 + c * LANES + lane]);
      }
      m = m_new;
    }
    for (int c = 0; c < PER; ++c) ob[i * r1 + c * LANES + lane] = __float2half(out[c] / den);
  }
}
