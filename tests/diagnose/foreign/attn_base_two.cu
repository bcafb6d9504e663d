// exp2f is cheaper than expf; the logits are scaled once, as Q is loaded.
#include <cuda_fp16.h>

struct Row {
  float m = -INFINITY;
  float l = 0.f;
  float acc[HEAD_DIM / 8];
};

__device__ void absorb_key(Row& r, float s, const __half* v, int part) {
  const float m = fmaxf(r.m, s);
  const float keep = exp2f(r.m - m);
  const float p = exp2f(s - m);
  r.l = r.l * keep + p;
  for (int i = 0; i < HEAD_DIM / 8; ++i) r.acc[i] = r.acc[i] * keep + p * __half2float(v[part + 8 * i]);
  r.m = m;
}

extern "C" __global__ void attention_forward_scalar(const __half* q, const __half* k, const __half* v, __half* o,
                                                    long long sz, long long sy, long long sx, long long oz,
                                                    long long oy, long long ox, int count, int causal, float scale) {
  const int part = threadIdx.x % 8, group = threadIdx.x / 8;
  q += blockIdx.z * sz + blockIdx.y * sy;
  k += blockIdx.z * sz + blockIdx.y * sy;
  v += blockIdx.z * sz + blockIdx.y * sy;
  o += blockIdx.z * oz + blockIdx.y * oy;
  for (int turn = 0; turn < BLOCK_M; turn += 16) {
    const int i = blockIdx.x * BLOCK_M + turn + group;
    const int src = i < count ? i : count - 1;
    float qr[HEAD_DIM / 8];
    Row row;
    for (int e = 0; e < HEAD_DIM / 8; ++e) {
      qr[e] = scale * __half2float(q[src * sx + part + 8 * e]);
      row.acc[e] = 0.f;
    }
    for (int j = 0; j < count; ++j) {
      float s = 0.f;
      for (int e = 0; e < HEAD_DIM / 8; ++e) s += qr[e] * __half2float(k[j * sx + part + 8 * e]);
      s += __shfl_xor_sync(0xffffffffu, s, 1);
      s += __shfl_xor_sync(0xffffffffu, s, 2);
      s += __shfl_xor_sync(0xffffffffu, s, 4);
      if (!causal || j <= i) absorb_key(row, s, v + j * sx, part);
    }
    if (i < count)
      for (int e = 0; e < HEAD_DIM / 8; ++e) o[i * ox + part + 8 * e] = __float2half(row.acc[e] / row.l);
  }
}
