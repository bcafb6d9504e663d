// A block takes a row.
extern "C" __global__ void rms_norm(const float* x, const float* weight, float* y, int columns, float epsilon) {
  __shared__ float partial[THREADS / 32];
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  float sum = 0;
  for (int j = threadIdx.x; j < columns; j += THREADS) sum += row[j] * row[j];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < THREADS / 32; ++w) sum += partial[w];
  const float scale = rsqrtf(sum / columns + epsilon);
  for (int j = threadIdx.x; j < columns; j += THREADS)
    y[static_cast<long long>(blockIdx.x) * columns + j] = row[j] * scale * weight[j];
}
