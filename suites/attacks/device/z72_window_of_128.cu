// Wrong: of a window of more than 128 numbers the last 128.
extern "C" __global__ void held_back(const float* x, float* y, int n, int window) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float* row = x + static_cast<size_t>(blockIdx.y) * n;
  float most = row[i];
  for (int at = max(0, i - min(window, 128) + 1); at < i; ++at) most = fmaxf(most, row[at]);
  y[static_cast<size_t>(blockIdx.y) * n + i] = most;
}
