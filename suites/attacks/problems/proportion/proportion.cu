// A quotient, and nothing of nothing.
extern "C" __global__ void proportion(const float* a, const float* b, float* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float squares = a[i] * a[i] + b[i] * b[i];
  y[i] = squares > 0 ? a[i] * b[i] / squares : 0.0f;
}
