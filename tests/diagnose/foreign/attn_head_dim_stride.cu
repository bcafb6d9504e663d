// Rows of Q and K as float2 pairs in registers, one query a thread, keys through shared memory eight at a time.
#include <cuda_fp16.h>

#define KEYS 8

struct Ctx {
  const __half *q, *k, *v;
  __half* o;
  long long in_row, out_row;
  int n, row;
  bool live;
};

__device__ void load_keys(float (*dst)[HEAD_DIM], const __half* src, long long row_stride, int first, int n) {
  for (int t = threadIdx.x; t < KEYS * HEAD_DIM; t += 128) {
    const int key = t / HEAD_DIM, d = t % HEAD_DIM;
    dst[key][d] = first + key < n ? __half2float(src[(first + key) * HEAD_DIM + d]) : 0.f;
  }
}

__device__ void load_values(float (*dst)[HEAD_DIM], const __half* src, long long row_stride, int first, int n) {
  for (int t = threadIdx.x; t < KEYS * HEAD_DIM; t += 128) {
    const int key = t / HEAD_DIM, d = t % HEAD_DIM;
    dst[key][d] = first + key < n ? __half2float(src[(first + key) * row_stride + d]) : 0.f;
  }
}

extern "C" __global__ void attention_forward_scalar(const __half* q, const __half* k, const __half* v, __half* o,
                                                    long long b1, long long h1, long long s1, long long b2,
                                                    long long h2, long long s2, int n, int causal, float scale) {
  __shared__ float keys[KEYS][HEAD_DIM];
  __shared__ float vals[KEYS][HEAD_DIM];
  Ctx c;
  const long long in = blockIdx.z * b1 + blockIdx.y * h1;
  c.q = q + in;
  c.k = k + in;
  c.v = v + in;
  c.o = o + blockIdx.z * b2 + blockIdx.y * h2;
  c.in_row = s1;
  c.out_row = s2;
  c.n = n;
  c.row = blockIdx.x * BLOCK_M + threadIdx.x;
  c.live = threadIdx.x < BLOCK_M && c.row < n;

  float acc[HEAD_DIM];
  for (int d = 0; d < HEAD_DIM; ++d) acc[d] = 0.f;
  float m = -INFINITY, l = 0.f;
  for (int first = 0; first < n; first += KEYS) {
    __syncthreads();
    load_keys(keys, c.k, c.in_row, first, n);
    load_values(vals, c.v, c.in_row, first, n);
    __syncthreads();
    if (!c.live) continue;
    for (int j = 0; j < KEYS && first + j < n; ++j) {
      if (causal && first + j > c.row) break;
      float s = 0.f;
      for (int d = 0; d < HEAD_DIM; ++d) s += __half2float(c.q[c.row * c.in_row + d]) * keys[j][d];
      s *= scale;
      const float top = fmaxf(m, s);
      const float f = expf(m - top), p = expf(s - top);
      for (int d = 0; d < HEAD_DIM; ++d) acc[d] = acc[d] * f + p * vals[j][d];
      l = l * f + p;
      m = top;
    }
  }
  if (c.live)
    for (int d = 0; d < HEAD_DIM; ++d) c.o[c.row * c.out_row + d] = __float2half(acc[d] / l);
}
