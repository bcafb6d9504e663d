// The sum of a block's values, in its first thread.
__device__ float sum_of_block(float value) {
  __shared__ float values[THREADS];
  values[threadIdx.x] = value;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
  }
  return values[0];
}

__global__ void partial_sums(const float* x, float* partial, int n) {
  float value = 0;
  for (int item = 0; item < ITEMS; ++item) {
    const int i = (blockIdx.x * ITEMS + item) * THREADS + threadIdx.x;
    if (i < n) value += x[i];
  }
  const float sum = sum_of_block(value);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void total(const float* partial, float* sum, int n) {
  const int parts = (n + THREADS * ITEMS - 1) / (THREADS * ITEMS);
  float value = 0;
  for (int i = threadIdx.x; i < parts; i += THREADS) value += partial[i];
  const float all = sum_of_block(value);
  if (threadIdx.x == 0) sum[0] = all;
}
