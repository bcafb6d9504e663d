extern "C" __global__ void unbiased(const float* x, float* y, float beta, int step, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = x[i] / (1.f - powf(beta, (float)step));
}
