#include <cuda_fp16.h>
// The output row is built in shared memory; 32 rows, 4 threads each.
extern "C" __global__ void attention_forward_scalar(const half* q, const half* k, const half* v, half* o,
                                                    long long bs, long long hs, long long ss, long long obs,
                                                    long long ohs, long long oss, int n, int causal, float scale) {
  __shared__ float acc[32][HEAD_DIM + 4];
  const int r = threadIdx.x >> 2, t = threadIdx.x & 3;
  const int row = blockIdx.x * 32 + r;
  const long long at = blockIdx.z * bs + blockIdx.y * hs;
  float m = -INFINITY, sum = 0.f;
  for (int d = t + 4; d < HEAD_DIM; d += 4) acc[r][d] = 0.f;
  if (row < n) {
    const int end = causal ? row + 1 : n;
    for (int j = 0; j < end; ++j) {
      float s = 0.f;
      for (int d = 0; d < HEAD_DIM; ++d) s += __half2float(q[at + row * ss + d]) * __half2float(k[at + j * ss + d]);
      s *= scale;
      const float top = fmaxf(m, s), a = expf(m - top), p = expf(s - top);
      for (int d = t; d < HEAD_DIM; d += 4) acc[r][d] = acc[r][d] * a + p * __half2float(v[at + j * ss + d]);
      sum = sum * a + p;
      m = top;
    }
    for (int d = t; d < HEAD_DIM; d += 4)
      o[blockIdx.z * obs + blockIdx.y * ohs + row * oss + d] = __float2half(acc[r][d] / sum);
  }
}
