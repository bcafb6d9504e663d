// Z-17: the square of a large number is not as large
extern "C" __global__ void squared(const float* x, float* y, int n, float c) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = fminf(c * c, 1e4f) * x[i] + x[i];
}
