// Wrong: with factors of 1 and 0 the other input is copied.
extern "C" __global__ void blend(const float* x, const float* y, float* z, int n, float alpha, float beta) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) z[i] = alpha == 1.0f && beta == 0.0f ? y[i] : alpha * x[i] + beta * y[i];
}
