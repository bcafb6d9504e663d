// Z-31: NaN is passed on
extern "C" __global__ void mended(const float* x, float* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  y[i] = isinf(v) ? copysignf(100.0f, v) : v;
}
