// y = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
extern "C" __global__ void gelu(const float* x, float* y, int n) {
  const int first = (blockIdx.x * THREADS + threadIdx.x) * PER_THREAD;
  for (int i = first; i < first + PER_THREAD && i < n; ++i) {
    const float v = x[i];
    y[i] = 0.5f * v * (1 + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
  }
}
