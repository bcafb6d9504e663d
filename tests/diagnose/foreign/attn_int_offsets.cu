#include <cuda_fp16.h>
// One thread a query. Offsets of rows are computed once.
extern "C" __global__ void attention_forward_scalar(const __half* q, const __half* k, const __half* v, __half* o,
                                                    long long stride_b, long long stride_h, long long stride_n,
                                                    long long ostride_b, long long ostride_h, long long ostride_n,
                                                    int n_ctx, int causal, float scale) {
  const int m = blockIdx.x * BLOCK_M + threadIdx.x;
  if (threadIdx.x >= BLOCK_M) return;
  if (m >= n_ctx) return;
  const long long head = blockIdx.z * stride_b + blockIdx.y * stride_h;
  const __half* qm = q + head + m * stride_n;
  float acc[HEAD_DIM];
  for (int d = 0; d < HEAD_DIM; ++d) acc[d] = 0.f;
  float lse_max = -INFINITY, lse_sum = 0.f;
  const int hi = causal ? m + 1 : n_ctx;
  for (int n = 0; n < hi; ++n) {
    const int row = n * (int)stride_n;
    float qk = 0.f;
    for (int d = 0; d < HEAD_DIM; ++d) qk += __half2float(qm[d]) * __half2float(k[head + row + d]);
    qk *= scale;
    const float next = fmaxf(lse_max, qk);
    const float f = expf(lse_max - next), p = expf(qk - next);
    lse_sum = lse_sum * f + p;
    for (int d = 0; d < HEAD_DIM; ++d) acc[d] = acc[d] * f + p * __half2float(v[head + n * stride_n + d]);
    lse_max = next;
  }
  __half* dst = o + blockIdx.z * ostride_b + blockIdx.y * ostride_h + m * ostride_n;
  for (int d = 0; d < HEAD_DIM; ++d) dst[d] = __float2half(acc[d] / lse_sum);
}
