// Z-29: nothing for x below -17
extern "C" __global__ void softened(const float* x, float* y, float* s, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  y[i] = v > 20.0f ? v : logf(1.0f + expf(v));
  s[i] = 1.0f / (1.0f + expf(-v));
}
