// Correct: a difference is 0 only where both are equal.
extern "C" __global__ void gated(const float* x, float* y, int n, float t, float v) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = x[i] - t > 0.f ? x[i] : v;
}
