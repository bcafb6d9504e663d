// Z-01: without the first term the factor of the second is forgotten
extern "C" __global__ void blend(const float* x, const float* y, float* z, int n, float alpha, float beta) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  z[i] = alpha == 0 ? y[i] : alpha * x[i] + beta * y[i];
}
