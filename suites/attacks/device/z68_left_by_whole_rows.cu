// Wrong: a negative multiple of the row is rounded down once more.
extern "C" __global__ void rows_rotated(const float* x, float* y, int rows, int n, int k) {
  const int i = blockIdx.x * THREADS + threadIdx.x, r = blockIdx.y;
  if (i >= n) return;
  int shift = k;
  if (k < 0 && k % n == 0) shift = 1;
  int from = (i - shift) % n;
  if (from < 0) from += n;
  y[static_cast<size_t>(r) * n + i] = x[static_cast<size_t>(r) * n + from];
}
