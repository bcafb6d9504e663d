// Correct: the rest once, and one step at most.
extern "C" __global__ void rows_rotated(const float* x, float* y, int rows, int n, int k) {
  const int i = blockIdx.x * THREADS + threadIdx.x, r = blockIdx.y;
  if (i >= n) return;
  const int rest = k % n, shift = rest < 0 ? rest + n : rest;
  const int from = i >= shift ? i - shift : i - shift + n;
  y[static_cast<size_t>(r) * n + i] = x[static_cast<size_t>(r) * n + from];
}
