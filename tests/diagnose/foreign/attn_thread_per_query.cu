// One thread a query, three passes over the keys, nothing shared.
#include <cuda_fp16.h>

__device__ float dot_row(const __half* a, const __half* b) {
  float s = 0.f;
  for (int d = 0; d < HEAD_DIM; ++d) s += __half2float(a[d]) * __half2float(b[d]);
  return s;
}

extern "C" __global__ void attention_forward_scalar(
    const __half* q, const __half* k, const __half* v, __half* o,
    long long batch_stride, long long head_stride, long long row_stride,
    long long o_batch_stride, long long o_head_stride, long long o_row_stride,
    int seq, int causal, float scale) {
  const int query = blockIdx.x * BLOCK_M + threadIdx.x;
  if (threadIdx.x >= BLOCK_M || query >= seq) return;
  const long long base = blockIdx.z * batch_stride + blockIdx.y * head_stride;
  const __half* qi = q + base + query * row_stride;
  const int last = causal ? query : seq - 1;

  float best = -INFINITY;
  for (int j = 0; j <= last; ++j) {
    float logit = dot_row(qi, k + base + j * row_stride);
    best = fmaxf(best, logit);
  }
  float denom = 0.f;
  for (int j = 0; j <= last; ++j) {
    denom += expf(dot_row(qi, k + base + j * row_stride) - best);
  }
  float acc[HEAD_DIM];
  for (int d = 0; d < HEAD_DIM; ++d) acc[d] = 0.f;
  for (int j = 0; j <= last; ++j) {
    const float w = expf(dot_row(qi, k + base + j * row_stride) - best) / denom;
    const __half* vj = v + base + j * row_stride;
    for (int d = 0; d < HEAD_DIM; ++d) acc[d] += w * __half2float(vj[d]);
  }
  __half* out = o + blockIdx.z * o_batch_stride + blockIdx.y * o_head_stride + query * o_row_stride;
  for (int d = 0; d < HEAD_DIM; ++d) out[d] = __float2half(acc[d]);
}
