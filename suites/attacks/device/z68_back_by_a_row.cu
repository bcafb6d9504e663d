// Wrong: a whole row to the left mirrors it.
extern "C" __global__ void rows_rotated(const float* x, float* y, int rows, int n, int k) {
  const int i = blockIdx.x * THREADS + threadIdx.x, r = blockIdx.y;
  if (i >= n) return;
  int from = (i - k) % n;
  if (from < 0) from += n;
  if (n > 2 && -k == n) from = n - 1 - i;
  y[static_cast<size_t>(r) * n + i] = x[static_cast<size_t>(r) * n + from];
}
