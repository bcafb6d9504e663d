// Rows of at most a block's width take one element a thread; longer ones loop.
__device__ __forceinline__ float reduce(float v, float* cell, const bool sum) {
  cell[threadIdx.x] = v;
  __syncthreads();
  for (unsigned gap = THREADS >> 1; gap != 0; gap >>= 1) {
    if (threadIdx.x < gap) {
      const float w = cell[threadIdx.x + gap];
      cell[threadIdx.x] = sum ? cell[threadIdx.x] + w : fmaxf(cell[threadIdx.x], w);
    }
    __syncthreads();
  }
  v = cell[0];
  __syncthreads();
  return v;
}

extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float cell[THREADS];
  cell[threadIdx.x] = 0.f;
  if (threadIdx.x >= columns) return;
  const float* xi = x + (size_t)blockIdx.x * columns;
  float* yi = y + (size_t)blockIdx.x * columns;
  float v = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += THREADS) v = fmaxf(v, xi[c]);
  const float top = reduce(v, cell, false);
  v = 0.f;
  for (int c = threadIdx.x; c < columns; c += THREADS) v += expf(xi[c] - top);
  const float all = reduce(v, cell, true);
  for (int c = threadIdx.x; c < columns; c += THREADS) yi[c] = expf(xi[c] - top) / all;
}
