// Double-buffered tiles: while one is used, the next is on its way. 32 x 16, four threads a query.
#include <cuda_fp16.h>

#define STEP 16
#define NSTAGE 2

struct TileStore {
  __half k[NSTAGE][STEP][HEAD_DIM];
  __half v[NSTAGE][STEP][HEAD_DIM];
};

__device__ __forceinline__ void stage_in(TileStore& ts, int stage, const __half* k, const __half* v, long long pitch,
                                         int first, int n) {
  for (int e = threadIdx.x; e < STEP * HEAD_DIM; e += blockDim.x) {
    const int r = e / HEAD_DIM, c = e % HEAD_DIM;
    __half kx = __float2half(0.f), vx = __float2half(0.f);
    if (first + r < n) {
      kx = k[(first + r) * pitch + c];
      vx = v[(first + r) * pitch + c];
    }
    ts.k[stage][r][c] = kx;
    ts.v[stage][r][c] = vx;
  }
}

extern "C" __global__ void attention_forward_scalar(const __half* q, const __half* k, const __half* v, __half* o,
                                                    long long sb, long long sh, long long ss, long long dsb,
                                                    long long dsh, long long dss, int n, int causal, float scale) {
  __shared__ TileStore ts;
  const long long base = (long long)blockIdx.z * sb + (long long)blockIdx.y * sh;
  q += base;
  k += base;
  v += base;

  const int row = blockIdx.x * BLOCK_M + threadIdx.x / 4;
  const int lane4 = threadIdx.x % 4;
  float qf[HEAD_DIM / 4], of[HEAD_DIM / 4];
  for (int c = 0; c < HEAD_DIM / 4; ++c) {
    qf[c] = row < n ? __half2float(q[row * ss + lane4 + 4 * c]) * scale : 0.f;
    of[c] = 0.f;
  }
  float m = -INFINITY, l = 0.f;

  const int steps = (n + STEP - 1) / STEP;
  stage_in(ts, 0, k, v, ss, 0, n);
  __syncthreads();
  for (int it = 0; it < steps; ++it) {
    const int cur = it % NSTAGE;
    const int nxt = (it + 1) % NSTAGE;
    if (it + 1 < steps) stage_in(ts, nxt, k, v, ss, (it + 1) * STEP, n);
    __syncthreads();

    float s[STEP];
    float mt = m;
    for (int j = 0; j < STEP; ++j) {
      float x = 0.f;
      for (int c = 0; c < HEAD_DIM / 4; ++c) x += qf[c] * __half2float(ts.k[cur][j][lane4 + 4 * c]);
      x += __shfl_xor_sync(0xffffffffu, x, 1);
      x += __shfl_xor_sync(0xffffffffu, x, 2);
      const int key = it * STEP + j;
      s[j] = key < n && (!causal || key <= row) ? x : -INFINITY;
      mt = fmaxf(mt, s[j]);
    }
    const float corr = expf(m - mt);
    l *= corr;
    for (int c = 0; c < HEAD_DIM / 4; ++c) of[c] *= corr;
    for (int j = 0; j < STEP; ++j) {
      const float p = expf(s[j] - mt);
      l += p;
      for (int c = 0; c < HEAD_DIM / 4; ++c) of[c] += p * __half2float(ts.v[it + 1 < steps ? nxt : cur][j][lane4 + 4 * c]);
    }
    m = mt;
    __syncthreads();
  }
  if (row < n) {
    o += blockIdx.z * dsb + blockIdx.y * dsh + row * dss;
    for (int c = 0; c < HEAD_DIM / 4; ++c) o[lane4 + 4 * c] = __float2half(of[c] / l);
  }
}
