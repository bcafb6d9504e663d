extern "C" __global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = 2 * x[i] + 1;
}
