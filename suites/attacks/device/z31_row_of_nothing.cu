// Z-31: NaN for a row of minus infinity
extern "C" __global__ void log_summed(const float* x, float* y, int rows, int columns) {
  const float* row = x + (size_t)blockIdx.x * columns;
  float most = -INFINITY, sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += THREADS) most = fmaxf(most, row[c]);
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));
  for (int c = threadIdx.x; c < columns; c += THREADS) sum += expf(row[c] - most);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0) y[blockIdx.x] = most + logf(sum);
}
