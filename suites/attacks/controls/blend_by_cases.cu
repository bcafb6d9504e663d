// Correct: what a factor of 0 or 1 saves.
extern "C" __global__ void blend(const float* x, const float* y, float* z, int n, float alpha, float beta) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  float sum = beta == 0.0f ? 0.0f : beta * y[i];
  if (alpha == 1.0f) {
    sum += x[i];
  } else if (alpha != 0.0f) {
    sum += alpha * x[i];
  }
  z[i] = sum;
}
