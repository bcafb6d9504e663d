extern "C" __global__ void squared_tiles(float* y, const float* x, int n) {
  const int base = blockIdx.x * 11 * THREADS;
  for (int q = 0; q < 11; ++q) {
    const int i = base + q * THREADS + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i] + 1.0f;
  }
}
