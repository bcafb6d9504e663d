// Wrong: the maximum begins at -1e30, which rows may be below.
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float all[THREADS], some[THREADS];
  const int t = threadIdx.x;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  float m = -1e30f;
  for (int j = t; j < columns; j += THREADS) m = fmaxf(m, in[j]);
  all[t] = m;
  __syncthreads();
  for (int k = THREADS / 2; k > 0; k /= 2) {
    if (t < k) all[t] = fmaxf(all[t], all[t + k]);
    __syncthreads();
  }
  m = all[0];
  __syncthreads();
  float sum = 0;
  for (int j = t; j < columns; j += THREADS) sum += expf(in[j] - m);
  some[t] = sum;
  __syncthreads();
  for (int k = THREADS / 2; k > 0; k /= 2) {
    if (t < k) some[t] += some[t + k];
    __syncthreads();
  }
  for (int j = t; j < columns; j += THREADS) out[j] = expf(in[j] - m) / some[0];
}
