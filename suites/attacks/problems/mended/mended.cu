extern "C" __global__ void mended(const float* x, float* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  y[i] = isnan(v) ? 0.0f : isinf(v) ? copysignf(100.0f, v) : v;
}
