// I-11: both halves of a warp exchange values behind barriers of each half
template <bool MAX>
__device__ float join(float a, float b) {
  return MAX ? fmaxf(a, b) : a + b;
}

/// Of the lanes of a warp, through shared memory: first of each half, then of both.
template <bool MAX>
__device__ float reduced(float value, float* slots) {
  const int t = threadIdx.x, lane = t % 32;
  const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
  for (int step = 1; step < 32; step *= 2) {
    const unsigned mask = half;
    __syncwarp(mask);
    slots[t] = value;
    __syncwarp(mask);
    value = join<MAX>(value, slots[t ^ step]);
  }
  __syncwarp();
  return value;
}

extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float slots[2 * THREADS];
  float* parts = slots + THREADS;
  const int t = threadIdx.x;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  float m = -INFINITY;
  for (int j = t; j < columns; j += THREADS) m = fmaxf(m, in[j]);
  m = reduced<true>(m, slots);
  if (t % 32 == 0) parts[t / 32] = m;
  __syncthreads();
  for (int w = 0; w < THREADS / 32; ++w) m = fmaxf(m, parts[w]);
  float sum = 0;
  for (int j = t; j < columns; j += THREADS) sum += expf(in[j] - m);
  sum = reduced<false>(sum, slots);
  if (t % 32 == 0) parts[THREADS / 32 + t / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < THREADS / 32; ++w) sum += parts[THREADS / 32 + w];
  for (int j = t; j < columns; j += THREADS) out[j] = expf(in[j] - m) / sum;
}
