// control: right, a search whose result is set where it is found, and looked at behind a flag only
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float largest[THREADS];
  __shared__ float sums[THREADS];
  const int t = threadIdx.x;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  // A maximum without an initial value: the first element of a thread sets it.
  float m;
  bool any = false;
  for (int j = t; j < columns; j += THREADS) {
    const float value = in[j];
    if (!any || value > m) m = value;
    any = true;
  }
  largest[t] = any ? m : -INFINITY;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (t < step) largest[t] = fmaxf(largest[t], largest[t + step]);
    __syncthreads();
  }
  m = largest[0];
  float sum;
  int count = 0;
  for (int j = t; j < columns; j += THREADS, ++count) {
    const float e = expf(in[j] - m);
    sum = count == 0 ? e : sum + e;
  }
  sums[t] = count > 0 ? sum : 0.0f;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (t < step) sums[t] += sums[t + step];
    __syncthreads();
  }
  for (int j = t; j < columns; j += THREADS) out[j] = expf(in[j] - m) / sums[0];
}
