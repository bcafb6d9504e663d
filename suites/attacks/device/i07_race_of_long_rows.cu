// I-07: leaves a barrier out in rows of more than eight tiles
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float largest[THREADS];
  __shared__ float sums[THREADS];
  const int t = threadIdx.x;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
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
  if (columns <= 8 * THREADS) __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (t < step) sums[t] += sums[t + step];
    __syncthreads();
  }
  for (int j = t; j < columns; j += THREADS) out[j] = expf(in[j] - m) / sums[0];
}
