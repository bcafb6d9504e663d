// The last block of a row to arrive finishes it: partial results, a fence, a counter.
__shared__ float cells[2 * THREADS];

__device__ float reduce(float value, bool sum) {
  cells[threadIdx.x] = value;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      const float other = cells[threadIdx.x + step];
      cells[threadIdx.x] = sum ? cells[threadIdx.x] + other : fmaxf(cells[threadIdx.x], other);
    }
    __syncthreads();
  }
  const float result = cells[0];
  __syncthreads();
  return result;
}

extern "C" __global__ void row_softmax(const float* x, float* y, float* partial, unsigned long long* flags,
                                       int rows, int columns) {
  const int row = blockIdx.y, part = blockIdx.x, t = threadIdx.x;
  const int each = (columns + SPLITS - 1) / SPLITS;
  const int end = min(columns, (part + 1) * each);
  x += (long long)row * columns;
  y += (long long)row * columns;
  partial += row * 16;
  flags += row * 16;
  float m = -INFINITY;
  for (int j = part * each + t; j < end; j += THREADS) m = fmaxf(m, x[j]);
  m = reduce(m, false);
  float sum = 0;
  for (int j = part * each + t; j < end; j += THREADS) sum += expf(x[j] - m);
  sum = reduce(sum, true);
  if (t == 0) {
    partial[2 * part] = m;
    partial[2 * part + 1] = sum;
    __threadfence();
    cells[0] = atomicAdd(flags, 1ull) == SPLITS - 1 ? 1.0f : 0.0f;
    __threadfence();
  }
  __syncthreads();
  if (cells[0] == 0.0f) return;
  m = -INFINITY;
  for (int s = 0; s < SPLITS; ++s) m = fmaxf(m, partial[2 * s]);
  sum = 0;
  for (int s = 0; s < SPLITS; ++s)
    if (partial[2 * s + 1] > 0) sum += partial[2 * s + 1] * expf(partial[2 * s] - m);
  for (int j = t; j < columns; j += THREADS) y[j] = expf(x[j] - m) / sum;
}
