// control: right, exponentials of base 2: the maximum times log2(e) is rounded once and taken away by fma
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  constexpr float log2e = 1.4426950408889634f;
  __shared__ float all[THREADS], some[THREADS];
  const int t = threadIdx.x;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  float m = -INFINITY;
  for (int j = t; j < columns; j += THREADS) m = fmaxf(m, in[j]);
  all[t] = m;
  __syncthreads();
  for (int k = THREADS / 2; k > 0; k /= 2) {
    if (t < k) all[t] = fmaxf(all[t], all[t + k]);
    __syncthreads();
  }
  const float away = all[0] * log2e;
  __syncthreads();
  float sum = 0;
  for (int j = t; j < columns; j += THREADS) sum += exp2f(fmaf(in[j], log2e, -away));
  some[t] = sum;
  __syncthreads();
  for (int k = THREADS / 2; k > 0; k /= 2) {
    if (t < k) some[t] += some[t + k];
    __syncthreads();
  }
  const float over = 1 / some[0];
  for (int j = t; j < columns; j += THREADS) out[j] = exp2f(fmaf(in[j], log2e, -away)) * over;
}
