// Scalar fp16 attention, one query row a thread; the header's intrinsics are inline PTX.
#include <cuda_fp16.h>

constexpr int D = 32, BN = 16;

extern "C" __global__ void attention(const __half* q, const __half* k, const __half* v, __half* o, int seq,
                                     float scale, int causal) {
  __shared__ __align__(16) __half ks[BN][D], vs[BN][D];
  const long long base = static_cast<long long>(blockIdx.y) * seq * D;
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float qr[D], acc[D] = {}, m = -1e30f, l = 0;
  for (int d = 0; d < D; ++d) qr[d] = row < seq ? __half2float(q[base + row * D + d]) : 0.0f;
  for (int start = 0; start < seq; start += BN) {
    __syncthreads();
    for (int i = threadIdx.x; i < BN * D / 8; i += blockDim.x) {
      const int r = i / (D / 8), c = i % (D / 8) * 8;
      int4 zero = make_int4(0, 0, 0, 0);
      const bool inside = start + r < seq;
      *reinterpret_cast<int4*>(&ks[r][c]) =
          inside ? *reinterpret_cast<const int4*>(k + base + (start + r) * D + c) : zero;
      *reinterpret_cast<int4*>(&vs[r][c]) =
          inside ? *reinterpret_cast<const int4*>(v + base + (start + r) * D + c) : zero;
    }
    __syncthreads();
    for (int j = 0; j < BN && start + j < seq; ++j) {
      if (causal && start + j > row) break;
      float s = 0;
      for (int d = 0; d < D; ++d) s += qr[d] * __half2float(ks[j][d]);
      s *= scale;
      const float next = fmaxf(m, s), old = __expf(m - next), p = __expf(s - next);
      l = l * old + p;
      m = next;
      for (int d = 0; d < D; ++d) acc[d] = acc[d] * old + p * __half2float(vs[j][d]);
    }
  }
  if (row < seq) {
    for (int d = 0; d < D; d += 2) {
      *reinterpret_cast<__half2*>(o + base + row * D + d) = __floats2half2_rn(acc[d] / l, acc[d + 1] / l);
    }
  }
}
