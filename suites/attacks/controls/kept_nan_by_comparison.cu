extern "C" __global__ void kept_nan(const float* x, float* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float value = x[i], kept = fmaxf(value, 0.0f);
  y[i] = value == value ? kept : value;
}
