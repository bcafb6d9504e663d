/* Flash-style kernel: 32 queries and 32 keys a step, K and V in shared memory as halves.
 * Four threads work on one query; a thread keeps a quarter of the output row in registers. */
#include <cuda_fp16.h>

static constexpr int QROWS = 32, KROWS = 32, LANES_PER_ROW = 4;
static constexpr int SLICE = HEAD_DIM / LANES_PER_ROW;

__device__ inline void fetch(half* dst, const half* src, long long ld, int first, int limit) {
  for (int x = threadIdx.x; x < KROWS * HEAD_DIM; x += blockDim.x) {
    const int row = x / HEAD_DIM, col = x - row * HEAD_DIM;
    dst[x] = first + row < limit ? src[(first + row) * ld + col] : __float2half(0.f);
  }
}

__device__ inline float quad_sum(float x) {
  x += __shfl_xor_sync(0xffffffffu, x, 1);
  x += __shfl_xor_sync(0xffffffffu, x, 2);
  return x;
}

extern "C" __global__ void attention_forward_scalar(const half* q, const half* k, const half* v, half* o,
                                                    long long qb, long long qh, long long qs, long long ob_,
                                                    long long oh_, long long os_, int L, int causal, float scale) {
  extern __shared__ half pool[];
  half* ktile = pool;
  half* vtile = pool + KROWS * HEAD_DIM;

  const long long off = blockIdx.z * qb + blockIdx.y * qh;
  const int r = threadIdx.x / LANES_PER_ROW;
  const int part = threadIdx.x % LANES_PER_ROW;
  const int me = blockIdx.x * QROWS + r;

  float qv[SLICE], acc[SLICE];
  for (int i = 0; i < SLICE; ++i) {
    qv[i] = me < L ? __half2float(q[off + me * qs + part * SLICE + i]) * scale : 0.f;
    acc[i] = 0.f;
  }
  float mx = -INFINITY, den = 0.f;

  const int tiles = (L + KROWS - 1) / KROWS;
  for (int t = 0; t < tiles; ++t) {
    fetch(ktile, k + off, qs, t * KROWS, L);
    fetch(vtile, v + off, qs, t * KROWS, L);
    __syncthreads();

    for (int j = 0; j < KROWS; ++j) {
      const int kj = t * KROWS + j;
      float s = 0.f;
      for (int i = 0; i < SLICE; ++i) s += qv[i] * __half2float(ktile[j * HEAD_DIM + part * SLICE + i]);
      s = quad_sum(s);
      const bool seen = kj < L && (!causal || kj <= me);
      if (!seen) continue;
      const float m2 = fmaxf(mx, s);
      const float a = expf(mx - m2), p = expf(s - m2);
      den = den * a + p;
      for (int i = 0; i < SLICE; ++i)
        acc[i] = acc[i] * a + p * __half2float(vtile[j * HEAD_DIM + part * SLICE + i]);
      mx = m2;
    }
  }

  if (me < L) {
    half* dst = o + blockIdx.z * ob_ + blockIdx.y * oh_ + me * os_ + part * SLICE;
    for (int i = 0; i < SLICE; ++i) dst[i] = __float2half(acc[i] / den);
  }
}
