// Z-17: the square of zero is not a number
extern "C" __global__ void squared(const float* x, float* y, int n, float c) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = c * c * c / c * x[i] + x[i];
}
