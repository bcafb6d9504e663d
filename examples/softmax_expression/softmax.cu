// A block of WARPS warps takes a row. ONLINE goes over the row once for maximum and sum, else twice.
__device__ float largest_of(float a) {
  for (int step = 16; step > 0; step /= 2) a = fmaxf(a, __shfl_xor_sync(~0u, a, step));
  return a;
}
__device__ float sum_of(float a) {
  for (int step = 16; step > 0; step /= 2) a += __shfl_xor_sync(~0u, a, step);
  return a;
}

extern "C" __global__ void row_softmax(const float* x, float* y, int columns) {
  __shared__ float maxima[WARPS], sums[WARPS];
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  const int warp = threadIdx.x / 32;
  float largest = -3.0e38f, sum = 0;
  if (ONLINE) {
    for (int j = threadIdx.x; j < columns; j += 32 * WARPS) {
      const float next = fmaxf(largest, in[j]);
      sum = sum * expf(largest - next) + expf(in[j] - next);
      largest = next;
    }
  } else {
    for (int j = threadIdx.x; j < columns; j += 32 * WARPS) largest = fmaxf(largest, in[j]);
    for (int j = threadIdx.x; j < columns; j += 32 * WARPS) sum += expf(in[j] - largest);
  }
  const float most = largest_of(largest);
  sum = sum_of(sum * expf(largest - most));
  if (threadIdx.x % 32 == 0) maxima[warp] = most, sums[warp] = sum;
  __syncthreads();
  largest = maxima[0];
  for (int w = 1; w < WARPS; ++w) largest = fmaxf(largest, maxima[w]);
  sum = 0;
  for (int w = 0; w < WARPS; ++w) sum += sums[w] * expf(maxima[w] - largest);
  for (int j = threadIdx.x; j < columns; j += 32 * WARPS) out[j] = expf(in[j] - largest) / sum;
}
