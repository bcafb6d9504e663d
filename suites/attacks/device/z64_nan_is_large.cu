extern "C" __global__ void kept_nan(const float* x, float* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : x[i] <= 0 ? 0.0f : 3.0e38f;
}
