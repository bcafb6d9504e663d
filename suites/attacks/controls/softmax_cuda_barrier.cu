// control: right, waits at a cuda::barrier in shared memory, by token and at once
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ float reduce(Barrier& bar, float* cells, float value, bool sum) {
  cells[threadIdx.x] = value;
  bar.arrive_and_wait();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      const float other = cells[threadIdx.x + step];
      cells[threadIdx.x] = sum ? cells[threadIdx.x] + other : fmaxf(cells[threadIdx.x], other);
    }
    auto token = bar.arrive();
    bar.wait(std::move(token));
  }
  const float result = cells[0];
  bar.arrive_and_wait();
  return result;
}

extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float cells[2 * THREADS - 2];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier bar;
  if (threadIdx.x == 0) init(&bar, THREADS);
  __syncthreads();
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  float m = -INFINITY;
  for (int j = threadIdx.x; j < columns; j += THREADS) m = fmaxf(m, in[j]);
  m = reduce(bar, cells, m, false);
  float sum = 0;
  for (int j = threadIdx.x; j < columns; j += THREADS) sum += expf(in[j] - m);
  sum = reduce(bar, cells, sum, true);
  for (int j = threadIdx.x; j < columns; j += THREADS) out[j] = expf(in[j] - m) / sum;
}
