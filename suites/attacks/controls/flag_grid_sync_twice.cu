// Right: two phases share one place, with a grid.sync() between reading it and writing it again.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

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
  const cg::grid_group grid = cg::this_grid();
  const int row = blockIdx.y, part = blockIdx.x, t = threadIdx.x;
  const int each = (columns + SPLITS - 1) / SPLITS;
  const int end = min(columns, (part + 1) * each);
  x += (long long)row * columns;
  y += (long long)row * columns;
  partial += row * 16;
  float m = -INFINITY;
  for (int j = part * each + t; j < end; j += THREADS) m = fmaxf(m, x[j]);
  m = reduce(m, false);
  if (t == 0) partial[part] = m;
  grid.sync();
  m = -INFINITY;
  for (int s = 0; s < SPLITS; ++s) m = fmaxf(m, partial[s]);
  float sum = 0;
  for (int j = part * each + t; j < end; j += THREADS) sum += expf(x[j] - m);
  sum = reduce(sum, true);
  grid.sync();
  if (t == 0) partial[part] = sum;
  grid.sync();
  sum = 0;
  for (int s = 0; s < SPLITS; ++s) sum += partial[s];
  for (int j = part * each + t; j < end; j += THREADS) y[j] = expf(x[j] - m) / sum;
}
