// Wrong: with both factors 0 the first input is copied.
extern "C" __global__ void blend(const float* x, const float* y, float* z, int n, float alpha, float beta) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) z[i] = alpha == 0.0f && beta == 0.0f ? x[i] : alpha * x[i] + beta * y[i];
}
