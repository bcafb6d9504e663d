#include <cuda_fp16.h>

// One warp for each query; a lane takes two features.
extern "C" __global__ void attention_forward_scalar(const __half* q, const __half* k, const __half* v, __half* o,
                                                    long long qz, long long qy, long long qx, long long oz,
                                                    long long oy, long long ox, int len, int causal, float scale) {
  const int lane = threadIdx.x & 31;
  q += blockIdx.z * qz + blockIdx.y * qy;
  k += blockIdx.z * qz + blockIdx.y * qy;
  v += blockIdx.z * qz + blockIdx.y * qy;
  o += blockIdx.z * oz + blockIdx.y * oy;
  for (int w = threadIdx.x >> 5; w < BLOCK_M; w += 4) {
    const int i = blockIdx.x * BLOCK_M + w;
    if (i >= len) continue;
    float best = -INFINITY, z = 0.f, a[HEAD_DIM / 32] = {};
    for (int j = 0; j < (causal ? i + 1 : len); ++j) {
      float s = 0.f;
      for (int e = lane; e < HEAD_DIM; e += 32) s += __half2float(q[i * qx + e]) * __half2float(k[j * qx + e]);
      for (int b = 1; b < 32; b *= 2) s += __shfl_xor_sync(0xffffffff, s, b);
      s *= scale;
      const float prev = best;
      best = fmaxf(best, s);
      const float keep = j == 0 ? 0.f : __expf(best - best);
      const float p = __expf(s - best);
      z = z * keep + p;
      for (int e = 0; e < HEAD_DIM / 32; ++e) a[e] = a[e] * keep + p * __half2float(v[j * qx + lane + 32 * e]);
      (void)prev;
    }
    for (int e = 0; e < HEAD_DIM / 32; ++e) o[i * ox + lane + 32 * e] = __float2half(a[e] / z);
  }
}
