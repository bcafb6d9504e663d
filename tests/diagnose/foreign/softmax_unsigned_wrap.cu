typedef unsigned int u32;

__device__ float all_max(float v) {
  __shared__ float s[THREADS / 32];
  for (u32 i = 16; i; i /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, i));
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = s[0];
  for (u32 i = 1; i < THREADS / 32; ++i) v = fmaxf(v, s[i]);
  return v;
}

__device__ float all_sum(float v) {
  __shared__ float s[THREADS / 32];
  for (u32 i = 16; i; i /= 2) v += __shfl_xor_sync(0xffffffffu, v, i);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0;
  for (u32 i = 0; i < THREADS / 32; ++i) v += s[i];
  return v;
}

// Whole strips of THREADS columns without a test, then what is left.
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  const float* a = x + (long long)blockIdx.x * columns;
  float* b = y + (long long)blockIdx.x * columns;
  const u32 n = columns;
  const u32 last_strip = n - THREADS;
  float m = -INFINITY;
  u32 c = threadIdx.x;
  for (; c < last_strip; c += THREADS) m = fmaxf(m, a[c]);
  for (; c < n; c += THREADS) m = fmaxf(m, a[c]);
  m = all_max(m);
  float s = 0;
  for (c = threadIdx.x; c < n; c += THREADS) s += expf(a[c] - m);
  s = all_sum(s);
  for (c = threadIdx.x; c < n; c += THREADS) b[c] = expf(a[c] - m) / s;
}
