// Wrong: of a window of more than 64 numbers the last 64 are added up.
extern "C" __global__ void trailing(const float* x, float* sum, int window, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  float all = 0.0f;
  for (int j = max(0, max(i - window, i - 64) + 1); j <= i; ++j) all += x[j];
  sum[i] = all;
}
