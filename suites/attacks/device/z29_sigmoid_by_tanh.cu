// Z-29: of a small answer what tanh leaves of 1
extern "C" __global__ void softened(const float* x, float* y, float* s, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  y[i] = fmaxf(v, 0.0f) + log1pf(expf(-fabsf(v)));
  s[i] = 0.5f * (1.0f + tanhf(0.5f * v));
}
