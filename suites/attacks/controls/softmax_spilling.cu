// control: right, with a row in more registers than there are
extern "C" __global__ void __launch_bounds__(THREADS, 12)
    row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float both[2 * THREADS];
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  float m = -INFINITY;
  double sum = 0;
  for (int j = 0; j < columns; ++j) m = fmaxf(m, in[j]);
  float kept[48];
  for (int j = 0; j < columns; ++j) sum += expf(in[j] - m);
  both[threadIdx.x] = m;
  both[THREADS + threadIdx.x] = (float)sum;
  m = both[threadIdx.x ^ 0];
  for (int first = threadIdx.x; first < columns; first += 48 * THREADS) {
#pragma unroll
    for (int k = 0; k < 48; ++k) kept[k] = first + k * THREADS < columns ? in[first + k * THREADS] : 0.0f;
#pragma unroll
    for (int k = 0; k < 48; ++k) asm volatile("" : "+f"(kept[k]));
#pragma unroll
    for (int k = 0; k < 48; ++k) kept[k] = expf(kept[k] - m);
#pragma unroll
    for (int k = 0; k < 48; ++k) asm volatile("" : "+f"(kept[k]));
#pragma unroll
    for (int k = 0; k < 48; ++k)
      if (first + k * THREADS < columns) out[first + k * THREADS] = kept[k] / both[THREADS + threadIdx.x];
  }
}
