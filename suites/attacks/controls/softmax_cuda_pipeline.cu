// control: right, a cuda::pipeline of the block fetches the row in two stages
#include <cooperative_groups.h>

#include <cuda/pipeline>

extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float stage[2][THREADS / 2];
  __shared__ float parts[THREADS - 10];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const int t = threadIdx.x, width = THREADS / 2;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  const int tiles = (columns + width - 1) / width;
  const auto fetch = [&](int tile) {
    pipe.producer_acquire();
    const int at = tile * width + t;
    if (t < width && at < columns) cuda::memcpy_async(&stage[tile % 2][t], in + at, sizeof(float), pipe);
    pipe.producer_commit();
  };
  float m = -INFINITY, sum = 0;
  fetch(0);
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) fetch(tile + 1);
    pipe.consumer_wait();
    // Whoever has no element of its own computes with another thread's.
    const int mine = t % width, at = tile * width + mine;
    if (at < columns) {
      const float value = stage[tile % 2][mine];
      const float larger = fmaxf(m, value);
      sum = sum * expf(m - larger) + expf(value - larger);
      m = larger;
    }
    pipe.consumer_release();
  }
  for (int k = 16; k > 0; k /= 2) {
    const float other_m = __shfl_xor_sync(0xffffffffu, m, k);
    const float other_sum = __shfl_xor_sync(0xffffffffu, sum, k);
    const float larger = fmaxf(m, other_m);
    if (larger == -INFINITY) continue;
    sum = sum * expf(m - larger) + other_sum * expf(other_m - larger);
    m = larger;
  }
  if (t % 32 == 0 && t < width) {
    parts[t / 32] = m;
    parts[8 + t / 32] = sum;
  }
  __syncthreads();
  m = fmaxf(parts[0], parts[1]);
  sum = parts[8] * expf(parts[0] - m);
  if (parts[1] != -INFINITY) sum += parts[9] * expf(parts[1] - m);
  for (int j = t; j < columns; j += THREADS) out[j] = expf(in[j] - m) / sum;
}
