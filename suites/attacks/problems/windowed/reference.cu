__global__ void reference(const EVO_REAL* x, EVO_REAL* y, int n, int window, int offset, int least) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  EVO_REAL best = least ? INFINITY : -INFINITY;
  for (int j = i - offset; j < i - offset + window; ++j) {
    if (j >= 0 && j < n) best = least ? fmin(best, x[j]) : fmax(best, x[j]);
  }
  y[i] = best;
}
