// Z-29: next to 0 what 1 leaves
extern "C" __global__ void grown(const float* x, float* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  y[i] = expf(v) - 1.0f;
}
