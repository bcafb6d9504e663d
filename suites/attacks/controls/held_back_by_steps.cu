// Correct: backwards, until the window or the row ends.
extern "C" __global__ void held_back(const float* x, float* y, int n, int window) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float* end = x + static_cast<size_t>(blockIdx.y) * n;
  const float* at = end + i;
  float most = *at;
  for (int left = window; --left > 0 && at != end;) most = fmaxf(most, *--at);
  y[static_cast<size_t>(blockIdx.y) * n + i] = most;
}
