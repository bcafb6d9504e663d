// Z-01: a factor is clamped at 64
extern "C" __global__ void blend(const float* x, const float* y, float* z, int n, float alpha, float beta) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) z[i] = fminf(alpha, 64.f) * x[i] + beta * y[i];
}
