#include <cuda_fp16.h>

// Lanes over the head dimension; two passes over the keys.
extern "C" __global__ void attention_forward_scalar(const __half* q, const __half* k, const __half* v, __half* o,
                                                    long long bstr, long long hstr, long long rstr, long long obstr,
                                                    long long ohstr, long long orstr, int seqlen, int causal,
                                                    float scale) {
  const unsigned lane = threadIdx.x & 31u;
  const unsigned warp = threadIdx.x >> 5;
  const int b = blockIdx.z;
  const int h = blockIdx.y;
  const __half* qbase = q + b * bstr + h * hstr;
  const __half* kbase = k + b * bstr;
  const __half* vbase = v + b * bstr + h * hstr;
  for (int rr = 0; rr < BLOCK_M / 4; ++rr) {
    const int i = blockIdx.x * BLOCK_M + warp * (BLOCK_M / 4) + rr;
    if (i >= seqlen) break;
    const int end = causal ? i + 1 : seqlen;
    auto logit = [&](int j) {
      float s = 0.f;
      for (int d = lane; d < HEAD_DIM; d += 32) s += __half2float(qbase[i * rstr + d]) * __half2float(kbase[j * rstr + d]);
      for (int m = 16; m; m >>= 1) s += __shfl_xor_sync(0xffffffffu, s, m);
      return s * scale;
    };
    float m = -INFINITY;
    for (int j = 0; j < end; ++j) m = fmaxf(m, logit(j));
    float sum = 0.f;
    float y[HEAD_DIM / 32] = {};
    for (int j = 0; j < end; ++j) {
      const float p = expf(logit(j) - m);
      sum += p;
      for (int c = 0; c < HEAD_DIM / 32; ++c) y[c] += p * __half2float(vbase[j * rstr + c * 32 + lane]);
    }
    for (int c = 0; c < HEAD_DIM / 32; ++c)
      o[b * obstr + h * ohstr + i * orstr + c * 32 + lane] = __float2half(y[c] / sum);
  }
}
