extern "C" __global__ void grown(const float* x, float* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  y[i] = fabsf(v) < 0.02f ? v * (1.0f + v * (0.5f + v * (1.0f / 6.0f + v * (1.0f / 24.0f)))) : expm1f(v);
}
