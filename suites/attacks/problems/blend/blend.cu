extern "C" __global__ void blend(const float* x, const float* y, float* z, int n, float alpha, float beta) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) z[i] = alpha * x[i] + beta * y[i];
}
