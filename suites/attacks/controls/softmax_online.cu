// One pass with a running maximum and a rescaled sum, then the quotients
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float largest[THREADS];
  __shared__ float sums[THREADS];
  const int t = threadIdx.x;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  float m = -INFINITY, sum = 0;
  for (int j = t; j < columns; j += THREADS) {
    const float v = in[j], next = fmaxf(m, v);
    sum = sum * expf(m - next) + expf(v - next);
    m = next;
  }
  largest[t] = m;
  sums[t] = sum;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (t < step) {
      const float a = largest[t], b = largest[t + step], top = fmaxf(a, b);
      const float left = a == -INFINITY ? 0 : sums[t] * expf(a - top);
      const float right = b == -INFINITY ? 0 : sums[t + step] * expf(b - top);
      largest[t] = top;
      sums[t] = left + right;
    }
    __syncthreads();
  }
  const float inverse = 1.0f / sums[0];
  for (int j = t; j < columns; j += THREADS) out[j] = expf(in[j] - largest[0]) * inverse;
}
